"""Read the runs of text from the tree in bulk: lists by comprehension, numbers by numpy.

A Python loop over the tags of a page costs more than parsing it. So each attribute is read from all elements at once,
and what lies inside what is computed from the positions of the tags.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from lxml import etree

from newsextract.page.html_elements import BLOCK_LEVEL, TEXTLESS, VOID, hides, is_hidden
from newsextract.page.nesting import nest
from newsextract.page.tag_codes import are, codes_of, translation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.nesting import Booleans, Integers, Nesting

LINE_BREAK = "\u2028"
"""Stands for one `<br>` at the head of a run; Unicode's line separator, so that it folds like any space."""

_VOID, _BLOCK, _MUTE, _LINK, _BREAK = (1 << bit for bit in range(5))
_ROLES: dict[str, int] = {}
for _role, _tags in (
    (_VOID, VOID), (_BLOCK, BLOCK_LEVEL), (_MUTE, TEXTLESS), (_LINK, {"a"}), (_BREAK, {"br"})
):  # fmt: skip
    for _tag in _tags:
        _ROLES[_tag] = _ROLES.get(_tag, 0) | _role
_ROLE_OF_CODE = translation(_ROLES)

# Attributes, not the elements that have them: a predicate costs three times as much, and `or` in one six times.
_STYLES = etree.XPath("descendant-or-self::*/@style")
_HIDDEN = etree.XPath("descendant-or-self::*/@hidden")
_ABSENT = 2
"""Stands where others have 0 or 1: there is no text to be blank or not."""

_LABEL_CHARS = 60

_text_of, _tail_of = attrgetter("text"), attrgetter("tail")


@dataclass(frozen=True)
class Arrays:
    """The numbers of an outline as numpy arrays, under the names that its lists have."""

    nesting: Nesting
    codes: NDArray[np.uint8]
    """The tag of each element, see `tag_codes`."""
    roles: NDArray[np.uint8]
    counted: Booleans
    """The elements whose tags count in `tags_before`."""
    owners: Integers
    events: Integers
    """The tag that each run directly follows."""
    holders: Integers
    linked: Booleans
    bounds: Integers
    """The run where each block starts, and the end of the last one; blocks without visible characters included."""

    @property
    def parents(self) -> Integers:
        """The parent of each element, -1 for the root."""
        return self.nesting.parents

    @property
    def stops(self) -> Integers:
        """One past the last descendant of each element."""
        return self.nesting.stops

    @cached_property
    def run_starts(self) -> Integers:
        """The first run inside each element."""
        return self._runs_before[self.nesting.opened]

    @cached_property
    def run_stops(self) -> Integers:
        """One past the last run inside each element."""
        return self._runs_before[self.nesting.closed]

    @cached_property
    def _runs_before(self) -> Integers:
        # A run directly after a tag is not before it.
        return np.bincount(self.events + 1, minlength=2 * len(self.roles) + 1).cumsum()

    def counting(self, elements: Booleans) -> Arrays:
        """Return the same numbers with only the tags of these elements counted, if they bear text."""
        return replace(self, counted=elements & ~self.nesting.inside(self.roles & _MUTE != 0))

    @cached_property
    def tags_before(self) -> Integers:
        """How many tags precede each run: two for each element that counts, one if it is void."""
        has_end = self.counted & (self.roles & _VOID == 0)
        tags = self.nesting.marked(self.nesting.opened[self.counted], self.nesting.closed[has_end])
        return tags.cumsum()[self.events]


def read_runs(elements: list[HtmlElement], tags: list[str]) -> tuple[list[str], Arrays]:
    """Return the runs of text of a page, given its elements and their tags, and the numbers of its outline."""
    nesting = nest([len(element) for element in elements])
    codes = codes_of(tags)
    roles = _ROLE_OF_CODE[codes]
    shown, (texts, places, holders, events) = _shown(elements, codes, nesting, roles)
    is_block = roles & _BLOCK != 0
    is_wall = is_block & shown
    walls = nesting.marked(nesting.opened[is_wall], nesting.closed[is_wall]).cumsum()[events]
    runs = _join_gaps(texts, places, walls)
    events, holders, walls = events[places], holders[places], walls[places]
    breaks = nesting.marked(nesting.opened[shown & (roles & _BREAK != 0)]).cumsum()[events]
    linked = nesting.inside(_links(elements, roles))[holders]
    owners, bounds = nesting.nearest(is_block), _bounds(walls, breaks)
    return runs, Arrays(nesting, codes, roles, shown, owners, events, holders, linked, bounds)


