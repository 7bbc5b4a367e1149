"""Show two versions of a text as one, word by word: what stayed, what went, what came."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.page.text import UNSEGMENTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Role: TypeAlias = Literal["same", "removed", "added"]

CONTEXT = 8
"""Words shown around a change."""

MOST_WORDS = 20_000
"""Words between the first and the last difference; with more, comparing takes minutes, so all counts as replaced."""

GAP = " […] "

_PIECE = re.compile(rf"[{UNSEGMENTED}]\s*|[^\s{UNSEGMENTED}]+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text."""

    role: Role
    text: str


def word_diff(before: str, after: str, context: int = CONTEXT) -> list[Segment]:
    """Return the differences in order, with some words around each; an empty list if only white space differs.

    >>> [(segment.role, segment.text) for segment in word_diff("It is an old bridge.", "It is a new bridge.")]
    [('same', 'It is '), ('removed', 'an old '), ('added', 'a new '), ('same', 'bridge.')]
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    segments = [segment for segment in _segments(old, new) if segment[1]]
    if all(role == "same" for role, _ in segments):
        return []
    return [
        Segment(role, _shortened(pieces, context, is_first=n == 0, is_last=n == len(segments) - 1))
        if role == "same"
        else Segment(role, "".join(pieces))
        for n, (role, pieces) in enumerate(segments)
    ]


def _segments(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Role, Sequence[str]]]:
    plain_old, plain_new = [piece.strip() for piece in old], [piece.strip() for piece in new]
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(plain_old, plain_new, strict=False)))
    rest_old, rest_new = plain_old[start:], plain_new[start:]
    reversed_pairs = zip(reversed(rest_old), reversed(rest_new), strict=False)
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], reversed_pairs))
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    yield "same", new[:start]
    if len(middle_old) + len(middle_new) > MOST_WORDS:
        yield "removed", middle_old
        yield "added", middle_new
    else:
        yield from _matched(middle_old, middle_new)
    yield "same", new[len(new) - end :]


def _matched(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Role, Sequence[str]]]:
    plain_old, plain_new = [piece.strip() for piece in old], [piece.strip() for piece in new]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, plain_old, plain_new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield "same", new[j1:j2]
        else:
            yield "removed", old[i1:i2]
            yield "added", new[j1:j2]


def _shortened(pieces: Sequence[str], context: int, *, is_first: bool, is_last: bool) -> str:
    """Return an unchanged stretch cut to its ends; at the start or end of the text, only the end near a change."""
    before = 0 if is_first else context
    after = 0 if is_last else context
    if len(pieces) <= before + after + 1:
        return "".join(pieces)
    kept_end = "".join(pieces[len(pieces) - after :])
    return f"{''.join(pieces[:before]).rstrip()}{GAP if before else GAP.lstrip()}{kept_end}"
