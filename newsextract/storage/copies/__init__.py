"""Articles that are copies of each other: wire copy, syndication, shortened and lengthened, in whatever language.

Pure functions on texts. A fingerprint finds possible copies among many articles, a likeness compares two texts exactly.
"""
