"""Judge extractors on annotated corpora, and train the classifiers.

In: annotated corpora. Out: scores, reports, weights and model cards.
"""
