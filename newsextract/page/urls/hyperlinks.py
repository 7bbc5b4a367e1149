"""Addresses as pages write them, made absolute or refused."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin

_IGNORED = re.compile(r"[\t\n\r]")
"""Characters that browsers drop wherever they stand in an address."""
_MAX_CHARS = 2_000
_SAFE = re.compile(r"(?:https?://[^/]|mailto:)", re.IGNORECASE)


def absolute_url(base: str | None, href: str | None) -> str | None:
    r"""Return the absolute address of a link to the web or to a mailbox, and nothing for any other.

    >>> absolute_url("https://example.com/news/", "../a?b#c")
    'https://example.com/a?b#c'
    >>> absolute_url("https://example.com/", "java\nscript:alert(1)")
    """
    href = str(href or "")  # what XPath returns holds on to its whole tree
    # One that is longer is an image, written out: too much to remember.
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
"""The links and images of an article are asked for again for each form in which it is written."""
