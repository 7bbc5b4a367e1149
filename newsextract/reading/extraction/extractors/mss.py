"""Maximum subsequence segmentation: the stretch of the page with the most words for the fewest tags.

Baseline II of Pasternack & Roth, "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (WWW
2009, pages 971-980). A page is the sequence of its tokens in document order. A tag scores below zero, a word or symbol
above; the article is the contiguous subsequence with the largest sum, found in one linear pass.

The paper's better systems replace the counting by a local classifier: a token's score is the probability that it is in
the article, less a half. That is `scores="naive_bayes"`, see `token_classifier`; `scores="model"` has the block
classifier behind `auto` in its place, and then tags have no score. `scores="longest"` is Baseline I: the
page is cut at the tags that divide content, and the part with the most words is the article.

Read on the parsed tree, so that an element counts both its tags whether or not the author closed it. Scripts, styles
and whatever else bears no text are gone first, with their tags. In scripts without spaces (Chinese, Japanese, Thai,
Lao, Khmer, Burmese) every character counts as a word. The cut may fall between two text runs of one block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from newsextract.page.text import count_words_and_symbols
from newsextract.reading.extraction import token_classifier
from newsextract.reading.extraction.block_classifier import block_model
from newsextract.reading.extraction.block_classifier.block_selection import best_segment
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page


_SCORES = ("tags", "longest", "naive_bayes", "model")
_DIVIDING = frozenset("article aside body div footer form header li main nav ol section table td th tr ul".split())
"""The tags that divide content; the paper names `td` and `div` among others."""
_EVEN = 0.5
"""The probability at which a token is as likely in the article as not."""


@register
@dataclass(frozen=True)
class MaximumSubsequence:
    """Keeps the stretch of the page with the most words for the fewest tags."""

    name: ClassVar[str] = "mss"

    tag_score: float = -3.25
    """What each tag adds to the sum; the paper's value, chosen on its development set."""
    word_score: float = 1.0
    """What each word or symbol adds."""
    scores: str = "tags"
    """`tags`, the paper's Baseline II; `longest`, its Baseline I; `naive_bayes`, its classifier; or `model`, ours."""

    def __post_init__(self) -> None:
        if self.scores not in _SCORES:
            raise ValueError(f"`scores` must be one of {', '.join(_SCORES)}, not {self.scores!r}")
        if self.scores in _LOADERS:
            _LOADERS[self.scores]()
        if not self.tag_score < 0 < self.word_score:
            raise ValueError("`tag_score` must be below 0 and `word_score` above it")

    def extract(self, page: Page) -> Extraction:
        """Return the blocks of the best stretch, the outer two cut where it cuts them."""
        outline = page.outline
        if self.scores == "model":
            return Extraction(self.name, self._by_model(page))
        if self.scores == "naive_bayes":
            start, stop = _by_naive_bayes(outline)
        else:
            gaps = _walls(outline) if self.scores == "longest" else self._tag_scores(outline)
            start, stop = best_run(self._scores(outline), gaps)
        return Extraction(self.name, outline.blocks_between(start, stop) if stop > start else ())

    def _by_model(self, page: Page) -> tuple[Block, ...]:
        if not page.blocks:
            return ()
        described, seen = block_model.load().read(page)
        probabilities = np.zeros(len(page.blocks))
        probabilities[described.layout.numbers] = seen
        words = np.array([count_words_and_symbols(block.text) for block in page.blocks])
        start, stop = best_segment((probabilities - _EVEN) * words)
        return page.blocks[start:stop]

    def _scores(self, outline: Outline) -> list[float]:
        return [self.word_score * count_words_and_symbols(run) for run in outline.runs]

    def _tag_scores(self, outline: Outline) -> list[float]:
        return [self.tag_score * (after - before) for before, after in pairwise(outline.tags_before)]


_LOADERS: dict[str, Callable[[], object]] = {"naive_bayes": token_classifier.load, "model": block_model.load}
"""What reads the weights, which may be missing or broken."""


def _by_naive_bayes(outline: Outline) -> tuple[int, int]:
    """Return the first run of the best stretch of tokens, and one past its last."""
    tokens = token_classifier.page_tokens(outline)
    start, stop = best_segment(token_classifier.load().scores(tokens))
    return (int(tokens.runs[start]), min(int(tokens.runs[stop - 1]) + 1, len(outline.runs))) if stop > start else (0, 0)


def _walls(outline: Outline) -> list[float]:
    """Return the gaps between runs, which no stretch can span where a dividing tag is."""
    dividing = [element for element, tag in enumerate(outline.tags) if tag in _DIVIDING]
    cuts = {bound for element in dividing for bound in outline.runs_of(element)}
    return [-math.inf if run in cuts else 0.0 for run in range(1, len(outline.runs))]


def best_run(scores: Sequence[float], gaps: Iterable[float]) -> tuple[int, int]:
    """Return the bounds of the slice of `scores` with the largest sum, the gaps inside it included.

    `gaps[i]`, never above 0, lies between `scores[i]` and `scores[i + 1]`. Of equal sums the first ending first, and
    of those the shortest, is taken; a slice without a positive sum is empty.

    >>> best_run([5, 2, 4, 3], [-9, -1, -1])
    (1, 4)
    >>> best_run([], [])
    (0, 0)
    """
    best, best_start, best_stop = 0.0, 0, 0
    total, start = 0.0, 0
    for index, (gap, score) in enumerate(zip((0.0, *gaps), scores, strict=False)):
        if total + gap <= 0:
            total, start = 0.0, index
        else:
            total += gap
        total += score
        if total > best:
            best, best_start, best_stop = total, start, index + 1
    return best_start, best_stop
