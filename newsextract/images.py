"""The images of an article: those that stand among its kept blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.blocks import Block, Outline

MIN_PIXELS = 50
"""An image declared narrower or lower than this is an icon, a spacer or a counter."""

_ADDRESSES = ("data-src", "data-original", "data-lazy-src", "src")
"""Attributes that hold an image's address; lazy loaders put a placeholder into `src`."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image of the article: where it stands (the run before which it comes), its address, its captions."""

    place: int
    element: int
    url: str
    alt: str = ""
    figure: int = -1
    captions: tuple[Block, ...] = ()


def images_among(blocks: Sequence[Block]) -> list[Picture]:
    """Return the images between the first and the last block whose surroundings hold one of the blocks."""
    outline = blocks[0].outline
    kept = {block.start for block in blocks}
    first, last = blocks[0].start, blocks[-1].stop
    found: dict[str, Picture] = {}
    for element, tag in enumerate(outline.tags):
        if tag == "img" and first <= outline.run_starts[element] <= last:
            picture = _picture(outline, element)
            if picture and _belongs(outline, picture, kept):
                found.setdefault(picture.url, picture)
    return list(found.values())


def _picture(outline: Outline, element: int) -> Picture | None:
    image = outline.elements[element]
    if _is_small(image) or not (url := next(_addresses(outline, image), None)):
        return None
    figure = next((i for i in outline.lineage(element) if outline.tags[i] == "figure"), -1)
    captions = outline.blocks_between(outline.run_starts[figure], outline.run_stops[figure]) if figure >= 0 else ()
    place = outline.run_starts[figure] if captions else outline.run_starts[element]
    return Picture(place, element, url, " ".join(image.get("alt", "").split()), figure, captions)


def _is_small(image: HtmlElement) -> bool:
    sizes = (image.get(side, "").removesuffix("px") for side in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < MIN_PIXELS for size in sizes)


def _addresses(outline: Outline, image: HtmlElement) -> Iterator[str]:
    candidates = [image.get(name, "") for name in _ADDRESSES]
    candidates += [image.get(name, "").strip().split(" ")[0].rstrip(",") for name in ("srcset", "data-srcset")]
    for candidate in candidates:
        try:
            url = urljoin(outline.base_url or "", candidate.strip())
        except ValueError:
            continue
        if candidate.strip() and url.startswith(("http://", "https://")):
            yield url


def _belongs(outline: Outline, picture: Picture, kept: set[int]) -> bool:
    """Tell whether the smallest element around the picture that has text besides its captions has kept text."""
    inner = picture.figure if picture.figure >= 0 else picture.element
    captions = (outline.run_starts[inner], outline.run_stops[inner])
    for element in outline.lineage(inner):
        span = outline.run_starts[element], outline.run_stops[element]
        if span != captions and span[0] < span[1]:
            return any(start in kept for start in range(*span))
    return False
