"""Checks of pictures: which addresses are of pictures of the article, and which of them are one picture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.article import Image
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_NO_PICTURE = re.compile(
    r"""/(?:(?:site|brand|header|footer|og|app|default|fallback)[-_.]?)?(?:logo|favicon|icon|avatar|sprite)s?(?:[-_.@\d][^/]*)?$
    |/(?:placeholder|spacer|blank|transparent|pixel|no[-_]?(?:image|photo|thumb)|dummy|lazy[-_]?load)(?:[-_.@\d][^/]*)?$
    |/default[-_](?:og|image|img|share|social|thumb|post|news|article|featured)[^/]*$
    |/(?:1x1|0x0)\.\w+$|\.(?:svg|ico)$|gravatar\.com/|/avatars?/""",
    re.IGNORECASE | re.VERBOSE,
)
"""Files that stand where a picture is missing, and those that show the site or a writer.

A name that only ends in "logo" may be the story's: reports on a company show its logo.
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
"""Sizes in the path: WordPress's and Mashable's in the name, Condé Nast's and others' in folders."""


def check_images(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    """Return the distinct pictures that have an address on the web."""
    images = _pictures(raw, clues)
    # Silent: the same addresses are judged for the main image.
    return Refused() if isinstance(images, Refused) else images


def check_image(raw: Raw, clues: Clues) -> Image | Refused:
    """Return the picture."""
    images = _pictures(raw, clues)
    return images if isinstance(images, Refused) else images[0]


def _pictures(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    texts: Iterable[object] = (raw,) if isinstance(raw, str) else raw
    urls = (absolute(url, clues.page.base_url) for url in texts if isinstance(url, str))
    found = list(filter(None, urls))
    if not found:
        return Refused(Notice(NoticeCode.NO_ADDRESS))
    return distinct(Image(url) for url in found if is_picture(url)) or Refused(Notice(NoticeCode.LOGO))


def is_picture(url: str) -> bool:
    """Tell whether an address may be that of a picture of the article.

    >>> is_picture("https://example.com/rain.jpg"), is_picture("https://example.com/twitter-logo.jpg")
    (True, True)
    >>> is_picture("https://example.com/logo-small.png"), is_picture("https://example.com/no_image.gif")
    (False, False)
    """
    bare = url.partition("?")[0].partition("#")[0]
    return not _NO_PICTURE.search(bare)


def picture_key(url: str) -> str:
    """Return what addresses of one picture in several sizes have in common.

    >>> picture_key("https://example.com/rain-300x200.jpg?w=300&id=5")
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
    """Return the pictures once each, as they first stand there, with the first caption that one of them has."""
    found: dict[str, Image] = {}
    for image in images:
        known = found.setdefault(picture_key(image.url), image)
        if image.caption and not known.caption:
            found[picture_key(image.url)] = Image(known.url, image.caption)
    return tuple(found.values())
