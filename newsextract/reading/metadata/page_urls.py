"""Make URLs absolute, compare them, and recognise home pages."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit

_MAX_CHARS = 2_000
"""Longer URLs are inlined images or tracking payloads; browsers and databases cut near this length."""

_HOST_PREFIX = re.compile(r"^(?:www|m|mobile|amp)\.")
_PATH_SUFFIX = re.compile(r"(?:/amp|/index\.\w+)$")


def absolute(url: str, base_url: str | None) -> str | None:
    """Return the absolute URL, or `None` if it is not one of http or https.

    >>> absolute(" /a b.jpg ", "https://example.com/news/")
    'https://example.com/a%20b.jpg'
    >>> absolute("javascript:void(0)", "https://example.com/") is None
    True
    """
    url = url.strip()
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
    """Tell whether two URLs lead to the same page; a query counts only if both have one.

    >>> is_same_page("http://example.com/rain?utm=x", "https://www.example.com/rain/")
    True
    >>> is_same_page("https://example.com/?p=1", "https://example.com/?p=2")
    False
    """
    (*one_place, one_query), (*other_place, other_query) = page_key(one), page_key(other)
    return one_place == other_place and (one_query == other_query or not (one_query and other_query))


def is_home(url: str) -> bool:
    """Tell whether the URL is the root of a site.

    >>> is_home("https://example.com"), is_home("https://example.com/?p=12")
    (True, False)
    """
    _, path, query = page_key(url)
    return not path and not query
