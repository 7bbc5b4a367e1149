"""The videos, recordings and embeds of an article: those among its kept blocks, and those that lead it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from newsextract.article_parts import Audio, Embed, Video
from newsextract.page.blocks import Inherited, nearest
from newsextract.page.embeds import (
    CUSTOM_ELEMENTS,
    Posts,
    author_in,
    custom_element_url,
    media_key,
    player_page,
    provider_of,
    read_frame,
    web_url,
)
from newsextract.page.links import absolute_url
from newsextract.page.outline import is_for_screen_readers, is_hidden, names_of, translation
from newsextract.page.urls import same_owner

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block, Outline


# The images of an article: those among its kept blocks.

MIN_PIXELS = 50
"""An image declared narrower or lower than this is an icon, a spacer or a counter."""

_ADDRESSES = ("data-src", "data-original", "data-lazy-src", "src")
"""Attributes that hold an image's URL, in order of preference: lazy loaders put a placeholder into `src`."""
_ADDRESS_SETS = ("srcset", "data-srcset")
_PAID_LINKS = frozenset(("nofollow", "sponsored"))
"""Values of `rel` by which a page says that it does not vouch for a link."""
_SHOWN_IN_FIGURES = ("blockquote", "pre", "table")


@dataclass(frozen=True, slots=True)
class BlockImage:
    """An image of the article: its place (the run that follows it), its URL and its captions."""

    place: int
    element: int
    url: str
    alt: str = ""
    figure: int = -1
    captions: tuple[Block, ...] = ()


def images_among(blocks: Sequence[Block], surroundings: Surroundings | None = None) -> list[BlockImage]:
    """Return the images between the first and the last block whose surroundings hold one of the blocks.

    An image may lead the first block, or follow the last, with no more than its caption in between.
    """
    outline = blocks[0].outline
    images = outline.tagged("img")
    if not images:
        return []
    surroundings = surroundings or Surroundings(outline, blocks)
    found: dict[str, BlockImage] = {}
    for element in images:
        frame = surroundings.frame(element)
        if outline.run_starts[frame] <= blocks[-1].stop and blocks[0].start <= outline.run_stops[frame]:
            image = _image_at(outline, element, surroundings)
            is_behind = outline.run_starts[frame] >= blocks[-1].stop
            if image and surroundings.has_kept(frame) and not (is_behind and surroundings.leads_away(image)):
                found.setdefault(image.url, image)
    return sorted(found.values(), key=lambda image: image.place)


def caption_figures(outline: Outline) -> Inherited[int]:
    """Return, for each element, the figure whose caption a text in it is, or -1.

    A quote, a table or code in a figure is what the figure shows.
    """

    def step(around: int, element: int) -> int:
        tag = outline.tags[element]
        return element if tag == "figure" else -1 if tag in _SHOWN_IN_FIGURES else around

    return Inherited(outline, -1, step)


class Surroundings:
    """The figures around images, their captions, and whether text near them is kept."""

    def __init__(self, outline: Outline, blocks: Sequence[Block]) -> None:
        self.outline = outline
        self.kept = [block.start for block in blocks]
        self.figures = nearest(outline, "figure")
        self.links = nearest(outline, "a")
        self.captioned = caption_figures(outline)
        self.wider = Inherited(outline, -1, self._wider)

    def frame(self, image: int) -> int:
        """Return the figure of an image, or the image."""
        figure = self.figures.of(image)
        return figure if figure >= 0 else image

    def captions(self, figure: int) -> tuple[Block, ...]:
        """Return the blocks of a figure that tell of its picture, and are not in a figure inside it."""
        starts, owners = self.outline.table.starts, self.outline.table.owners
        first, last = starts.searchsorted(self._span(figure)).tolist()
        inside = zip(range(first, last), owners[first:last].tolist(), strict=True)
        return self.outline.blocks_at(
            number for number, owner in inside if self.captioned.of(owner) == figure and self._is_shown(owner)
        )

    def _is_shown(self, owner: int) -> bool:
        """Tell whether readers see a caption: no button ("View image in fullscreen"), nor a class that hides it."""
        return self.outline.tags[owner] != "button" and not is_for_screen_readers(self.outline.elements[owner])

    def has_kept(self, frame: int) -> bool:
        """Tell whether a caption is kept, or any text in the smallest element around the frame that has other text."""
        return self._is_kept(frame) or self._is_kept(self.wider.of(frame))

    def leads_away(self, image: BlockImage) -> bool:
        """Tell whether an image without a caption is a link to another site: behind the text, an advert or a button."""
        link = self.links.of(image.element)
        if link < 0 or image.captions:
            return False
        anchor, page = self.outline.elements[link], self.outline.base_url
        url = absolute_url(page, anchor.get("href", ""))
        if url is None or same_owner(url, page or ""):
            return False
        is_paid = not _PAID_LINKS.isdisjoint(anchor.get("rel", "").lower().split())
        return is_paid or (page is not None and not same_owner(url, image.url))

    def _is_kept(self, element: int) -> bool:
        if element < 0:
            return False
        start, stop = self._span(element)
        first = bisect_left(self.kept, start)
        return first < len(self.kept) and self.kept[first] < stop

    def _wider(self, around: int, element: int) -> int:
        parent = self.outline.parents[element]
        return parent if parent >= 0 and self._span(parent) != self._span(element) else around

    def _span(self, element: int) -> tuple[int, int]:
        return self.outline.run_starts[element], self.outline.run_stops[element]


