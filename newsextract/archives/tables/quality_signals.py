"""Signals of a text's quality, as the people filter by who train models; none is a verdict.

Gopher: Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training Gopher" (2021), appendix A1.1
(quality filtering) and table A1 (repetition removal). FineWeb: Penedo et al., "The FineWeb Datasets" (2024), section
3.4 (custom filters). A line is a paragraph here, as `article_body` has a paragraph on each line, so that the signals of
lines and of paragraphs are the same. Words have the signs that belong to their letters, such as Indian vowels. In
scripts without spaces they are single characters; the published limits of word length and n-grams do not hold for them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from newsextract.archives.tables.stop_words import STOP_WORDS
from newsextract.page.word_folding import written_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TOP_NGRAMS, REPEATED_NGRAMS = range(2, 5), range(5, 11)
"""The lengths, in words, of table A1."""
SHORT_LINE = 30
"""Characters: FineWeb counts the lines below it."""

_SHARES = {
    "quality_symbols": "Hash signs, or ellipses if they are more, for each word. Gopher keeps texts up to .1.",
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
_SENTENCE_ENDS = tuple(".!?…。！？｡．؟۔।॥։።၊။។")
_BEHIND_SENTENCE = "\"'”’“‘»«›‹」』)）]］〉》】 \t\xa0\u202f"
"""What may follow the end of a sentence: “ closes a German quotation, « a Danish one."""
_ELLIPSES = ("...", "…")


def quality_signals(text: str, language: str | None) -> dict[str, Any]:
    """Return the signals of a text by the names of their columns; all are `None` for a text without a word."""
    found = written_words(text)
    if not found:
        return dict.fromkeys(MEANINGS)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    single = np.array([numbers[word] for word in found])
    lengths = np.array([len(word) for word in found])
    with_letter = sum(word.isalpha() or _has_letter(word) for word in found)
    return {
        "quality_mean_word_length": float(lengths.mean()),
        "quality_stop_words": _stop_words(numbers, language),
        "quality_symbols": max(text.count("#"), sum(map(text.count, _ELLIPSES))) / len(found),
        "quality_alphabetic_words": with_letter / len(found),
        **_line_signals([line for line in text.splitlines() if line.strip()]),
        **_repetition(single, lengths),
    }


def _has_letter(word: str) -> bool:
    # Signs of vowels count as letters: in Thai they are words of their own, as every character is.
    return any(unicodedata.category(char)[0] in "LM" for char in word)


def _stop_words(found: Iterable[str], language: str | None) -> int | None:
    known = STOP_WORDS.get((language or "").lower().partition("-")[0])
    return None if known is None else len(known & set(map(str.lower, found)))


def _line_signals(lines: list[str]) -> dict[str, float]:
    again = [line for line, count in Counter(lines).items() for _ in range(count - 1)]
    tests = {
        "quality_bullet_lines": sum(line.lstrip().startswith(_BULLETS) for line in lines),
        "quality_ellipsis_lines": sum(line.rstrip().endswith(_ELLIPSES) for line in lines),
        "quality_punctuated_lines": sum(line.rstrip(_BEHIND_SENTENCE).endswith(_SENTENCE_ENDS) for line in lines),
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
