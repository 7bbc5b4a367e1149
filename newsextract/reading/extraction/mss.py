"""Maximum subsequence segmentation: the stretch of the page with the most words for the fewest tags.

Baseline II of Pasternack & Roth, "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (WWW
2009, pages 971-980). A page is the sequence of its tokens in document order. A tag scores below zero, a word or symbol
above; the article is the contiguous subsequence with the largest sum, found in one linear pass.

The paper's better systems replace the counting by a local classifier: a token's score is the probability that it is in
the article, less a half. That is `scores="naive_bayes"`, see `TokenClassifier`; `scores="model"` has the block
classifier behind `auto` in its place, and then tags have no score. `scores="longest"` is Baseline I: the
page is cut at the tags that divide content, and the part with the most words is the article.

Read on the parsed tree, so that an element counts both its tags whether or not the author closed it. Scripts, styles
and whatever else bears no text are gone first, with their tags. In scripts without spaces (Chinese, Japanese, Thai,
Lao, Khmer, Burmese) every character counts as a word. The cut may fall between two text runs of one block.

Its weakness: a long comment or a ticker of news is taken for the article where that is short or stands in many boxes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar
from zlib import crc32

import numpy as np

from newsextract.page.outline import VOID
from newsextract.page.text import count_words_and_symbols, words_and_symbols
from newsextract.reading.extraction.block_classifier import model as block_model
from newsextract.reading.extraction.block_classifier.selection import best_segment
from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.trained_models.boosted_trees import WeightFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page
    from newsextract.reading.trained_models.boosted_trees import Arrays

    Floats = NDArray[np.float64]
    Hashes = NDArray[np.uint32]


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
            tags = [self.tag_score * (after - before) for before, after in pairwise(outline.tags_before)]
            words = [self.word_score * count_words_and_symbols(run) for run in outline.runs]
            start, stop = best_run(words, _walls(outline) if self.scores == "longest" else tags)
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


def _by_naive_bayes(outline: Outline) -> tuple[int, int]:
    """Return the first run of the best stretch of tokens, and one past its last."""
    tokens = page_tokens(outline)
    start, stop = best_segment(load().scores(tokens))
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


# The local classifier of Pasternack & Roth (WWW 2009): a naive Bayes over the tokens of a page.
#
# A token is a tag or a word or symbol of the text; a token's features are the trigram that it begins, and the tag
# around it. Words are in lower case and numbers are all one, as in the paper; its stemming, which is for English, is
# left out. Its score in the sequence is the probability that it is in the article, less a half.
#
# Both classes are as likely before a token is seen. The two features are as the thesis tells them that cites the paper
# (Deturck 2015, section 3.4); there the tag is the last one opened, here the innermost one still open.
#
# A trigram known on fewer than `MIN_SITES` sites is one of the *rare* ones, which have odds of their own: most text is
# made of them, and furniture repeats itself. Trigrams are kept as numbers of 32 bits, from which no text can be read.

MIN_SITES = 6
"""Fewer sites say more about themselves than about articles, and a phrase of theirs shall not be in the weights."""
STEP = 0.1
"""Log-odds are stored in such steps, a byte each."""

_DIGITS = re.compile(r"\d+")
_NUMBER = "0"
_FACTORS = (np.uint32(0x9E3779B1), np.uint32(0x85EBCA77), np.uint32(0xC2B2AE3D))


@dataclass(frozen=True)
class Tokens:
    """The N tokens of a page, tags and words, in document order."""

    trigrams: Hashes
    """The trigram that each token begins."""
    around: Hashes
    """The tag around each token."""
    runs: NDArray[np.int64]
    """The run of the outline that each word is from; for a tag, the run that follows."""


def page_tokens(outline: Outline) -> Tokens:
    """Return the tokens of a page; elements that bear no text are left out with their tags."""
    arrays, nesting = outline.arrays, outline.arrays.nesting
    tags = np.array([crc32(tag.encode()) for tag in outline.tags], np.uint32)
    is_void = np.array([tag in VOID for tag in outline.tags])
    starts, ends = np.flatnonzero(arrays.counted), np.flatnonzero(arrays.counted & ~is_void)
    words = [_hashes(run) for run in outline.runs]
    sizes = np.array([len(some) for some in words], np.int64)
    parents = np.append(tags, np.uint32(0))[arrays.parents]  # the root's is -1, and so the last
    # A run stands behind the tag that it follows and before the next one.
    places = np.concatenate(
        (2 * nesting.opened[starts], 2 * nesting.closed[ends], np.repeat(2 * arrays.events + 1, sizes))
    )
    hashes = np.concatenate((tags[starts], ~tags[ends], *words)).astype(np.uint32)
    around = np.concatenate((parents[starts], parents[ends], np.repeat(tags[arrays.holders], sizes)))
    order = np.argsort(places, kind="stable")
    runs = np.searchsorted(2 * arrays.events + 1, places[order])
    return Tokens(_trigrams(hashes[order]), around[order], runs)


def _hashes(run: str) -> Hashes:
    text = _DIGITS.sub(_NUMBER, run.lower())
    return np.array([crc32(word.encode("utf-8", "replace")) for word in words_and_symbols(text)], np.uint32)


def _trigrams(hashes: Hashes) -> Hashes:
    padded = np.append(hashes, np.zeros(2, np.uint32))
    count = len(hashes)
    mixed = np.zeros(count, np.uint32)
    for place, factor in enumerate(_FACTORS):
        mixed = (mixed ^ padded[place : place + count]) * factor
        mixed ^= mixed >> np.uint32(15)
    return mixed


@dataclass(frozen=True)
class TokenClassifier:
    """The log-odds of each feature, for a token in the article against one outside."""

    trigrams: Hashes
    """Sorted."""
    trigram_odds: Floats
    around: Hashes
    """Sorted."""
    around_odds: Floats
    rare: float
    """The log-odds of any trigram that is not known."""

    def log_odds(self, tokens: Tokens) -> Floats:
        """Return the log-odds of each token."""
        found = _looked_up(tokens.trigrams, self.trigrams, self.trigram_odds, self.rare)
        return found + _looked_up(tokens.around, self.around, self.around_odds, 0.0)

    def scores(self, tokens: Tokens) -> Floats:
        """Return the probability of each token to be in the article, less a half."""
        return np.asarray(1 / (1 + np.exp(-np.clip(self.log_odds(tokens), -30, 30)))) - 0.5


def _looked_up(asked: Hashes, known: Hashes, values: Floats, otherwise: float) -> Floats:
    places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[places] == asked, values[places], otherwise)


def save(model: TokenClassifier, path: Path) -> None:
    """Write the weights; equal weights give equal bytes."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            gaps=np.diff(model.trigrams, prepend=np.uint32(0)),
            trigram_odds=(model.trigram_odds / STEP).round().clip(-127, 127).astype(np.int8),
            around=model.around,
            around_odds=model.around_odds.astype(np.float32),
            rare=np.array(model.rare),
        )


def _built(arrays: Arrays) -> TokenClassifier:
    return TokenClassifier(
        np.cumsum(arrays["gaps"], dtype=np.uint32),
        arrays["trigram_odds"].astype(np.float64) * STEP,
        arrays["around"].astype(np.uint32),
        arrays["around_odds"].astype(np.float64),
        float(arrays["rare"]),
    )


WEIGHTS = WeightFile("token_weights.npz", "the token classifier", _built)
load = WEIGHTS.load
