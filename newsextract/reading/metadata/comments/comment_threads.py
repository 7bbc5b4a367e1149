"""Find the comments of a page as elements: each with the part of the tree that is its own, and the one it answers.

No site's markup is known. Comments stand in a container that is named after them, in whatever language class names
are written, and each has one mark: a date, else an author. A comment is what surrounds its mark alone; with the
answers inside it, it is the widest element where its mark comes first and what follows it is built otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.page.html_elements import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.blocks import Outline

MAX_COMMENTS = 1_000
"""Comments read at most: pages show the first tens, and load the others."""

_WORDS = (
    r"comments?|commentlist|kommentare?r?n?|komment(?:it|ek|y)|comentario?s?|comentarii|commentaires?|commenti|commento"
    r"|komentarz[ey]|komentar[ie]?|komentarji|reacties?|reactions?|yorum(?:lar)?|opinie|leserbriefe?|leserkommentare?"
    r"|meinungen|diskussion(?:en)?|discussion|discussao|kommentti|binhluan|binh-luan|pinglun|liuyan|kommentarer"
    r"|replies|responses|respuestas|reponses|antworten|guestbook|otzyv[yi]?|kommenty|kommentarii|sxolia|nazarat|tabsire"
)
_CONTAINER = re.compile(
    rf"(?:^|[\s_-])(?:\w*-)?(?:{_WORDS})(?=$|[\s_\d-])|(?:user|article|post|news)comments?", re.IGNORECASE
)
_NO_CONTAINER = re.compile(
    r"form|count|button|link|respond\b|input|editor|(?:no|has|hide|show|allow|with)[-_]?comments?|policy|login|recent"
    r"|latest|comments?-(?:open|closed|on|off)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"date|datum|fecha|data(?:$|[\s_-])|timestamp|time(?!line|out)|(?:^|[\s_-])(?:ago|when|posted[-_]?on|age)(?=$|[\s_-])",
    re.IGNORECASE,
)
AUTHOR = re.compile(
    r"author|auteur|autore?(?=$|[\s_-])|verfasser|commenter|user-?name|nick(?:name)?|screen-?name|display-?name|poster"
    r"|(?:^|[\s_-])(?:fn|user|name|by|writer|creator|pseudo|avtor|yazar)(?=$|[\s_-])|comment(?:ator|[-_](?:name|user))",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(r"avatar|image|img|photo|pic|icon|badge|rank|title|level|bypost|reply", re.IGNORECASE)
_DATE_PROPERTIES = frozenset(("datecreated", "datepublished", "commenttime"))
_AUTHOR_PROPERTIES = frozenset(("author", "creator", "name"))
_PAGE_TAGS = frozenset(("html", "head", "body", "form", "script", "style", "input", "textarea", "button", "label"))
_MAX_LEVELS = 40
"""Elements between a date and the widest element of its comment, or that of the next one."""
_ROWS = frozenset(("li", "tr", "dd"))
"""Siblings of these tags are alike, whatever their classes."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment in the page: its element with all answers inside it, and the number of the one that it answers."""

    element: int
    mark: int
    """The element of its date or its author."""
    parent: int | None
    depth: int


def is_date(outline: Outline, element: int) -> bool:
    """Tell whether an element is a date by its tag, its names or its microdata."""
    el = outline.elements[element]
    if outline.tags[element] == "time" or el.get("itemprop", "").lower() in _DATE_PROPERTIES:
        return True
    return el.get("datetime") is not None or _DATE.search(names_of(el)) is not None


def is_author(outline: Outline, element: int) -> bool:
    """Tell whether an element is an author by its names or its microdata."""
    el = outline.elements[element]
    if el.get("itemprop", "").lower() in _AUTHOR_PROPERTIES:
        return True
    names = names_of(el)
    return AUTHOR.search(names) is not None and _NO_AUTHOR.search(names) is None


def threads_of(outline: Outline) -> list[Thread]:
    """Return the comments of the container with most of them, in the order of the page."""
    found = [list(_threads(outline, container)) for container in _containers(outline)]
    return max(found, key=len, default=[])


