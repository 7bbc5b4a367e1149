"""Signals of a text's quality, as the people filter by who train models; none is a verdict.

Gopher: Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher" (2021), appendix A1.1
(quality filtering) and table A1 (repetition removal). FineWeb: Penedo et al., "The FineWeb Datasets" (2024), section
3.4 (custom filters). A line is a paragraph here, as `article_body` has a paragraph on each line, so that the signals of
lines and of paragraphs are the same. Words are those of `word_count`: single characters in scripts without spaces, for
which the published limits of word length and n-grams do not hold.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from newsextract.archives.tables.stop_words import STOP_WORDS
from newsextract.page.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TOP_NGRAMS, REPEATED_NGRAMS = range(2, 5), range(5, 11)
"""The lengths, in words, of table A1."""
SHORT_LINE = 30
"""Characters: FineWeb counts the lines below it."""

_SHARES = {
    "quality_symbols": "Hash signs and ellipses for each word. Gopher keeps texts up to .1.",
    "quality_bullet_lines": "Share of lines that begin with a bullet. Gopher: up to .9.",
    "quality_ellipsis_lines": "Share of lines that end with an ellipsis. Gopher: up to .3.",
    "quality_alphabetic_words": "Share of words with a letter. Gopher: from .8.",
    "quality_punctuated_lines": "Share of lines that end with a sentence's sign. FineWeb: from .12.",
    "quality_short_lines": f"Share of lines of fewer than {SHORT_LINE} characters. FineWeb: up to .67.",
    "quality_repeated_lines": "Share of lines that were there before. Gopher: up to .3.",
    "quality_repeated_line_chars": "Share of characters in such lines. Gopher: up to .2; FineWeb: .1.",
    **{
        f"quality_top_{n}gram_chars": f"Share of characters in the commonest {n} words in a row. Gopher: up to {limit}."
        for n, limit in zip(TOP_NGRAMS, (0.2, 0.18, 0.16), strict=True)
    },
    **{
        f"quality_repeated_{n}gram_chars": f"Share of characters in {n} words that recur. Gopher: up to {limit}."
        for n, limit in zip(REPEATED_NGRAMS, (0.15, 0.14, 0.13, 0.12, 0.11, 0.1), strict=True)
    },
}
MEANINGS = {
    "quality_mean_word_length": "In characters. Gopher keeps texts from 3 to 10.",
    "quality_stop_words": "How many of the eight commonest words of its language the text has; null for languages "
    "without a list. Gopher: from 2.",
    **_SHARES,
}
"""What each column says, and what the papers keep."""

FIELDS = tuple(
    pa.field(name, pa.int32() if name == "quality_stop_words" else pa.float32(), metadata={"comment": meaning})
    for name, meaning in MEANINGS.items()
)

_REPETITIONS = tuple(name for name in MEANINGS if name.endswith("gram_chars"))
_BULLETS = ("•", "‣", "◦", "●", "▪", "■", "–", "—", "-", "*", "·")
_SENTENCE_ENDS = tuple(".!?。！？؟।…։።") + tuple(f"{end}{quote}" for end in ".!?。！？" for quote in "\"'”’»」』)）")
_ELLIPSES = ("...", "…")
_LETTER = re.compile(r"[^\W\d_]")
_SYMBOLS = ("#", "...", "…")


def quality_signals(text: str, language: str | None) -> dict[str, Any]:
    """Return the signals of a text by the names of their columns; all are `None` for a text without a word."""
    found = words(text)
    if not found:
        return dict.fromkeys(MEANINGS)
    # Most words of a text are there several times: each is looked at once.
    numbers = {word: number for number, word in enumerate(dict.fromkeys(found))}
    single = np.fromiter(map(numbers.__getitem__, found), dtype=np.int64, count=len(found))
    lengths = np.fromiter(map(len, numbers), dtype=np.int64, count=len(numbers))[single]
    has_letter = np.fromiter(map(_has_letter, numbers), dtype=np.bool_, count=len(numbers))
    return {
        "quality_mean_word_length": float(lengths.mean()),
        "quality_stop_words": _stop_words(numbers, language),
        "quality_symbols": sum(map(text.count, _SYMBOLS)) / len(found),
        "quality_alphabetic_words": float(has_letter[single].mean()),
        **_line_signals([line for line in text.splitlines() if line.strip()]),
        **_repetition(single, lengths),
    }


def _has_letter(word: str) -> bool:
    return word.isalpha() or _LETTER.search(word) is not None


def _stop_words(found: Iterable[str], language: str | None) -> int | None:
    known = STOP_WORDS.get((language or "").lower().partition("-")[0])
    return None if known is None else len(known & set(map(str.lower, found)))


def _line_signals(lines: list[str]) -> dict[str, float]:
    again = [line for line, count in Counter(lines).items() for _ in range(count - 1)]
    tests = {
        "quality_bullet_lines": sum(line.lstrip().startswith(_BULLETS) for line in lines),
        "quality_ellipsis_lines": sum(line.rstrip().endswith(_ELLIPSES) for line in lines),
        "quality_punctuated_lines": sum(line.rstrip().endswith(_SENTENCE_ENDS) for line in lines),
        "quality_short_lines": sum(len(line) < SHORT_LINE for line in lines),
        "quality_repeated_lines": len(again),
    }
    shares = {name: count / len(lines) for name, count in tests.items()}
    return shares | {"quality_repeated_line_chars": sum(map(len, again)) / sum(map(len, lines))}


def _repetition(single: NDArray[np.int64], lengths: NDArray[np.int64]) -> dict[str, float]:
    """Return the shares of characters in repeated n-grams, by words as numbers; only those of words are characters."""
    shares = dict.fromkeys(_REPETITIONS, 0.0)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    # Where n words begin that recur, and which they are: n + 1 words recur only where the first n do.
    starts, groups = np.arange(len(single)), single
    for n in range(2, REPEATED_NGRAMS.stop):
        fits = starts + n <= len(single)
        starts, pairs = starts[fits], groups[fits] * len(single) + single[starts[fits] + n - 1]
        _, groups, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        recurs = counts[groups] > 1
        starts, groups = starts[recurs], groups[recurs]
        if not len(starts):
            break
        if n in TOP_NGRAMS:
            taken = np.bincount(groups, weights=ends[starts + n] - ends[starts])
            shares[f"quality_top_{n}gram_chars"] = min(float(taken.max() / ends[-1]), 1.0)
        else:
            shares[f"quality_repeated_{n}gram_chars"] = _covered(starts, lengths, n)
    return shares


def _covered(starts: NDArray[np.intp], lengths: NDArray[np.int64], n: int) -> float:
    """Return the share of characters inside n-grams that begin there, each character counted once."""
    steps = np.bincount(starts, minlength=len(lengths) + 1) - np.bincount(starts + n, minlength=len(lengths) + 1)
    return float(lengths[np.cumsum(steps[:-1]) > 0].sum() / lengths.sum())
