"""Excerpts of an article that show why a rule matches, with the parts to highlight."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.storage.search.query_matching import Spot
    from newsextract.storage.search.searched_article import Document

MAX_PASSAGES = 5
MOST_SPOTS = 8
"""Hits looked at to find that many passages; further ones show little that is new."""
_AROUND_CHARS = 80
"""Characters shown before and after a hit."""
_MARK_CHARS = 200
"""Excerpts longer than this are not extended by further hits."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one field of an article."""

    field: str
    """`headline`, `description`, `body`, `author`, `section`, `keyword` or `publisher`."""
    start: int
    """Where it starts in the field's text, in characters; several authors or keywords are joined by `; `."""
    text: str
    marks: tuple[tuple[int, int], ...]
    """Start and end of each hit, in characters of this text."""

    @property
    def words(self) -> tuple[str, ...]:
        """The hits, as the article writes them."""
        return tuple(self.text[start:end] for start, end in self.marks)


def passages_of(found: Iterable[Sequence[Spot]], document: Document) -> tuple[Passage, ...]:
    """Return passages for the hits, some for each part of a query, in the order of the article."""
    chosen = sorted(set(islice(_by_turns(found), MOST_SPOTS)))
    return tuple(_passage(*each, document) for each in islice(_groups(chosen, document), MAX_PASSAGES))


def _by_turns(found: Iterable[Sequence[Spot]]) -> Iterator[Spot]:
    """Yield the first hit of each part, then the second of each, and so on."""
    parts = list(found)
    if len(parts) == 1:
        yield from parts[0]
        return
    for turn in zip_longest(*parts):
        yield from (spot for spot in turn if spot is not None)


def _groups(chosen: Iterable[Spot], document: Document) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield groups of hits that are close enough for one excerpt, with their field, as characters of its text."""
    field, group = "", list[tuple[int, int]]()
    for spot in chosen:
        found_in, start, end = document.located(spot)
        if group and (found_in != field or end - group[0][0] > _MARK_CHARS):
            yield field, group
            group = []
        if group and start < group[-1][1]:  # inside the previous hit
            group[-1] = group[-1][0], max(end, group[-1][1])
        else:
            group.append((start, end))
        field = found_in
    if group:
        yield field, group


def _passage(field: str, group: Sequence[tuple[int, int]], document: Document) -> Passage:
    key = (field, *group)
    known = document.excerpts.get(key)
    if known is None:  # rules share words, and so their passages
        known = document.excerpts[key] = _excerpt(field, group, document.texts[field])
    return known


def _excerpt(field: str, group: Sequence[tuple[int, int]], whole: str) -> Passage:
    first, last = group[0][0], group[-1][1]
    start, end = max(0, first - _AROUND_CHARS), last + _AROUND_CHARS
    if start:
        start = max(whole.find(" ", start, first) + 1, start)
    if end < len(whole):
        space = whole.rfind(" ", last, end)
        end = space if space >= 0 else end
    marks = tuple([(begin - start, stop - start) for begin, stop in group])
    return Passage(field, start, whole[start:end], marks)
