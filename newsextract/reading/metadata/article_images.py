"""The images of an article: those that the page declares, after checks, and those among its blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.article import Image
from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.block_images import BlockImage
    from newsextract.page.blocks import Outline
    from newsextract.page.media.illustrations import Illustrations
    from newsextract.reading.metadata.findings import Metadata, Raw
    from newsextract.reading.metadata.page_clues import Clues

_NO_IMAGE = re.compile(
    r"""/(?:(?:site|brand|header|footer|og|app|default|fallback)[-_.]?)?(?:logo|favicon|icon|avatar|sprite)s?(?:[-_.@\d][^/]*)?$
    |/(?:placeholder|spacer|blank|transparent|pixel|no[-_]?(?:image|photo|thumb)|dummy|lazy[-_]?load)(?:[-_.@\d][^/]*)?$
    |/default[-_](?:og|image|img|share|social|thumb|post|news|article|featured)[^/]*$
    |/(?:1x1|0x0)\.\w+$|\.(?:svg|ico)$|gravatar\.com/|/avatars?/""",
    re.IGNORECASE | re.VERBOSE,
)
"""Placeholders for missing images, and pictures of the site or a writer.

A name that merely ends in "logo" may belong to the story: reports on a company show its logo.
"""
_SIZING = re.compile(
    r"(?:w|h|width|height|wid|hei|size|resize|rescale|fit|crop|quality|q|qlt|auto|format|fm|fmt|dpr|strip|ssl|scale|zoom|upscale"
    r"|ve|tl|itok|optimize|enable|mode|smart|rect|ixlib)=",
    re.IGNORECASE,
)
_SIZED_PATH = re.compile(
    r"-scaled(?=\.\w{3,4}$)|[-_.](?:fill\.)?(?:size_)?\d{2,4}x\d{2,4}(?=\.)"
    r"|/(?:(?:master|\d{1,2}:\d{1,2})/)?[wh]_\d+[^/]*(?=/)|/\d{2,4}x\d{2,4}(?=/)"
)
"""Sizes in the path: WordPress and Mashable put them in the name, Condé Nast and others in folders."""

_MAX_CAPTION_CHARS = 1_000
"""Longer captions are paragraphs in the wrong element."""
_MAX_IMAGES = 100
"""A page with more images is a gallery of products."""

_NOT_OURS = re.compile(
    r"author|avatar|by-?line|gravatar|contributor|profile[-_]?(?:pic|image|photo|img)|\bbio\b|emoji|smiley"
    r"|(?:^|[\s_-])(?:site|brand|header|footer)?-?logo(?:$|[\s_-])|(?:^|[\s_-])icons?(?:$|[\s_-])|social[-_]|share[-_]"
)
"""Names of authors' portraits, of logos and icons, and of buttons, in lower case."""
_LEVELS = 3
"""Elements looked at: the image and its nearest wrappers. Wider ones may be named after the page's own author."""
_WIDE = frozenset(("article", "main", "section", "body", "html"))


def with_images(metadata: Metadata, shown: Sequence[Illustrations], extractor: str) -> Metadata:
    """Return the metadata with the images of the body's pages added, each once: the main one, the body's, the others.

    An image that is also declared takes its caption from the body.
    """
    inside = list(islice(_inside(shown), _MAX_IMAGES))
    main = [metadata.mainImage] if metadata.mainImage else []
    images = distinct((*main, *inside, *(metadata.images or ())))
    if not images:
        return metadata
    declared = metadata.sources.get("images") or metadata.sources.get("mainImage")
    known = {image_key(image.url) for image in (*main, *(metadata.images or ()))}
    is_added = not all(image_key(image.url) in known for image in inside)
    names = dict.fromkeys(filter(None, (declared, extractor if is_added else None)))
    sources = {**metadata.sources, "images": ", ".join(names)}
    return replace(metadata, mainImage=images[0] if main else None, images=list(images), sources=sources)


def _inside(shown: Sequence[Illustrations]) -> Iterator[Image]:
    """Yield the images among the blocks, by page."""
    for page in shown:
        for image in page.images:
            if page.outline and is_image(image.url) and not _is_named_otherwise(image, page.outline):
                caption = " ".join(block.text for block in image.captions)
                yield Image(image.url, caption if 0 < len(caption) <= _MAX_CAPTION_CHARS else None)


def _is_named_otherwise(image: BlockImage, outline: Outline) -> bool:
    """Tell whether the names of the image or its wrappers say that it does not belong to the story."""
    for element in islice(outline.lineage(image.element), _LEVELS):
        if outline.tags[element] in _WIDE:
            return False
        if _NOT_OURS.search(names_of(outline.elements[element]).lower()):
            return True
    return False


def check_images(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    """Return the distinct images that have a web URL."""
    images = _images(raw, clues)
    # No warning here: the check of the main image warns about the same URLs.
    return Refused() if isinstance(images, Refused) else images


def check_image(raw: Raw, clues: Clues) -> Image | Refused:
    """Return the first usable image, or a refusal."""
    images = _images(raw, clues)
    return images if isinstance(images, Refused) else images[0]


def _images(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    texts: Iterable[object] = (raw,) if isinstance(raw, str) else raw
    urls = (absolute(url, clues.page.base_url) for url in texts if isinstance(url, str))
    found = list(filter(None, urls))
    if not found:
        return Refused(Notice(NoticeCode.NO_ADDRESS))
    return distinct(Image(url) for url in found if is_image(url)) or Refused(Notice(NoticeCode.LOGO))


def is_image(url: str) -> bool:
    """Tell whether a URL may be that of an image of the article.

    >>> is_image("https://example.com/rain.jpg"), is_image("https://example.com/twitter-logo.jpg")
    (True, True)
    >>> is_image("https://example.com/logo-small.png"), is_image("https://example.com/no_image.gif")
    (False, False)
    """
    bare = url.partition("?")[0].partition("#")[0]
    return not _NO_IMAGE.search(bare)


@lru_cache(maxsize=256)  # a page's few images are compared with each other
def image_key(url: str) -> str:
    """Return the URL without its size: the same for all sizes of one image.

    >>> image_key("https://example.com/rain-300x200.jpg?w=300&id=5")
    'example.com/rain.jpg?id=5'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = "&".join(pair for pair in parts.query.split("&") if pair and not _SIZING.match(pair))
    path = _SIZED_PATH.sub("", parts.path)
    return f"{parts.netloc.lower()}{path}?{query}" if query else f"{parts.netloc.lower()}{path}"


def distinct(images: Iterable[Image]) -> tuple[Image, ...]:
    """Return each image once, at its first place, with the first caption found for it."""
    found: dict[str, Image] = {}
    for image in images:
        known = found.setdefault(image_key(image.url), image)
        if image.caption and not known.caption:
            found[image_key(image.url)] = Image(known.url, image.caption)
    return tuple(found.values())
