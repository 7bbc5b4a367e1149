"""Addresses as pages write them, made absolute or refused."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_IGNORED = re.compile(r"[\t\n\r]")
"""Characters that browsers drop wherever they stand in an address."""
_SAFE = re.compile(r"(?:https?://[^/]|mailto:)", re.IGNORECASE)


def absolute_url(base: str | None, href: str | None) -> str | None:
    r"""Return the absolute address of a link to the web or to a mailbox, and nothing for any other.

    >>> absolute_url("https://example.com/news/", "../a?b#c")
    'https://example.com/a?b#c'
    >>> absolute_url("https://example.com/", "java\nscript:alert(1)")
    """
    try:
        url = urljoin(base or "", _IGNORED.sub("", href or "").strip())
    except ValueError:
        return None
    if not _SAFE.match(url):
        return None
    scheme, _, rest = url.partition(":")
    return f"{scheme.lower()}:{rest}"
