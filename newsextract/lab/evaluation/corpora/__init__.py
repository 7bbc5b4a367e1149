"""Annotated corpora in every format the field keeps them in."""
