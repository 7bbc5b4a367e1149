"""Find the headline on the page, and remove what the site adds to its titles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.outline import names_of
from newsextract.page.text import letters_of, words
from newsextract.page.urls import split_url
from newsextract.reading.metadata.comparing import MAX_INNER, RAW_RATIO, agreement, agrees, fold, visible_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Outline


# Remove what a site adds to its titles: its name or section, before or after a dash or a bar.
#
# A part of a title is removed only on evidence: it is the site's name by the page or by the domain, or other titles of
# the site have it too, or the rest is word for word a headline elsewhere on the page. A title that is a whole heading
# loses only the site's exact name at its end.

_SIGNS = r"[|│¦‖·•>/~—–−☆★⋆♥-]{1,5}|::|//"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PLAIN = (
    rf"\s(?:{_SIGNS})\s|\s?[|｜]\s?|(?<=\S)\s?[-–—:]\s(?=\S)|(?<=\S)\s[-–—:](?=\S)|："
    rf"|(?<=[{_CJK}\uff00-\uffef])(?<![-_—–])[-_—–]{{1,3}}|(?<![-_—–])[-_—–]{{1,3}}(?=[{_CJK}])"
)
_WITH_ARROWS = rf"\s[«»‹›]\s|{_PLAIN}"

_COMMON_LABELS = frozenset("www m mobile amp web blog blogs news edition en de fr es archive com co org net".split())
_MIN_CHARS = 4
"""Shorter names must equal a part: many words contain any three letters."""
_MIN_SHARE = 0.5
"""A name must be a larger share of a part than this if the part has more words: `La Stampa online`."""
_MAX_NAME_WORDS = 8
"""Longer parts are not a site's name, whatever they mention."""


@dataclass(frozen=True, slots=True)
class TitleParts:
    """The parts of a title; part i is `title[starts[i]:stops[i]]`."""

    title: str
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    behind_colon: tuple[bool, ...]
    """Whether each part comes after a colon."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        return self.title[self.starts[number] : self.stops[number]]

    def span(self, first: int, last: int) -> str:
        """Return the title from part `first` up to part `last`, which is not included."""
        return self.title[self.starts[first] : self.stops[last - 1]]

    @property
    def keys(self) -> list[str]:
        """The parts as `letters_of`, to compare with names."""
        return [letters_of(self[number]) for number in range(len(self))]


def split_title(title: str) -> TitleParts:
    """Return the parts of a title; arrows separate them unless they are quotation marks.

    >>> split_title("Rain in Spain | The Plain").keys, len(split_title("Il pleut « partout » - Plaine"))
    (['raininspain', 'theplain'], 2)
    """
    is_quoted = "«" in title and "»" in title
    cuts = [
        cut
        for cut in re.finditer(_PLAIN if is_quoted else _WITH_ARROWS, title)
        if title[: cut.start()].strip() and title[cut.end() :].strip()
    ]
    colons = (False, *(cut[0].strip() in (":", "：") for cut in cuts))
    starts = (0, *(cut.end() for cut in cuts))
    return TitleParts(title, starts, (*(cut.start() for cut in cuts), len(title)), colons)


def site_keys(names: Iterable[str], url: str | None) -> frozenset[str]:
    """Return the names of a site as `letters_of`, to compare with parts of titles.

    >>> sorted(site_keys(["La Stampa", "@lastampa"], "https://www.lastampa.it/a"))
    ['lastampa', 'lastampait']
    """
    keys = {letters_of(name) for name in names if len(name.split()) <= _MAX_NAME_WORDS}
    return frozenset(filter(None, keys | _host_keys(url or "")))


@lru_cache(maxsize=512)
def _host_keys(url: str) -> frozenset[str]:
    labels = (split_url(url).hostname or "").split(".")
    own = [label for label in labels[:-1] if label not in _COMMON_LABELS]
    whole = ".".join(labels).removeprefix("www.")
    return frozenset(letters_of(text) for text in (*own, whole) if len(text) > 1)


def without_affixes(title: str, keys: Collection[str], confirmed: Collection[tuple[str, ...]] = ()) -> str:
    """Return the headline in a title; `confirmed` has the words of headlines elsewhere on the page.

    >>> without_affixes("Polar storm - Rome shivers - La Stampa", {"lastampa"})
    'Polar storm - Rome shivers'
    >>> without_affixes("Rain: what to do | News", (), {("rain", "what", "to", "do")})
    'Rain: what to do'
    >>> without_affixes("Time - a short history", {"time"}, {("time", "a", "short", "history")})
    'Time - a short history'
    """
    parts = split_title(title)
    if len(parts) == 1:
        return title
    if words_of(title) in confirmed:  # it is a whole heading: only a site's exact name is removed from its end
        is_named = parts.keys[-1] in keys and not parts.behind_colon[-1]
        return parts.span(0, len(parts) - 1) if is_named else title
    for begin, end in _spans(len(parts)):
        if words_of(parts.span(begin, end)) in confirmed:
            return parts.span(begin, end)
    return parts.span(*_without_site(parts, keys))


def begins_with(title: str, heading: str) -> bool:
    """Return whether a heading is the first of two parts of a title, so that the other is the site's name.

    >>> begins_with("Rain | Plain", "Rain"), begins_with("Rain: what to do", "Rain"), begins_with("Why | Rain", "Rain")
    (True, False, False)
    """
    parts = split_title(title)
    return len(parts) == 2 and not parts.behind_colon[1] and words_of(parts[0]) == words_of(heading)


def _without_site(parts: TitleParts, keys: Collection[str]) -> tuple[int, int]:
    """Return the range of parts without the site's names: after the leading ones, up to the first one after these.

    Before the headline only the exact name counts, and before a colon only one of several words: "Time: a history".
    """
    names = parts.keys
    first = 0
    while first < len(parts) - 1 and names[first] in keys:
        if parts.behind_colon[first + 1] and " " not in parts[first].strip():
            break
        first += 1
    for number in range(first + 1, len(parts)):
        if not parts.behind_colon[number] and _is_site(parts[number], keys):
            return first, number
    return first, len(parts)


def _spans(count: int) -> Iterable[tuple[int, int]]:
    """Yield the ranges of parts that include the first or the last part, the longest first."""
    for size in range(count - 1, 0, -1):
        yield 0, size
        yield count - size, count


def _is_site(part: str, keys: Collection[str]) -> bool:
    key = letters_of(part)
    if not key or len(part.split()) > _MAX_NAME_WORDS:
        return False
    if key in keys or _initials(part) in keys:
        return True
    return any(_contains(key, name) or _contains(name, key) for name in keys)


def _contains(outer: str, inner: str) -> bool:
    return len(inner) >= _MIN_CHARS and inner in outer and len(inner) > _MIN_SHARE * len(outer)


def _initials(part: str) -> str:
    parts = part.split()
    return "".join(word[0] for word in parts).casefold() if len(parts) > 1 else ""


@lru_cache(maxsize=512)
def words_of(title: str) -> tuple[str, ...]:
    """Return the words of a title, lower-cased, to compare titles."""
    return tuple(words(title.casefold()))


# Find the headline's place on the page, its text, and the texts around it.

_MIN_CONFIRMED_WORDS = 2
"""A single word of the title is more often the site's name than a headline."""

