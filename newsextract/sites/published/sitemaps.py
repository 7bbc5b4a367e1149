"""Sitemaps and sitemap indexes, with the `news:*` values that Scrapy's own reader drops."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from newsextract.page.urls import MAX_URL_CHARS, clean_url
from newsextract.sites.candidate import Candidate
from newsextract.sites.published.feeds import read_feed
from newsextract.sites.published.site_files import Malformed, fold, read_text, skip_prolog, unescape, unpack
from newsextract.sites.published.sitemap_xml import local_name, read_entries
from newsextract.sites.published.stated_dates import parse_date, stated_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from newsextract.sites.published.sitemap_xml import Entry

MAX_SITEMAP_BYTES = 50 * 1024 * 1024
"""The protocol's limit for one file, uncompressed."""

_SITEMAP_ROOTS = frozenset({"urlset", "sitemapindex"})
_FEED_ROOTS = frozenset({"rss", "feed", "rdf"})

_FIRST_TAG = re.compile(r"<([^\s<>/?!]+)")


@dataclass(frozen=True, slots=True)
class SitemapLink:
    """Another sitemap that an index points to."""

    url: str

    lastmod: datetime | None = None
    """When it last changed, according to the index; with a time zone."""


def read_sitemap(body: bytes, url: str, *, max_bytes: int = MAX_SITEMAP_BYTES) -> Iterator[SitemapLink | Candidate]:
    """Yield the entries of a sitemap, an index, a list of URLs or a feed.

    Raises:
        SiteFileError: the file is broken; raised after the entries that precede the error.
    """
    texts = read_text(body, max_bytes)
    start = next(texts, "")
    root = root_name(start)
    if not start.startswith("<"):
        yield from _read_lines(chain([start], texts))
    elif root in _FEED_ROOTS:
        yield from read_feed(b"".join(unpack(body, max_bytes)), url)
    elif root in _SITEMAP_ROOTS:
        entries = (_found(entry, url) for entry in read_entries(chain([start], texts)))
        yield from filter(None, entries)
    else:
        raise Malformed(f"no sitemap: its root element is <{root}>" if root else "no sitemap: no root element")


def root_name(start: str) -> str:
    """Return the local name of the first element; an empty string if there is none.

    >>> root_name('<?xml version="1.0"?><!-- <a> --><rdf:RDF xmlns="x">')
    'rdf'
    """
    tag = _FIRST_TAG.search(skip_prolog(start))
    return local_name(tag[1]) if tag else ""


def _read_lines(texts: Iterable[str]) -> Iterator[Candidate]:
    has_found = False
    for url in filter(None, map(clean_url, _lines(texts))):
        has_found = True
        yield Candidate(url, "sitemap")
    if not has_found:
        raise Malformed("no sitemap: neither XML nor a list of addresses")


def _lines(texts: Iterable[str]) -> Iterator[str]:
    held = ""
    for text in texts:
        *lines, held = re.split(r"[\r\n]+", held + text)
        held = held[: MAX_URL_CHARS + 1]  # bounds a file without line ends; what is cut stays too long
        yield from lines
    yield held


def _found(entry: Entry, base: str) -> SitemapLink | Candidate | None:
    written = unescape(entry.values.get("loc", "")).strip()
    url = clean_url(written, base) if written else None
    if not url or entry.kind not in {"url", "sitemap"}:
        return None
    lastmod = parse_date(entry.values.get("lastmod"))
    return SitemapLink(url, lastmod) if entry.kind == "sitemap" else _candidate(url, entry.values, lastmod)


def _candidate(url: str, values: dict[str, str], lastmod: datetime | None) -> Candidate:
    date = parse_date(values.get("news_date")) or lastmod
    published = stated_date(values.get("news_date"))
    title, language = (fold(unescape(values.get(name, ""))) for name in ("news_title", "news_language"))
    is_news = any(name.startswith("news_") for name in values)
    return Candidate(url, "news_sitemap" if is_news else "sitemap", date, title, language, published)
