"""Whether an address can be the one under which a site wants its page to be known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute, is_home, page_key
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_LANGUAGE_HOME = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2})?$")
"""The home pages of sites in several languages: `/en`, `/pt-br`."""
_PAGE_IN_QUERY = re.compile(
    r"(?:^|&)(?:p|id|nid|aid|(?:page|post|art|article|story|news|item|node)_?id|article|story|post|news)=[^&]",
    re.IGNORECASE,
)
"""Queries that name a page of a site; the others follow the reader or sort a list."""
_TEMPLATE = re.compile(r"\{\{|\$\{|<%|%7b%7b|/(?:undefined|null)(?:/|$)", re.IGNORECASE)
_INTERNAL_HOST = re.compile(
    r"[^.]+$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|.*\.(?:local|localhost|internal|lan|test|invalid)$"
)
"""Hosts that nobody else can reach: what a newsroom's own machines call each other."""


def check_canonical(raw: Raw, clues: Clues) -> str | Refused:
    """Return the address, unless it is a home page where the page is none, or leads nowhere."""
    url = absolute(raw, clues.page.base_url) if isinstance(raw, str) else None
    if url is None:
        return Refused(Notice(NoticeCode.NO_WEB_ADDRESS))
    if _TEMPLATE.search(url):
        return Refused(Notice(NoticeCode.UNFILLED_TEMPLATE))
    own = clues.page.url
    if not own:
        return url
    host, own_host = page_key(url)[0], page_key(own)[0]
    if _INTERNAL_HOST.match(host) and not _INTERNAL_HOST.match(own_host):
        return Refused(Notice(NoticeCode.NO_PUBLIC_ADDRESS))
    if _is_front(url) and not (host == own_host and _is_front(own)):
        return Refused(Notice(NoticeCode.HOME_AS_CANONICAL))
    return url


def _is_front(url: str) -> bool:
    """Tell whether an address is the home page of a site, or of one of its languages.

    >>> _is_front("https://example.com/en/"), _is_front("https://example.com/?utm_source=x")
    (True, True)
    >>> _is_front("https://example.com/rain"), _is_front("https://example.com/?p=12")
    (False, False)
    """
    if is_home(url):
        return True
    _, path, query = page_key(url)
    if path and not _LANGUAGE_HOME.match(path):
        return False
    return not _PAGE_IN_QUERY.search(query) and not urlsplit(url).fragment.startswith("!")
