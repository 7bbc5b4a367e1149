"""The videos, recordings and embeds of an article: those among its kept blocks, and those that lead it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from newsextract.article_parts import Audio, Embed, Video
from newsextract.page.ancestry import Inherited
from newsextract.page.block_images import Surroundings, is_small
from newsextract.page.html_elements import is_hidden, names_of
from newsextract.page.media.embedded_posts import Posts, author_in
from newsextract.page.media.frame_urls import (
    CUSTOM_ELEMENTS,
    custom_element_url,
    media_key,
    player_page,
    provider_of,
    read_frame,
    web_url,
)
from newsextract.page.tag_codes import translation
from newsextract.page.urls.registrable_domains import same_owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block, Outline

Medium: TypeAlias = Video | Audio | Embed
_M = TypeVar("_M", bound=Medium)

MAX_MEDIA = 100
"""Kept of one page: one with more is a list of videos."""

_PLAYERS = {"video": Video, "amp-video": Video, "audio": Audio, "amp-audio": Audio}
_FRAMES = frozenset(("iframe", "amp-iframe", "embed", "object"))
_TAGS = frozenset((*_PLAYERS, *_FRAMES, *CUSTOM_ELEMENTS, "blockquote"))
_CANDIDATES = translation({tag: 1 for tag in _TAGS if "-" not in tag})
_CANDIDATES[0] = 1  # custom elements have no codes
_BODIES = ("article", "main")
_WIDE = frozenset((*_BODIES, "section", "body", "html"))
_WRAPPERS = 3
"""Elements whose names are read: the frame and its nearest wrappers."""
_FRAMED = re.compile(r"encrypted-media|picture-in-picture|fullscreen")
"""What a page allows a frame that plays."""
_LAZY = re.compile(r"^data-(?:[\w-]+-)?(?:src|url)$")
_MAX_ATTRIBUTES = 50
_NAMELESS = re.compile(r"player|embed|i?frame|content|widget|^video$|youtube|vimeo|\bpost\b", re.IGNORECASE)
"""Titles of frames that name the player, not what it plays."""
_MAX_NAME_CHARS = 300
_LEAD_RUNS = 25
"""Texts between a video that leads the article and the body: headline, byline, date, buttons."""


@dataclass(frozen=True, slots=True)
class BlockMedium:
    """What an element shows, and the place of the element: the run that follows it."""

    place: int
    element: int
    item: Medium


def media_among(blocks: Sequence[Block], surroundings: Surroundings | None = None) -> list[BlockMedium]:
    """Return what is shown between the first and the last block near one of them, each once, in the order of the page.

    A frame may lead the first block with no more than a byline and the like in between, or directly follow the last.
    """
    outline = blocks[0].outline
    elements = _elements(outline)
    if not elements:
        return []
    place = _Place(blocks, surroundings or Surroundings(outline, blocks))
    found: dict[str, BlockMedium] = {}
    for medium in islice(_media(outline, elements, place), 2 * MAX_MEDIA):
        key = media_key(medium.item.url)
        known = found.setdefault(key, medium)
        if known is not medium and type(known.item) is type(medium.item):
            found[key] = replace(known, item=completed(known.item, medium.item))
    return sorted(found.values(), key=lambda medium: medium.place)[:MAX_MEDIA]


def completed(item: _M, other: _M) -> _M:
    """Return an item with what only another of the same kind says about it."""
    names = [name for name in type(item).__dataclass_fields__ if getattr(item, name) is None]
    return replace(item, **{name: getattr(other, name) for name in names})


class _Place:
    """Tells which elements are among the blocks of an article."""

    def __init__(self, blocks: Sequence[Block], surroundings: Surroundings) -> None:
        self.outline = outline = surroundings.outline
        self.first, self.last = blocks[0].start, blocks[-1].stop
        self.surroundings = surroundings
        self.articles = Inherited(outline, -1, lambda around, el: el if outline.tags[el] in _BODIES else around)

    def has(self, element: int) -> bool:
        """Tell whether an element is between the blocks, or leads them."""
        frame = self.surroundings.frame(element)
        start, stop = self.outline.runs_of(frame)
        if start > self.last:
            return False
        if self.first <= stop:
            return self.surroundings.has_kept(frame)
        return self.first - stop <= _LEAD_RUNS and self._is_in_article(frame)

    def _is_in_article(self, element: int) -> bool:
        around = self.articles.of(element)
        return around >= 0 and self.first < self.outline.run_stops[around]


def _elements(outline: Outline) -> list[int]:
    """Return the elements of a page that may show something, in its order."""
    candidates: list[int] = _CANDIDATES[outline.arrays.codes].nonzero()[0].tolist()
    return [number for number in candidates if outline.tags[number] in _TAGS]


def _media(outline: Outline, elements: Sequence[int], place: _Place) -> Iterator[BlockMedium]:
    """Yield what those of the elements that are among the blocks show."""
    posts, sources, reached = Posts(outline), _Sources(outline), 0
    for number in elements:
        if number < reached or not place.has(number):
            continue
        item = posts.read(number) if outline.tags[number] == "blockquote" else _shown(outline, number, sources)
        if item is not None:
            reached = outline.stops[number]
            yield BlockMedium(outline.run_starts[number], number, item)


class _Sources:
    """The `source` elements of players."""

    def __init__(self, outline: Outline) -> None:
        self.numbers = outline.tagged("source")
        self.outline = outline

    def of(self, element: int) -> str | None:
        """Return the first URL among the sources inside an element."""
        first = bisect_left(self.numbers, element)
        for number in self.numbers[first : first + MAX_MEDIA // 10]:
            if number >= self.outline.stops[element]:
                return None
            if url := web_url(self.outline.base_url, self.outline.elements[number].get("src", "")):
                return url
        return None


def _shown(outline: Outline, number: int, sources: _Sources) -> Medium | None:
    tag, el = outline.tags[number], outline.elements[number]
    if is_small(el) or is_hidden(el, tag):
        return None
    if tag in CUSTOM_ELEMENTS:
        url = custom_element_url(tag, el.get(CUSTOM_ELEMENTS[tag][0], ""))
        return _custom(tag, url, el, outline.base_url) if url else None
    return _player(outline, number, sources) if tag in _PLAYERS else _frame(outline, number)


def _custom(tag: str, url: str, el: HtmlElement, base: str | None) -> Medium:
    if "twitter" in tag or "instagram" in tag:
        return Embed(url, provider_of(url))
    return Video(url, None, _name(el), web_url(base, el.get("data-thumbnail", "")))


def _player(outline: Outline, number: int, sources: _Sources) -> Medium | None:
    """Return what a player of HTML plays, from its first source on the web."""
    el, base = outline.elements[number], outline.base_url
    url = next(_addresses(el, base), None) or sources.of(number)
    if url is None:
        return None
    if _PLAYERS[outline.tags[number]] is Audio:
        return Audio(player_page(url), None, _name(el))
    return Video(player_page(url), None, _name(el), web_url(base, el.get("poster", "")))


def _frame(outline: Outline, number: int) -> Medium | None:
    el = outline.elements[number]
    source = next(_addresses(el, outline.base_url), None)
    if source is None or source == outline.base_url:
        return None
    is_framed = any("fullscreen" in name for name in islice(map(str, el.attrib), _MAX_ATTRIBUTES))
    is_framed = is_framed or _FRAMED.search(el.get("allow", "")) is not None
    is_own = same_owner(source, outline.base_url or "")
    shown = read_frame(source, _names(outline, number), is_framed=is_framed, is_own=is_own)
    if shown is None:
        return None
    embed_url = shown.source if shown.source != shown.url else None
    name = _name(el)
    if shown.kind == "embed":
        return Embed(shown.url, provider_of(shown.url), author_in(shown.url), name=name)
    return Video(shown.url, embed_url, name) if shown.kind == "video" else Audio(shown.url, embed_url, name)


def _names(outline: Outline, number: int) -> str:
    """Return how a frame and its nearest wrappers are called."""
    el = outline.elements[number]
    names = [el.get("title", ""), el.get("aria-label", ""), el.get("name", "")]
    for around in islice(outline.lineage(number), _WRAPPERS):
        if outline.tags[around] in _WIDE:
            break
        names.append(names_of(outline.elements[around]))
    return " ".join(name[:_MAX_NAME_CHARS] for name in names)


def _addresses(el: HtmlElement, base: str | None) -> Iterator[str]:
    """Yield the URLs of a frame or player: lazy loaders put a placeholder into `src`."""
    lazy = (str(value) for name, value in islice(el.attrib.items(), _MAX_ATTRIBUTES) if _LAZY.search(str(name)))
    for text in (*lazy, el.get("src", ""), el.get("data", "")):
        if url := web_url(base, text.strip()):
            yield url


def _name(el: HtmlElement) -> str | None:
    """Return the title of a frame, unless it only names the player."""
    title = " ".join((el.get("title") or el.get("aria-label") or "")[:_MAX_NAME_CHARS].split())
    return title if title and not _NAMELESS.search(title) else None