def _shown(
    elements: list[HtmlElement], codes: NDArray[np.uint8], nesting: Nesting, roles: NDArray[np.uint8]
) -> tuple[Booleans, tuple[list[str], Integers, Integers, Integers]]:
    """Return which elements are shown, and the texts in them; see `_visible_texts`.

    Where a page hides, inside its `article` or `main`, more running text than it shows, that part is shown: its script
    will show it too, to readers who pay or unfold. What it hides elsewhere are boxes and menus.
    """
    muted = roles & _MUTE != 0
    hidden = list(_hidden(elements))
    in_body = nesting.inside(are(codes, "article", "main")) if hidden else muted
    muted[[number for number in hidden if not in_body[number]]] = True
    revealed = ~nesting.inside(muted)
    muted[hidden] = True
    shown = ~nesting.inside(muted)
    found = _visible_texts(elements, nesting, roles, shown)
    if (revealed != shown).any():
        held_back = (revealed & ~shown).nonzero()[0].tolist()
        running = sum(_running_chars(elements[n].text or "") for n in held_back if not roles[n] & _LINK)
        if running > sum(map(_running_chars, found[0])):
            return revealed, _visible_texts(elements, nesting, roles, revealed)
    return shown, found


def _running_chars(text: str) -> int:
    """Return the length of a text, or 0 if it is short enough to be a label."""
    return len(text) if len(text) > _LABEL_CHARS and not text.isspace() else 0


def _hidden(elements: list[HtmlElement]) -> Iterator[int]:
    """Yield the elements that the page hides, some of them twice."""
    styles = [style for style in _attributes(_STYLES, elements) if hides(style)]
    for attributes in (styles, _attributes(_HIDDEN, elements)):
        place = 0
        for attribute in attributes:
            element = attribute.getparent()
            place = elements.index(element, place)  # they come in the order of the page
            if is_hidden(element, element.tag):
                yield place


def _attributes(path: etree.XPath, elements: list[HtmlElement]) -> list[Any]:
    """Return strings that know their elements."""
    return cast("list[Any]", path(elements[0]))


def _links(elements: list[HtmlElement], roles: NDArray[np.uint8]) -> Booleans:
    """Tell which elements are links that lead somewhere."""
    is_link: Booleans = roles & _LINK != 0
    anchors = is_link.nonzero()[0].tolist()
    is_link[anchors] = [elements[anchor].get("href") is not None for anchor in anchors]
    return is_link


def _visible_texts(
    elements: list[HtmlElement], nesting: Nesting, roles: NDArray[np.uint8], shown: Booleans
) -> tuple[list[str], Integers, Integers, Integers]:
    """Return the text nodes that are not muted, with line breaks as texts of their own, in the order of the page.

    Also return the places of the texts that are not blank, and for each text its holder and the event before it.
    """
    has_tail = shown[nesting.parents]
    has_tail[0] = True
    texts: list[str | None] = list(map(_text_of, compress(elements, shown.tolist())))
    for place in (roles[shown] & _BREAK != 0).nonzero()[0].tolist():
        texts[place] = LINE_BREAK
    texts += map(_tail_of, compress(elements, has_tail.tolist()))
    kinds = np.frombuffer(bytes([text.isspace() if text else _ABSENT for text in texts]), np.uint8)
    present = (kinds != _ABSENT).nonzero()[0]
    events = np.concatenate((nesting.opened[shown], nesting.closed[has_tail]))[present]
    order = events.argsort()
    holders = np.concatenate((shown.nonzero()[0], nesting.parents[has_tail]))
    present = present[order]
    in_order = cast("list[str]", [texts[place] for place in present.tolist()])
    return in_order, (kinds[present] == 0).nonzero()[0], holders[present], events[order]


def _join_gaps(texts: list[str], places: Integers, walls: Integers) -> list[str]:
    """Return the texts at these places, each with the blank ones before it, back to another place or a wall.

    >>> _join_gaps([" ", "a", " ", " ", "b"], np.array([1, 4]), np.array([0, 0, 0, 1, 1]))
    [' a', ' b']
    """
    runs = [texts[place] for place in places.tolist()]
    starts = walls.searchsorted(walls[places])
    starts[1:] = np.maximum(starts[1:], places[:-1] + 1)
    behind_gap = (starts < places).nonzero()[0]
    numbers, first, last = behind_gap.tolist(), starts[behind_gap].tolist(), places[behind_gap].tolist()
    for number, start, stop in zip(numbers, first, last, strict=True):
        runs[number] = "".join(texts[start : stop + 1])
    return runs


def _bounds(walls: Integers, breaks: Integers) -> Integers:
    """Return where blocks start (behind a wall or two line breaks in a row), and where the last one ends."""
    is_bound = np.ones(len(walls) + 1, np.bool_)
    is_bound[1:-1] = (walls[1:] > walls[:-1]) | (breaks[1:] > breaks[:-1] + 1)
    return is_bound.nonzero()[0]