_MIN_LONE_WORDS = 4
"""The only heading, if this long, is the headline even if the titles, written for search engines, differ."""

_BLOCKS_BEFORE, _BLOCKS_AFTER = 4, 12
"""Blocks around the headline that hold its date and byline: in three corpora, four in five dates within this distance
are the article's, and one in three beyond it."""


MIN_STORY_CHARS = 200
"""A paragraph of a story; shorter texts are teasers and labels."""

_MIN_TITLE_CHARS = 12
_LOWER_HEADINGS = frozenset(("h2", "h3", "h4"))
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
    """The headline on the page: its text, and its blocks (`first` to `stop` - 1)."""

    text: str
    first: int
    stop: int


def best_heading(outline: Outline, headings: Sequence[tuple[int, str]], titles: Sequence[str]) -> Heading | None:
    """Return the heading that has most of the titles' words, else the only heading if it is long enough, else `None`.

    `headings` are (element number, text). If no first-level heading agrees, a block is taken that is most of a title,
    word for word; the last choice is a lower heading that begins a title.
    """
    chosen = choose([text for _, text in headings], titles)
    if chosen is not None:
        return _placed(outline, *headings[chosen])
    if place := _block_of(outline, titles):
        return place
    if len(headings) == 1 and _words_in(headings[0][1]) >= _MIN_LONE_WORDS:
        return _placed(outline, *headings[0])
    return _lower_heading(outline, titles)


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
    long = np.flatnonzero(lengths >= MIN_STORY_CHARS)
    return Heading("", int(long[0]), int(long[0])) if len(long) else None


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


def elements_near(outline: Outline, heading: Heading, blocks: int) -> range:
    """Return the numbers of the elements that begin up to `blocks` after the headline, or a third of that before."""
    starts = outline.table.starts
    first = starts[max(heading.first - blocks // 3, 0)] if len(starts) else 0
    last = starts[min(heading.stop + blocks, len(starts) - 1)] if len(starts) else 0
    begin, end = np.searchsorted(outline.arrays.run_starts, (first, last), side="left")
    return range(int(begin), int(end))


def _placed(outline: Outline, number: int, text: str) -> Heading:
    starts = outline.table.starts
    first = int(np.searchsorted(starts, outline.run_starts[number], side="right")) - 1
    stop = int(np.searchsorted(starts, outline.run_stops[number], side="left"))
    return Heading(text, max(first, 0), max(stop, first + 1))


def _block_of(outline: Outline, titles: Sequence[str]) -> Heading | None:
    """Return the longest block that is most of a title, or `None`."""
    texts = outline.table.texts[:_MAX_BLOCKS]
    lower = [title.casefold() for title in titles]
    longest = max(map(len, lower), default=0)
    inside = [
        (len(text), -number)
        for number, text in enumerate(texts)
        if _MIN_TITLE_CHARS <= len(text) <= longest
        and any(len(text) * 2 >= len(title) >= len(text) and text.casefold() in title for title in lower)
    ]
    if not inside:
        return None
    number = -max(inside)[1]
    return Heading(texts[number], number, number + 1)


def _lower_heading(outline: Outline, titles: Sequence[str]) -> Heading | None:
    """Return the first lower heading above the story that begins a title, before what the site adds, or `None`."""
    beginnings = {
        beginning.strip().casefold()
        for parts in map(split_title, titles)
        for stop in range(1, len(parts))
        if not parts.behind_colon[stop] and len(beginning := parts.span(0, stop)) >= _MIN_TITLE_CHARS
    }
    story = start_of_story(outline) if beginnings else None
    table = outline.table
    for number, text in enumerate(table.texts[: story.first] if story else ()):
        if text.casefold() in beginnings and outline.tags[table.owners[number]] in _LOWER_HEADINGS:
            return Heading(text, number, number + 1)
    return None


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
        is_named_aside = child.attrib and _ASIDE.search(names_of(child).lower())
        if isinstance(child.tag, str) and child.tag not in _ASIDE_TAGS and not is_named_aside:
            if child.tag == "br":
                yield " "
            yield from _own_texts(child, budget, depth + 1)
        if child.tail:
            yield child.tail