def _containers(outline: Outline) -> Iterator[int]:
    """Yield the outermost elements named after comments that have text."""
    reached = 0
    for number, (tag, el) in enumerate(zip(outline.tags, outline.elements, strict=True)):
        if number < reached or tag in _PAGE_TAGS or outline.run_starts[number] == outline.run_stops[number]:
            continue
        names = names_of(el)
        if _CONTAINER.search(names) and not _NO_CONTAINER.search(names):
            reached = outline.stops[number]
            yield number


def _threads(outline: Outline, container: int) -> Iterator[Thread]:
    marks = _marks(outline, container)
    units = [_unit(outline, marks, place, container) for place in range(len(marks))]
    open_threads: list[tuple[int, int]] = []
    for number, (unit, mark) in enumerate(zip(units, marks, strict=True)):
        while open_threads and outline.stops[units[open_threads[-1][0]]] <= unit:
            open_threads.pop()
        above = open_threads[-1] if open_threads and units[open_threads[-1][0]] < unit else None
        depth = above[1] + 1 if above else 0
        open_threads.append((number, depth))
        yield Thread(unit, mark, above[0] if above else None, depth)


def _marks(outline: Outline, container: int) -> list[int]:
    """Return the dates in a container, else its authors: those built like most, so that each comment has one."""
    inside = range(container + 1, outline.stops[container])
    # One name alone may be a button to follow the author.
    for is_mark, least in ((is_date, 1), (is_author, 2)):
        alike: dict[tuple[str, str], list[int]] = {}
        for number in inside:
            if is_mark(outline, number) and _has_words(outline, number):
                alike.setdefault(_build(outline, number), []).append(number)
        most = max(alike.values(), key=len, default=[])  # the first of equals
        if len(most) >= least:
            return _outermost(outline, most)[:MAX_COMMENTS]
    return []


def _has_words(outline: Outline, element: int) -> bool:
    has_text = outline.run_starts[element] < outline.run_stops[element]
    return has_text or outline.elements[element].get("datetime") is not None


def _build(outline: Outline, element: int) -> tuple[str, str]:
    """Return what marks of one kind have in common: their tag and class, and those of their parent."""
    parts = []
    for each in (element, outline.parents[element]):
        names = outline.elements[each].get("class", "")[:100].split()
        parts.append(f"{outline.tags[each]} {_DIGITS.sub('', names[0]) if names else ''}")
    return parts[0], parts[1]


def _outermost(outline: Outline, elements: Sequence[int]) -> list[int]:
    """Return the elements that are inside none of the others."""
    found: list[int] = []
    for element in elements:
        if not found or element >= outline.stops[found[-1]]:
            found.append(element)
    return found


def _unit(outline: Outline, marks: Sequence[int], place: int, container: int) -> int:
    """Return the element of a comment with its answers: see the head of this file."""
    unit = marks[place]
    for around in islice(outline.lineage(outline.parents[unit]), _MAX_LEVELS):
        if around <= container or bisect_left(marks, around) != place:
            return unit
        following = bisect_left(marks, outline.stops[unit])
        if following < len(marks) and marks[following] < outline.stops[around]:
            other = _child(outline, marks[following], around)
            if other is not None and _are_alike(outline, unit, other):
                return unit
        unit = around
    return unit


def _child(outline: Outline, element: int, around: int) -> int | None:
    """Return the child of an element that another element is in, unless that is too deep inside."""
    inner = islice(outline.lineage(element), _MAX_LEVELS)
    return next((each for each in inner if outline.parents[each] == around), None)


def _are_alike(outline: Outline, one: int, other: int) -> bool:
    """Tell whether two siblings look like two comments, and not like a comment and the list of its answers."""
    if outline.tags[one] != outline.tags[other]:
        return False
    first, second = (set(outline.elements[each].get("class", "")[:300].split()) for each in (one, other))
    return outline.tags[one] in _ROWS or not (first or second) or not first.isdisjoint(second)