def _image_at(outline: Outline, element: int, surroundings: Surroundings) -> BlockImage | None:
    image = outline.elements[element]
    if is_small(image) or is_hidden(image, "img") or not (url := next(_addresses(outline, image), None)):
        return None
    figure = surroundings.figures.of(element)
    captions = surroundings.captions(figure) if figure >= 0 else ()
    place = outline.run_starts[figure if captions else element]
    return BlockImage(place, element, url, " ".join(image.get("alt", "").split()), figure, captions)


def is_small(image: HtmlElement) -> bool:
    """Tell whether an image or a frame is declared narrower or lower than `MIN_PIXELS`."""
    sizes = (image.get(side, "").strip().removesuffix("px") for side in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < MIN_PIXELS for size in sizes)


def _addresses(outline: Outline, image: HtmlElement) -> Iterator[str]:
    candidates = [image.get(name, "") for name in _ADDRESSES]
    candidates += [next(iter(image.get(name, "").split(None, 1)), "").rstrip(",") for name in _ADDRESS_SETS]
    for candidate in filter(str.strip, candidates):
        url = absolute_url(outline.base_url, candidate)
        if url and not url.startswith("mailto:"):
            yield url


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
    url = next(_source_urls(el, base), None) or sources.of(number)
    if url is None:
        return None
    if _PLAYERS[outline.tags[number]] is Audio:
        return Audio(player_page(url), None, _name(el))
    return Video(player_page(url), None, _name(el), web_url(base, el.get("poster", "")))


def _frame(outline: Outline, number: int) -> Medium | None:
    el = outline.elements[number]
    source = next(_source_urls(el, outline.base_url), None)
    if source is None or source == outline.base_url:
        return None
    is_framed = any("fullscreen" in str(name) for name in el.attrib)
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


def _source_urls(el: HtmlElement, base: str | None) -> Iterator[str]:
    """Yield the URLs of a frame or player: lazy loaders put a placeholder into `src`."""
    lazy = (str(value) for name, value in el.attrib.items() if _LAZY.search(str(name)))
    for text in (*lazy, el.get("src", ""), el.get("data", "")):
        if url := web_url(base, text.strip()):
            yield url


def _name(el: HtmlElement) -> str | None:
    """Return the title of a frame, unless it only names the player."""
    title = " ".join((el.get("title") or el.get("aria-label") or "")[:_MAX_NAME_CHARS].split())
    return title if title and not _NAMELESS.search(title) else None


# The images, videos, recordings and embeds among the blocks of an article, found once for all that show them.


@dataclass(frozen=True, slots=True)
class Illustrations:
    """What is shown among the blocks of one page besides their text."""

    outline: Outline | None = None
    """That of the page; `None` if there are no blocks."""
    images: Sequence[BlockImage] = ()
    media: Sequence[BlockMedium] = ()

    def outside(self, elements: Collection[HtmlElement]) -> Illustrations:
        """Return the illustrations that are in none of these elements of the page."""
        outline = self.outline
        if outline is None or not elements:
            return self

        def is_outside(number: int) -> bool:
            return all(outline.elements[each] not in elements for each in outline.lineage(number))

        images = [image for image in self.images if is_outside(image.element)]
        return Illustrations(outline, images, [medium for medium in self.media if is_outside(medium.element)])


def illustrations_among(blocks: Sequence[Block]) -> Illustrations:
    """Return the illustrations among the blocks of one page."""
    if not blocks:
        return Illustrations()
    outline = blocks[0].outline
    surroundings = Surroundings(outline, blocks)
    return Illustrations(outline, images_among(blocks, surroundings), media_among(blocks, surroundings))
