"""How extractors are judged and trained.

In: annotated corpora. Out: scores, reports, weights and model cards.
"""
