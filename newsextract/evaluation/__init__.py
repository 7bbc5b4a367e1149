"""Evaluate extractors: annotated corpora, the measures of the field, and comparisons on them."""

from __future__ import annotations
