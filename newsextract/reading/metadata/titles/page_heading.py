"""Find the headline's place on the page, its text, and the texts around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.html_elements import names_of
from newsextract.page.words import words
from newsextract.reading.metadata.text_folding import MAX_INNER, RAW_RATIO, agreement, agrees, fold, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Outline

_MIN_CONFIRMED_WORDS = 2
"""A single word of the title is more often the site's name than a headline."""

_MIN_LONE_WORDS = 4
"""The only heading, if this long, is the headline even if the titles, written for search engines, differ."""

_BLOCKS_BEFORE, _BLOCKS_AFTER = 4, 12
"""Blocks around the headline that hold its date and byline: in three corpora, four in five dates within this distance
are the article's, and one in three beyond it."""


_MIN_STORY_CHARS = 200
"""A paragraph of a story; shorter texts are teasers and labels."""

_MIN_TITLE_CHARS = 12
_MAX_BLOCKS = 500
"""Blocks searched for a headline that is not a first-level heading."""

_ASIDE = re.compile(
    r"kicker|top-?line|over-?line|roof-?line|dachzeile|spitzmarke|eyebrow|pre-?(?:title|headline|heading)|super-?title"
    r"|supra-?title|ante-?titulo|sub-?(?:title|line|head)|intro|deck|rubri[ck]|category|section|label|badge|sr-only"
    r"|visually-?hidden|screen-?reader|prefix|suffix|author|date|meta|\btag\b|flag|volanta|sobretitulo|occhiello"
)
"""Class names of the lines around a headline, and of texts for screen readers only; in lower case, as ignoring it in a
pattern is slow."""
_ASIDE_TAGS = frozenset(("small", "time", "rt", "rp", "button", "script", "style", "svg", "noscript"))
_MIN_LEFT_WORDS = 2
"""The rest must still be a headline; else the names mean something else."""
_MIN_LEFT_CHARS = 4
"""The same in characters, for scripts without spaces."""
_MAX_DEPTH = 20
_SEPARATORS = " :|/–—-·•"
"""Remains of the separator between a kicker and its headline."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The headline on the page: its text, whether a title confirms it, and its blocks (`first` to `stop` - 1)."""

    text: str
    is_confirmed: bool
    first: int
    stop: int


def best_heading(outline: Outline, headings: Sequence[tuple[int, str]], titles: Sequence[str]) -> Heading | None:
    """Return the heading that has most of the titles' words, else the only heading if it is long enough, else `None`.

    `headings` are (element number, text). If no first-level heading agrees, a block is taken that is most of a title,
    word for word.
    """
    chosen = choose([text for _, text in headings], titles)
    if chosen is not None:
        return _placed(outline, *headings[chosen], is_confirmed=True)
    if place := _block_of(outline, titles):
        return place
    if len(headings) == 1 and _words_in(headings[0][1]) >= _MIN_LONE_WORDS:
        return _placed(outline, *headings[0], is_confirmed=False)
    return None


def choose(headings: Sequence[str], titles: Sequence[str]) -> int | None:
    """Return the index of the heading that has most of the titles' words, or `None` if none agrees.

    >>> choose(["The Daily Plain", "Rain in Spain"], ["Rain in Spain | The Daily Plain"])
    1
    """
    scored = [
        (agreement(title, heading), title.startswith(heading), number)
        for number, heading in enumerate(headings)
        for title in titles
        if agrees(heading, title) and _words_in(heading) >= min(_MIN_CONFIRMED_WORDS, _words_in(title))
    ]
    # Sites put their own name last. max keeps the first of equals, which is higher on the page.
    return max(scored, key=itemgetter(0, 1))[2] if scored else None


