"""Evaluate extractors: annotated corpora, the measures of the field, and comparisons on them."""
