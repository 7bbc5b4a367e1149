"""The links of a page, made absolute, and what their URLs look like: an article, a section, or neither.

The rules know no site, only what article URLs look like everywhere. They order and filter what is fetched; the page's
content decides later what it is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

from newsextract.page.urls import Address, clean_url, is_binary_url, read_address, title_units

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.html import HtmlElement


ARTICLE_THRESHOLD = 0.5
"""From this likeness on, a URL is taken for an article's."""

SECTION_CEILING = 0.6
"""Below this likeness a page may be a section; `/arts-and-culture` and a short headline look the same."""

MAX_SECTION_SEGMENTS = 3
"""Deeper paths are single pages: sections stand at `/news`, `/news/world`, `/en/news/world`."""

MAX_TEXT_CHARS = 500
"""Kept of a link's text; some sites wrap a whole teaser in one link."""

_IGNORED = re.compile(r"[\t\n\r]")
"""Characters that browsers drop anywhere in a URL."""
_MAX_CHARS = 2_000
_SAFE = re.compile(r"(?:https?://[^/:?#]|mailto:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another page."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Sign:
    """Something in a URL or a link's text that speaks for or against an article."""

    weight: float
    """Added to the log-odds."""

    reason: str
    holds: Callable[[Address, str], bool]


SIGNS = (
    Sign(-0.7, "most links of a page lead elsewhere", lambda _a, _t: True),
    Sign(+2.8, "sites file articles by day or month, and sections never", lambda a, _t: a.has_date),
    Sign(+2.5, "five words or more are a headline", lambda a, _t: a.slug_words >= 5),
    Sign(+0.9, "three or four words are a short headline or a long rubric", lambda a, _t: 3 <= a.slug_words <= 4),
    Sign(+1.3, "articles are numbered in the thousands, sections by two digits", lambda a, _t: a.has_id),
    Sign(+0.6, "articles are documents, sections are folders", lambda a, _t: a.is_document),
    Sign(+1.0, "a folder named for articles holds them", lambda a, _t: a.is_below("article")),
    Sign(+1.2, "headlines are longer than menu entries", lambda _a, text: title_units(text) >= 5),
    Sign(-4.0, "the home page lists", lambda a, _t: not a.segments and not a.has_query),
    Sign(-1.2, "one or two words name a section", lambda a, _t: a.slug_words <= 2 and not a.has_id),
    Sign(-1.8, "a folder named for a listing lists, but some keep articles too", lambda a, _t: a.names("listing")),
    Sign(-3.0, "tags and authors list, and lend their folder to no article", lambda a, _t: a.names("endless")),
    Sign(-3.5, "these pages are about the house, not the news", lambda a, _t: a.names("house")),
    Sign(-3.0, "only listings have a next page", lambda a, _t: a.is_paged),
)


def article_likeness(url: str, text: str = "") -> float:
    """Return how much the URL, and the text of a link to it, look like an article's, from 0 to 1.

    >>> article_likeness("https://example.com/2024/05/14/floods-close-three-alpine-passes.html") > 0.9
    True
    >>> article_likeness("https://example.com/category/sports?page=2") < 0.1
    True
    """
    address = read_address(url)
    log_odds = sum(sign.weight for sign in SIGNS if sign.holds(address, text))
    return 1 / (1 + math.exp(-log_odds))


def is_section_like(url: str, text: str = "") -> bool:
    """Return whether the page is worth visiting for its links: a section or a home page.

    >>> is_section_like("https://example.com/world/europe"), is_section_like("https://example.com/login")
    (True, False)
    """
    address = read_address(url)
    is_shallow = len(address.segments) <= MAX_SECTION_SEGMENTS and not address.has_query
    # Tags, authors and further pages lead to thousands of listings of what the sections already list.
    is_endless = address.names("house") or address.names("endless") or address.is_paged
    return is_shallow and not is_endless and article_likeness(url, text) < SECTION_CEILING


def page_links(tree: HtmlElement, base_url: str) -> list[Link]:
    """Return the links to other pages in document order, each URL once with its longest text."""
    found: dict[str, str] = {}
    for url, text in _anchors(tree, _base(tree, base_url)):
        found[url] = max(found.get(url, ""), text, key=len)
    found.pop(clean_url(base_url) or "", None)
    return [Link(url, text) for url, text in found.items()]


def _anchors(tree: HtmlElement, base: str) -> Iterator[tuple[str, str]]:
    for el in tree.iter("a", "area"):
        href = el.get("href", "").strip()
        url = clean_url(href, base) if href and not href.startswith("#") else None
        if url and not is_binary_url(url):
            yield url, link_text(el)


def _base(tree: HtmlElement, base_url: str) -> str:
    declared = next((el.get("href", "") for el in tree.iter("base") if el.get("href")), "")
    try:
        return urljoin(base_url, declared.strip())
    except ValueError:
        return base_url


def link_text(el: HtmlElement) -> str:
    """Return the link's text on one line, or its labels if it has no text. It ends where another link begins."""
    text, labels = _inside_link(el)
    spoken = (text, el.get("title", ""), el.get("aria-label", ""), *labels)
    folded = (re.sub(r"\s+", " ", text).strip() for text in spoken)
    return next(filter(None, folded), "")[:MAX_TEXT_CHARS]


def _inside_link(el: HtmlElement) -> tuple[str, list[str]]:
    """Return the text of a link and the labels of its images, up to the next link: links nest in broken pages only."""
    if not len(el):
        return el.text or "", []
    texts, labels = [el.text or ""], []
    for event, inner in islice(etree.iterwalk(el, ("start", "end", "comment", "pi")), 1, None):
        if event != "start":
            texts.append((inner.tail or "") if inner is not el else "")
        elif inner.tag == "a":
            break
        else:
            texts.append(inner.text or "")
            if inner.tag == "img":
                labels.append(inner.get("alt", ""))
    return "".join(texts), labels


def absolute_url(base: str | None, href: str | None) -> str | None:
    r"""Return the absolute URL of a link to the web or to a mailbox, and `None` for any other.

    >>> absolute_url("https://example.com/news/", "../a?b#c")
    'https://example.com/a?b#c'
    >>> absolute_url("https://example.com/", "java\nscript:alert(1)") or absolute_url("https://example.com/", "https://:0")
    """
    href = str(href or "")  # a string from an XPath keeps its whole tree alive
    # A longer one is an image as a data URL: too large for the cache.
    return (_recent_url if len(href) <= _MAX_CHARS else _absolute_url)(base or "", href)


def _absolute_url(base: str, href: str) -> str | None:
    try:
        url = urljoin(base, _IGNORED.sub("", href).strip())
    except ValueError:
        return None
    if not _SAFE.match(url):
        return None
    scheme, _, rest = url.partition(":")
    return f"{scheme.lower()}:{rest}"


_recent_url = lru_cache(maxsize=500)(_absolute_url)
"""A cache: an article's links and images are resolved again for each output format."""
