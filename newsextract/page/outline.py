"""The elements of a page as arrays: which lies inside which, and the runs of text between their tags."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import compress, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from newsextract.page.lazy import cached_property

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement


# Which element of a page lies inside which, as arrays, computed from the number of children of each.
#
# Elements are numbered in document order, and so are their tags: the start tag of an element and its end tag are two
# events, one after the other even where it is void. Everything is computed on whole arrays, at any depth.

Integers: TypeAlias = NDArray[np.intp]
Booleans: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nesting:
    """The place of each element in the tree, by its number."""

    parents: Integers
    """-1 for the root."""
    stops: Integers
    """One past the last descendant."""
    opened: Integers
    """The event that is the start tag."""
    closed: Integers
    """The event that is the end tag."""

    def inside(self, chosen: Booleans) -> Booleans:
        """Tell which elements are chosen or lie inside a chosen one.

        >>> nest([2, 1, 0, 0]).inside(np.array([False, True, False, False])).tolist()
        [False, True, True, False]
        """
        starts = chosen.nonzero()[0]
        count = len(chosen) + 1
        changes = np.bincount(starts, minlength=count) - np.bincount(self.stops[starts], minlength=count)
        return changes.cumsum()[:-1] > 0

    def nearest(self, chosen: Booleans) -> Integers:
        """Return, for each element, the nearest chosen one among itself and its ancestors, or the root.

        >>> nest([2, 1, 0, 0]).nearest(np.array([False, True, False, False])).tolist()
        [0, 1, 1, 0]
        """
        found = np.where(chosen, np.arange(len(chosen)), self.parents)
        found[0] = 0
        # Each round doubles how far up every element has looked.
        while ((further := found[found]) != found).any():
            found = further
        return found

    def marked(self, *events: Integers) -> Integers:
        """Return a 1 for each of these events and a 0 for all others, so that they can be counted."""
        marks = np.zeros(2 * len(self.stops), np.intp)
        for places in events:
            marks[places] = 1
        return marks


def nest(child_counts: list[int]) -> Nesting:
    """Return how elements nest, from the number of children of each in document order.

    >>> nested = nest([2, 1, 0, 0])
    >>> nested.parents.tolist(), nested.stops.tolist()
    ([-1, 0, 1, 0], [4, 3, 3, 4])
    >>> nested.opened.tolist(), nested.closed.tolist()
    ([0, 1, 2, 5], [7, 4, 3, 6])
    """
    children = np.array(child_counts, np.intp)
    stops = _stops(children)
    numbers = np.arange(len(children))
    depths = numbers - np.bincount(stops, minlength=len(children) + 1).cumsum()[:-1]
    # Level by level, the children of one element after the other are simply the elements in their order.
    levels = depths.astype(np.int16).argsort(kind="stable")  # numpy sorts 16 bits by radix, in linear time
    parents = np.empty_like(stops)
    parents[0] = -1
    parents[levels[1:]] = levels.repeat(children[levels])
    return Nesting(parents, stops, 2 * numbers - depths, 2 * stops - depths - 1)


def _stops(children: Integers) -> Integers:
    """Return, for each element, one past its last descendant.

    Going through the elements in order, count those that a parent has announced and that have not come yet: each
    element takes one away and announces its children. Its descendants stop where the count is first one lower than at
    itself. Bisection finds that place among the places sorted by count; count and place are packed into one integer.
    """
    bits = (len(children) + 1).bit_length()
    places = np.zeros(len(children) + 1, np.intp)
    np.cumsum(children - 1, out=places[1:])
    places <<= bits
    places |= np.arange(len(places))
    places.sort()
    found = places.searchsorted(places[1:] - (1 << bits))
    places &= (1 << bits) - 1
    stops = np.empty_like(children)
    stops[places[1:]] = places[found]
    return stops


# What HTML's elements mean to a reader: which ones break the line, which bear no text, which are hidden.

BLOCK_LEVEL = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p "
    "pre search section summary table tbody td tfoot th thead tr ul".split()
)
"""Elements that start a new line, by the rendering section of the HTML Standard; cells and buttons stand apart too."""

TEXTLESS = frozenset(
    "applet audio canvas datalist embed head iframe noembed noframes noscript object script select style svg template "
    "textarea title video".split()
)
"""Elements whose text is for programs, or is shown only when something else fails."""

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""Elements with one tag instead of two."""

# With a prefix it is another property: `backface-visibility: hidden` hides nothing.
_HIDING_STYLE = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_HIDING_WORDS = ("none", "hidden", "collapse")
_MAX_NAMES_CHARS = 300
"""Characters of an element's class and id that are read: longer ones are generated."""
_UNSEEN = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader-only|element-invisible|u-hidden-visually)(?=$|\s)"
)
"""Classes of Bootstrap, HTML5 Boilerplate, WordPress, Drupal and others for texts that only screen readers read."""
_WHOLE_PAGE = ("html", "body")
_STREAMED = "S:"
"""Start of the ids under which React sends parts of a page hidden, to put them in place by script (React 18)."""


