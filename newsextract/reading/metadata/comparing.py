"""Fold texts and URLs to what a reader sees, and compare them."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from newsextract.page.text import CONTROLS, INVISIBLE, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement


# Fold strings to what a reader sees, and compare titles.

_INVISIBLE = re.compile(
    f"[{INVISIBLE}{CONTROLS}\u200e\u200f\u202a-\u202e\u2061-\u2064\ud800-\udfff]"
    r"|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])"
)
"""Control characters, invisible mathematical signs and lone surrogates included; no encoder accepts the last.

The joiners U+200C and U+200D shape letters in Persian, in the scripts of India and in emoji; beside ASCII or at an end
they join nothing.
"""

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|a|b|i|em|strong|h[1-6]|ul|ol|li|blockquote|figure|img)\b[^<>]*>", re.IGNORECASE
)
RAW_RATIO = 4
"""Raw characters read for each one wanted: folding removes indentation and line breaks."""
MAX_INNER = 200
"""Elements read inside one: a title or a byline has a handful, and empty ones cost as much."""

_AGREEING_RATIO = 0.6
"""The least share of common words in two titles of one article; teasers of others share a third at most."""


def fold(text: str) -> str:
    r"""Return the text with entities replaced, without tags and invisible characters, on one line.

    >>> fold(" Caf&eacute;s &amp;amp; <em>bars</em>\u200b ")
    'Cafés & bars'
    >>> fold("\u200cمی\u200cخواهم a\u200db") == "می\u200cخواهم ab"
    True
    """
    if "&" in text:
        # Twice: often both the CMS and its template escape.
        text = unescape(unescape(text))
    if "<" in text:
        text = _TAG.sub("", text)
    if not text.isascii() or not text.isprintable():
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split())


def unescape(text: str) -> str:
    """Return the text with its character references replaced, or unchanged if one has thousands of digits."""
    try:
        return html.unescape(text)
    except ValueError:
        return text


def as_markup(text: str) -> str:
    r"""Return as HTML a text that JSON-LD or a feed gives: HTML, HTML escaped once more, or lines of plain text.

    >>> as_markup("&lt;p&gt;Rain&lt;/p&gt;"), as_markup("Rain &amp; sun\n2 < 3")
    ('<p>Rain</p>', '<p>Rain &amp; sun</p><p>2 &lt; 3</p>')
    """
    if not _MARKUP.search(text):
        text = unescape(text)
    if _MARKUP.search(text):
        return text
    return "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line.strip())


def visible_text(el: HtmlElement, max_chars: int, *, separator: str = "") -> str:
    """Return the beginning of the element's folded text, reading little more than `max_chars` needs."""
    parts: list[str] = []
    length = 0
    for part in texts_inside(el):
        if length > max_chars:
            break
        parts.append(part[: max_chars * RAW_RATIO])
        length += len(part)
    return fold(separator.join(parts))


def texts_inside(el: HtmlElement) -> Iterator[str]:
    """Yield the texts of an element and of the first `MAX_INNER` elements inside it, in page order."""
    if el.text:
        yield el.text
    unclosed: list[HtmlElement] = []
    elements = el.iter()
    for each in islice(elements, 1, MAX_INNER):
        above = each.getparent()
        while unclosed and unclosed[-1] is not above:
            if tail := unclosed.pop().tail:
                yield tail
        if each.text:
            yield each.text
        unclosed.append(each)
    if next(elements, None) is None:  # else these tails come after elements that were not read
        yield from filter(None, (each.tail for each in reversed(unclosed)))


@lru_cache(maxsize=256)  # a page's few titles are compared with each of its nodes
def vocabulary(text: str) -> frozenset[str]:
    """Return the distinct words, lower-cased.

    >>> sorted(vocabulary("The cat, THE hat"))
    ['cat', 'hat', 'the']
    """
    return frozenset(words(text.casefold()))


def agreement(headline: str, other: str) -> float:
    """Return the share of the headline's words that the other text has too.

    >>> agreement("Rain in Spain", "Rain in Spain | The Daily Plain")
    1.0
    """
    wanted = vocabulary(headline)
    return len(wanted & vocabulary(other)) / len(wanted) if wanted else 0.0


def agrees(headline: str, other: str) -> bool:
    """Return whether two titles name the same article, whichever is longer.

    >>> agrees("Rain in Spain | The Daily Plain", "Rain in Spain"), agrees("Rain in Spain", "Sun in Rome")
    (True, False)
    """
    return max(agreement(headline, other), agreement(other, headline)) >= _AGREEING_RATIO


# Make URLs absolute, compare them, and recognise home pages.

_MAX_CHARS = 2_000
"""Longer URLs are inlined images or tracking payloads; browsers and databases cut near this length."""

_AMPERSAND = re.compile(r"&(?:amp|#38|#x26);", re.IGNORECASE)
_HOST_PREFIX = re.compile(r"^(?:www|m|mobile|amp)\.")
_PATH_SUFFIX = re.compile(r"(?:/amp|/index\.\w+)$")


def absolute(url: str, base_url: str | None) -> str | None:
    """Return the absolute URL, or `None` if it is not one of http or https; what was escaped twice is unescaped.

    >>> absolute(" /a b.jpg ", "https://example.com/news/")
    'https://example.com/a%20b.jpg'
    >>> absolute("https://example.com/a.jpg?w=9&amp;copy=1", None)
    'https://example.com/a.jpg?w=9&copy=1'
    >>> absolute("javascript:void(0)", "https://example.com/") is None
    True
    """
    url = _AMPERSAND.sub("&", url.strip())  # no other reference: a query may have a parameter of its name
    if not url or len(url) > _MAX_CHARS or "\0" in url:
        return None
    try:
        joined = url if url.startswith(("https://", "http://")) else urljoin(base_url or "", url)
        parts = urlsplit(joined)
        joined.encode()
    except ValueError:  # brackets that are no IPv6 address, half a surrogate pair from a JSON escape
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return None
    return "%20".join(joined.split())


@lru_cache(maxsize=256)  # a page's own URL is compared with each of its nodes
def page_key(url: str) -> tuple[str, str, str]:
    """Return what identifies a page: host without prefix, path and query.

    >>> page_key("https://www.example.com/news/rain/?a=1#top")
    ('example.com', '/news/rain', 'a=1')
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "", url, ""
    path = _PATH_SUFFIX.sub("", unquote(parts.path).lower().rstrip("/"))
    return _HOST_PREFIX.sub("", host), path, parts.query


def is_same_page(one: str, other: str) -> bool:
    """Return whether two URLs lead to the same page; a query counts only if both have one.

    >>> is_same_page("http://example.com/rain?utm=x", "https://www.example.com/rain/")
    True
    >>> is_same_page("https://example.com/?p=1", "https://example.com/?p=2")
    False
    """
    (*one_place, one_query), (*other_place, other_query) = page_key(one), page_key(other)
    return one_place == other_place and (one_query == other_query or not (one_query and other_query))


def is_home(url: str) -> bool:
    """Return whether the URL is the root of a site.

    >>> is_home("https://example.com"), is_home("https://example.com/?p=12")
    (True, False)
    """
    _, path, query = page_key(url)
    return not path and not query
