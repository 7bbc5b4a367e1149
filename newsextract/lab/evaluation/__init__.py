"""The fair judge: annotated corpora, the measures of the field, and the comparison of extractors on them."""
