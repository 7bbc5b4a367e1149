"""Compares two texts by word: the words kept, removed and added, and the numbers that changed."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.storage.revisions.revision_tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.storage.revisions.revision_tokens import Token

MOST_WORDS = 600
"""Words of a text; a longer one is not compared by word, which takes quadratic time."""

_CONTEXT_WORDS = 4
"""Words on each side of a number."""

WordChange: TypeAlias = "tuple[Literal['=', '-', '+'], str]"
"""A run of words that was kept, removed or added, as written."""


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number that replaced another, both as written."""

    before: str
    after: str
    context: str
    """The words around it in the newer text, which show what it counts."""


def compared(before: str, after: str) -> tuple[list[WordChange], list[NumberChange]]:
    """Return the words of two texts as runs in reading order, and the numbers that changed.

    Both lists are empty for texts that are too long to compare quickly.

    >>> changes, numbers = compared("Twelve dead, 12 hurt.", "Twelve dead, 15 hurt!")
    >>> changes
    [('=', 'Twelve dead,'), ('-', '12'), ('+', '15'), ('=', 'hurt!')]
    >>> numbers
    [NumberChange(before='12', after='15', context='Twelve dead, 15 hurt')]
    """
    old, new = tokens_of(before), tokens_of(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [], []
    matcher = SequenceMatcher(None, [token.said for token in old], [token.said for token in new], autojunk=False)
    words: list[WordChange] = []
    numbers: list[NumberChange] = []
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind == "equal":
            words.append(("=", _stretch(after, new, new_start, new_stop)))
            continue
        if stop > start:
            words.append(("-", _stretch(before, old, start, stop)))
        if new_stop > new_start:
            words.append(("+", _stretch(after, new, new_start, new_stop)))
        pairs = _paired(old[start:stop], new[new_start:new_stop])
        numbers += [
            NumberChange(before[was.start : was.stop], after[now.start : now.stop], _context(after, new, now))
            for was, now in pairs
        ]
    return words, numbers


def _stretch(text: str, tokens: Sequence[Token], start: int, stop: int) -> str:
    """Return the text of some tokens, with the punctuation that follows them."""
    until = tokens[stop].start if stop < len(tokens) else len(text)
    return text[0 if start == 0 else tokens[start].start : until].rstrip()


def _paired(old: Sequence[Token], new: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield pairs of numbers that replaced each other, if both sides have equally many."""
    before = [token for token in old if token.is_number]
    after = [token for token in new if token.is_number]
    if len(before) == len(after):
        yield from ((was, now) for was, now in zip(before, after, strict=True) if was.said != now.said)


def _context(text: str, tokens: Sequence[Token], token: Token) -> str:
    place = tokens.index(token)
    first = tokens[max(place - _CONTEXT_WORDS, 0)]
    last = tokens[min(place + _CONTEXT_WORDS, len(tokens) - 1)]
    return " ".join(text[first.start : last.stop].split())
