"""The images of an article: those among its kept blocks."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.ancestry import Inherited, Nowhere, nearest
from newsextract.page.html_elements import is_for_screen_readers, is_hidden
from newsextract.page.urls.page_links import absolute_url
from newsextract.page.urls.registrable_domains import same_owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block, Outline

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

    return Inherited(outline, -1, step) if "figure" in outline.tag_names else Nowhere(outline, -1, step)


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
