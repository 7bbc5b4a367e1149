r"""Shingles: precision and recall over runs of four words, so that order counts.

As in the public article-extraction benchmark of Scrapinghub (2020, `evaluate.py`). The shingles of a text are its runs
of four words (`\w+`, case kept); a shorter text is one shingle. On a page TP = Σ min, FP = Σ max(0, kept - gold) and
FN = Σ max(0, gold - kept) over the counts of every shingle, divided by their sum so that long pages do not weigh more:

    P = mean of TP / (TP + FP) over pages with TP + FP > 0        R = mean of TP / (TP + FN) where TP + FN > 0
    F1 = 2PR / (P + R) of these means        exact accuracy = share of pages whose words are all equal
"""

from __future__ import annotations

import re
from collections import Counter

SHINGLE_WORDS = 4

_WORD = re.compile(r"\w+")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return how often each shingle occurs.

    >>> shingles("to be or not to")
    Counter({('to', 'be', 'or', 'not'): 1, ('be', 'or', 'not', 'to'): 1})
    >>> shingles("to be")
    Counter({('to', 'be'): 1})
    """
    found = _WORD.findall(text)
    starts = range(max(1, len(found) - SHINGLE_WORDS + 1))
    return Counter(shingle for start in starts if (shingle := tuple(found[start : start + SHINGLE_WORDS])))


def shingle_counts(kept: str, gold: str) -> tuple[float, float, float]:
    """Return TP, FP and FN of a page, which add up to 1, or are all 0 if both texts are empty.

    >>> shingle_counts("a b c d", "a b c d e")
    (0.5, 0.0, 0.5)
    """
    ours, theirs = shingles(kept), shingles(gold)
    common = (ours & theirs).total()
    counts = (common, ours.total() - common, theirs.total() - common)
    total = sum(counts) or 1
    right, wrong, missed = (count / total for count in counts)
    return right, wrong, missed


def shingle_scores(kept: str, gold: str) -> dict[str, float]:
    """Return a page's `shingle_precision` and `shingle_recall`, each absent where it is undefined, and `exact`."""
    right, wrong, missed = shingle_counts(kept, gold)
    scores = {"exact": float(_WORD.findall(kept) == _WORD.findall(gold))}
    if right + wrong:
        scores["shingle_precision"] = right / (right + wrong)
    if right + missed:
        scores["shingle_recall"] = right / (right + missed)
    return scores
