"""Articles that are copies of each other: wire copy, syndication, shortened and lengthened, in whatever language.

Pure functions on texts. A fingerprint finds what may be a copy among very many, a likeness judges two texts exactly.
"""
