"""Check whether a URL can be the canonical one of a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.urls.url_parts import split_url
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute, is_home, page_key
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_LANGUAGE_HOME = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2})?$")
"""Home pages by language: `/en`, `/pt-br`."""
_PAGE_IN_QUERY = re.compile(
    r"(?:^|&)(?:p|id|nid|aid|(?:page|post|art|article|story|news|item|node)_?id|article|story|post|news)=[^&]",
    re.IGNORECASE,
)
"""Queries that identify a page; others track the reader or sort a list."""
_TEMPLATE = re.compile(r"\{\{|\$\{|<%|%7b%7b|/(?:undefined|null)(?:/|$)", re.IGNORECASE)
_INTERNAL_HOST = re.compile(
    r"[^.]+$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|.*\.(?:local|localhost|internal|lan|test|invalid)$"
)
"""Hosts that only a newsroom's own machines can reach."""


def check_canonical(raw: Raw, clues: Clues) -> str | Refused:
    """Return the absolute URL, or a refusal if it cannot be reached or is a home page while the page is not."""
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
    """Tell whether a URL is the home page of a site, or of one of its languages.

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
    return not _PAGE_IN_QUERY.search(query) and not split_url(url).fragment.startswith("!")
