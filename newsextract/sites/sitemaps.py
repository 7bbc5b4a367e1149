"""The XML of a sitemap as a stream of entries.

Expat reports tags as they come and builds no tree, so memory does not grow with the file, and it does not mind
undeclared prefixes. A value is recognised by its place: the `loc` inside an `image:image` is not the page's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING
from xml.parsers import expat

from newsextract.page.urls import MAX_URL_CHARS, clean_url
from newsextract.sites.article_address import Candidate
from newsextract.sites.feeds import read_feed
from newsextract.sites.site_files import (
    ForbiddenEntity,
    Malformed,
    SiteFileError,
    fold,
    parse_date,
    read_text,
    skip_prolog,
    stated_date,
    unescape,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime


MAX_DEPTH = 32
"""Depth of nested elements; a sitemap needs six."""

MAX_TOKEN_BYTES = 1024 * 1024
"""One tag or comment; until it ends, expat before 2.6 reads it again with every piece that arrives."""

MAX_VALUE_CHARS = 10_000
"""The longest value kept, in characters; the longest URL allowed is less than half of it."""

_PLACES = {
    ("loc",): "loc",
    ("lastmod",): "lastmod",
    ("news", "publication_date"): "news_date",
    ("news", "title"): "news_title",
    ("news", "publication", "language"): "news_language",
}
"""The path of each value below an entry, by local names, and its name here."""

_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)")
_LONGEST_REFERENCE_CHARS = len("&quot;")


@dataclass(frozen=True, slots=True)
class Entry:
    """One child of the root, with the values found in it."""

    kind: str
    """The local name: `url` or `sitemap`, or whatever the site uses."""

    values: dict[str, str]


def read_entries(texts: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries up to the first error, then raise it."""
    reader = _Reader()
    parser = _parser(reader)
    fed = 0
    for text in chain(escape_ampersands(texts), [None]):
        piece = (text or "").encode()
        fed += len(piece)
        error = _feed(parser, piece, is_last=text is None)
        yield from reader.entries
        reader.entries.clear()
        if error:
            raise error
        if fed - parser.CurrentByteIndex > MAX_TOKEN_BYTES:
            raise Malformed(f"a tag or comment of more than {MAX_TOKEN_BYTES:,} bytes")


def _feed(parser: expat.XMLParserType, piece: bytes, *, is_last: bool) -> SiteFileError | None:
    # Errors are returned, because the entries read before them are good and go first.
    try:
        parser.Parse(piece, is_last)
    except expat.ExpatError as error:
        return Malformed(f"broken XML: {error}")
    except SiteFileError as error:
        return error
    return None


def _parser(reader: _Reader) -> expat.XMLParserType:
    parser = expat.ParserCreate("utf-8")  # overrides the declaration, since the text is decoded already
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.CharacterDataHandler = reader.text
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _refuse_doctype
    return parser


def _refuse_doctype(*_: object) -> None:
    raise ForbiddenEntity("declares a document type, by which entities come in")


def escape_ampersands(texts: Iterable[str]) -> Iterator[str]:
    """Yield the text with every ampersand escaped that does not begin one of XML's predefined references.

    >>> "".join(escape_ampersands(["?a=1&b=2&am", "p;c=3&nbsp;"]))
    '?a=1&amp;b=2&amp;c=3&amp;nbsp;'
    """
    held = ""
    for text in chain(texts, [""]):
        whole = held + text
        cut = whole.rfind("&", -_LONGEST_REFERENCE_CHARS) if text else -1
        end = cut if cut >= 0 else len(whole)
        held = whole[end:]
        yield _BARE_AMPERSAND.sub("&amp;", whole[:end])


def local_name(tag: str) -> str:
    """Return the tag without its prefix, in lower case.

    >>> local_name("rdf:RDF")
    'rdf'
    """
    return tag.rpartition(":")[2].lower()


@dataclass(slots=True)
class _Reader:
    """Gathers entries from the parser's events; `read_entries` takes them out."""

    entries: list[Entry] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    name: str | None = None

    def start(self, tag: str, _attributes: dict[str, str]) -> None:
        """Enter an element, and note whether its text is wanted."""
        self.path.append(tag)
        if len(self.path) > MAX_DEPTH:
            raise Malformed(f"elements nested more than {MAX_DEPTH} deep")
        self.name = _value_name(*self.path[1:]) if len(self.path) > 2 else None

    def text(self, text: str) -> None:
        """Add text to the value being read."""
        if self.name:
            self.values[self.name] = (self.values.get(self.name, "") + text)[:MAX_VALUE_CHARS]

    def end(self, tag: str) -> None:
        """Leave an element, and keep it when it was an entry."""
        self.path.pop()
        self.name = None
        if len(self.path) == 1:
            self.entries.append(Entry(local_name(tag), self.values))
            self.values = {}


def _value_name(entry: str, *below: str) -> str | None:
    is_foreign = len(below) == 1 and below[0].rpartition(":")[0] != entry.rpartition(":")[0]
    return None if is_foreign else _PLACES.get(tuple(map(local_name, below)))


# Sitemaps and sitemap indexes, with the `news:*` values that Scrapy's own reader drops.

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
