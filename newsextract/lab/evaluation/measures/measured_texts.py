"""The texts of one page that the measures compare, tokenised once for all measures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from newsextract.page.text import words


@dataclass(frozen=True)
class Text:
    """A text and its forms, each computed on first use."""

    raw: str

    @cached_property
    def tokens(self) -> list[str]:
        """The words in lower case, single characters in scripts without spaces."""
        return words(self.raw.lower())

    @cached_property
    def bag(self) -> Counter[str]:
        """How often each token occurs."""
        return Counter(self.tokens)

    @cached_property
    def folded(self) -> str:
        """The text with white space as single spaces."""
        return " ".join(self.raw.split())


@dataclass(frozen=True)
class Case:
    """One page to judge: its visible text, its gold, and the snippets that must and must not be kept."""

    visible: Text
    gold: Text | None
    gold_marked: str | None = None
    """The gold with CleanEval's segment marks, if the corpus has them."""
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What an extractor kept of a page."""

    text: Text
    marked: str
    """The text with a CleanEval mark before every segment."""
    written: str | None = None
    """What a reference tool wrote, with its markup if it makes any; `None` for our extractors."""


def overlap(one: Counter[str], other: Counter[str]) -> int:
    """Return the size of the intersection of two bags.

    >>> overlap(Counter("aab"), Counter("abb"))
    2
    """
    small, large = sorted((one, other), key=len)
    return sum(min(count, large[token]) for token, count in small.items() if token in large)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, 2PR / (P + R); 0 when both are 0.

    >>> harmonic_mean(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def share(part: float, whole: float) -> float:
    """Return part / whole; 0 if the whole is 0.

    >>> share(1, 4), share(0, 0)
    (0.25, 0.0)
    """
    return part / whole if whole else 0.0
