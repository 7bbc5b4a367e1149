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

from newsextract.sites.published.site_files import ForbiddenEntity, Malformed, SiteFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