def names_of(element: HtmlElement) -> str:
    """Return the start of an element's class and id: what its authors call it."""
    return f"{element.get('class', '')[:_MAX_NAMES_CHARS]} {element.get('id', '')[:_MAX_NAMES_CHARS]}"


def is_for_screen_readers(element: HtmlElement) -> bool:
    """Tell whether an element has a class by which frameworks and content management systems hide it from sight."""
    names = element.get("class")
    return names is not None and _UNSEEN.search(names[:_MAX_NAMES_CHARS]) is not None


def is_hidden(element: HtmlElement, tag: str) -> bool:
    """Tell whether the page hides an element by an attribute or inline style.

    `html` and `body` never are: pages that hide all of themselves show it again by script.
    """
    style = element.get("style")
    if style is None:
        has_attribute = element.get("hidden") is not None and tag not in _WHOLE_PAGE
        return has_attribute and not element.get("id", "").startswith(_STREAMED)
    return (element.get("hidden") is not None or hides(style)) and tag not in _WHOLE_PAGE


def hides(style: str) -> bool:
    """Tell whether an inline style hides its element.

    >>> hides("display: none"), hides("display: block"), hides("backface-visibility: hidden")
    (True, False, False)
    """
    low = style.lower()
    return any(word in low for word in _HIDING_WORDS) and _HIDING_STYLE.search(style) is not None


# The tags of a page as numbers of one byte, so that numpy can search and translate all of them at once.

_OTHERS = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark picture q ruby s samp slot small span "
    "strike strong sub sup time tt u var".split()
)
"""The tags that people use besides those whose text is set apart or not shown."""

_CODES = {tag: code for code, tag in enumerate(sorted(BLOCK_LEVEL | TEXTLESS | VOID | _OTHERS), start=1)}
_code_of = _CODES.get


def codes_of(tags: Sequence[str]) -> NDArray[np.uint8]:
    """Return the code of each tag, 0 for unknown ones."""
    return np.frombuffer(bytes(map(_code_of, tags, repeat(0))), np.uint8)


def are(codes: NDArray[np.uint8], *tags: str) -> Booleans:
    """Tell which codes are those of one of these known tags.

    >>> are(codes_of(["p", "a", "x-y", "a"]), "a").tolist()
    [False, True, False, True]
    """
    found: Booleans = codes == _CODES[tags[0]]
    for tag in tags[1:]:
        found |= codes == _CODES[tag]
    return found


def translation(values: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return the table that has these tags' values at their codes, and 0 for all others.

    >>> translation({"a": 2, "p": 1})[codes_of(["p", "a", "b"])].tolist()
    [1, 2, 0]
    """
    table = np.zeros(len(_CODES) + 1, np.uint8)
    for tag, value in values.items():
        table[_CODES[tag]] = value
    return table


# Read the runs of text from the tree in bulk: lists by comprehension, numbers by numpy.
#
# A Python loop over the tags of a page costs more than parsing it. So each attribute is read from all elements at once,
# and what lies inside what is computed from the positions of the tags.

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
    """The tag of each element, see `codes_of`."""
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
    will show it too, to readers who pay or unfold. So is what it has for readers without scripts. What it hides
    elsewhere are boxes and menus.
    """
    muted = roles & _MUTE != 0
    hidden = list(_hidden(elements))
    in_body = nesting.inside(are(codes, "article", "main")) if hidden else muted
    without_scripts = are(codes, "noscript").nonzero()[0]
    muted[[number for number in hidden if not in_body[number]]] = True
    muted[without_scripts] = False
    revealed = ~nesting.inside(muted)
    muted[hidden] = True
    muted[without_scripts] = True
    shown = ~nesting.inside(muted)
    found = _visible_texts(elements, nesting, roles, shown)
    if (revealed != shown).any():
        held_back = (revealed & ~shown).nonzero()[0].tolist()
        running = sum(_running_chars(elements[n].text or "") for n in held_back if not roles[n] & _LINK)
        if running and running > sum(map(_running_chars, found[0])):
            return revealed, _visible_texts(elements, nesting, roles, revealed)
    return shown, found


def _running_chars(text: str) -> int:
    """Return the length of a text, or 0 if it is short enough to be a label."""
    return len(text) if len(text) > _LABEL_CHARS and not text.isspace() else 0


def _hidden(elements: list[HtmlElement]) -> Iterator[int]:
    """Yield the elements that the page hides, some of them twice."""
    # Strings that know their elements.
    styles, hidden = (cast("list[Any]", path(elements[0])) for path in (_STYLES, _HIDDEN))
    for attributes in ([style for style in styles if hides(style)], hidden):
        place = 0
        for attribute in attributes:
            element = attribute.getparent()
            place = elements.index(element, place)  # they come in the order of the page
            if is_hidden(element, element.tag):
                yield place


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