def _words_in(text: str) -> int:
    """Return how many words a text has; in a script without spaces, three characters are about one.

    >>> _words_in("Rain in Spain"), _words_in("大桥出现裂缝")
    (3, 2)
    """
    return max(len(text.split()), len(words(text)) // 3)


def start_of_story(outline: Outline) -> Heading | None:
    """Return the place right before the page's first long paragraph, as an empty heading, or `None` if it has none."""
    table = outline.table
    lengths = np.fromiter(map(len, table.texts), np.intp, len(table.texts)) - 2 * table.link_chars
    long = np.flatnonzero(lengths >= _MIN_STORY_CHARS)
    return Heading("", False, int(long[0]), int(long[0])) if len(long) else None


def places_near(outline: Outline, heading: Heading) -> list[tuple[int, int]]:
    """Return (distance, number) of the blocks around the headline, the nearest first."""
    count = len(outline.table.texts)
    found: list[tuple[int, int]] = []
    for distance in range(1, _BLOCKS_AFTER + 1):
        after, before = heading.stop - 1 + distance, heading.first - distance
        if after < count:
            found.append((distance, after))
        if distance <= _BLOCKS_BEFORE and before >= 0:
            found.append((-distance, before))
    return found


def distance_to(outline: Outline, heading: Heading, element: int) -> int:
    """Return the distance in blocks from the headline to an element: negative above it, 0 inside."""
    place = int(np.searchsorted(outline.table.starts, outline.run_starts[element], side="left"))
    if place < heading.first:
        return place - heading.first
    return max(place - heading.stop + 1, 0)


def elements_near(outline: Outline, heading: Heading, blocks: int) -> list[HtmlElement]:
    """Return the elements that begin near the headline: up to `blocks` after it, or a third of that before."""
    starts = outline.table.starts
    first = starts[max(heading.first - blocks // 3, 0)] if len(starts) else 0
    last = starts[min(heading.stop + blocks, len(starts) - 1)] if len(starts) else 0
    begin, end = np.searchsorted(outline.arrays.run_starts, (first, last), side="left")
    return outline.elements[int(begin) : int(end)]


def _placed(outline: Outline, number: int, text: str, *, is_confirmed: bool) -> Heading:
    starts = outline.table.starts
    first = int(np.searchsorted(starts, outline.run_starts[number], side="right")) - 1
    stop = int(np.searchsorted(starts, outline.run_stops[number], side="left"))
    return Heading(text, is_confirmed, max(first, 0), max(stop, first + 1))


def _block_of(outline: Outline, titles: Sequence[str]) -> Heading | None:
    """Return the longest block that is most of a title, or `None`."""
    texts = outline.table.texts[:_MAX_BLOCKS]
    lower = [title.casefold() for title in titles]
    longest = max(map(len, lower), default=0)
    inside = [
        (len(text), -number)
        for number, text in enumerate(texts)
        if _MIN_TITLE_CHARS <= len(text) <= longest and _is_most_of_any(text.casefold(), lower)
    ]
    if not inside:
        return None
    number = -max(inside)[1]
    return Heading(texts[number], True, number, number + 1)


def _is_most_of_any(text: str, titles: Sequence[str]) -> bool:
    return any(len(text) * 2 >= len(title) >= len(text) and text in title for title in titles)


def heading_text(el: HtmlElement, max_chars: int) -> str:
    """Return the headline in a heading, cut at `max_chars`."""
    own = fold("".join(_texts(el, max_chars)))[:max_chars].strip(_SEPARATORS)
    if len(el) == 0 or len(own.split()) >= _MIN_LEFT_WORDS or (len(own) >= _MIN_LEFT_CHARS and not own.isascii()):
        return own
    return visible_text(el, max_chars, separator=" ")[:max_chars]


def _texts(el: HtmlElement, max_chars: int) -> Iterator[str]:
    """Yield the texts that are not aside, with a space where two would run together."""
    length = 0
    last = ""
    for text in _own_texts(el, iter(range(MAX_INNER))):
        if length > max_chars:
            return
        if last[-1:].islower() and text[:1].isupper():
            yield " "  # two visible lines that only their elements separate
        last = text
        length += len(text)
        yield text[: max_chars * RAW_RATIO]


def _own_texts(el: HtmlElement, budget: Iterator[int], depth: int = 0) -> Iterator[str]:
    """Yield the texts that are not aside; each element visited takes one from the budget."""
    if depth > _MAX_DEPTH:
        return  # a heading that is never closed contains the page
    if el.text:
        yield el.text
    for child, _ in zip(el, budget, strict=False):
        if isinstance(child.tag, str) and not _is_aside(child):
            if child.tag == "br":
                yield " "
            yield from _own_texts(child, budget, depth + 1)
        if child.tail:
            yield child.tail


def _is_aside(el: HtmlElement) -> bool:
    if el.tag in _ASIDE_TAGS:
        return True
    return bool(el.attrib) and _ASIDE.search(names_of(el).lower()) is not None
