"""The local classifier of Pasternack & Roth (WWW 2009): a naive Bayes over the tokens of a page.

A token is a tag or a word or symbol of the text; a token's features are the trigram that it begins, and the tag around
it. Words are in lower case and numbers are all one, as in the paper; its stemming, which is for English, is left out.
Its score in the sequence is the probability that it is in the article, less a half.

Both classes are as likely before a token is seen. The two features are as the thesis tells them that cites the paper
(Deturck 2015, section 3.4); there the tag is the last one opened, here the innermost one still open.

A trigram known on fewer than `MIN_SITES` sites is one of the *rare* ones, which have odds of their own: most text is
made of them, and furniture repeats itself. Trigrams are kept as numbers of 32 bits, from which no text can be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from newsextract.page.outline import VOID
from newsextract.page.text import words_and_symbols
from newsextract.reading.trained_models.boosted_trees import WeightFile

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.reading.trained_models.boosted_trees import Arrays

    Floats = NDArray[np.float64]
    Hashes = NDArray[np.uint32]

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
        return probability(self.log_odds(tokens)) - 0.5


def probability(log_odds: Floats) -> Floats:
    """Return the probabilities of some log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


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
