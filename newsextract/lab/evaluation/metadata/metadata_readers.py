"""Readers of metadata: ours, and the reference tools that are installed.

Each gets a page already parsed by its own parser, so that times can be compared. trafilatura's dates are days by
default, so its minutes are not measured. Of readability's two titles, the one without the site's name is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

from newsextract.lab.evaluation.measures.metadata_scores import names_in
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.page.page import Page
    from newsextract.reading.metadata.clues import Metadata

OURS = "newsextract"
"""The name of our reader."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A reader's answer for a page; names are normalised for comparison."""

    headline: str | None = None
    date: str | None = None
    """ISO 8601."""
    persons: frozenset[str] = frozenset()
    organizations: frozenset[str] = frozenset()
    metadata: Metadata | None = None
    """All metadata, if the reader is ours."""


Reading: TypeAlias = Callable[[], Statement]
"""Reads the page that it was prepared for; this is what is timed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A contestant: which fields it gives, what it needs, and how it reads a page."""

    fields: frozenset[str]
    prepare: Callable[[Page], Reading]
    requires: str = "newsextract"


def ours(page: Page) -> Reading:
    """Return our reading of a page."""
    _ = page.tree  # parsed on first use, then cached
    return lambda: statement_of(read_metadata(page))


def statement_of(metadata: Metadata) -> Statement:
    """Return the compared fields of our metadata."""
    organizations = names_in(author.name for author in metadata.authors or () if author.type == "Organization")
    persons = names_in(author.name for author in metadata.authors or () if author.type != "Organization")
    return Statement(metadata.headline, metadata.datePublished, persons, organizations, metadata)


def trafilatura(page: Page) -> Reading:
    """Return trafilatura's reading of a page."""
    from trafilatura import extract_metadata  # noqa: PLC0415 - an extra
    from trafilatura.utils import load_html  # noqa: PLC0415 - an extra

    tree = load_html(page.decoded.text)

    def read() -> Statement:
        if tree is None:  # trafilatura's way to say that a page has no HTML
            return Statement()
        document = extract_metadata(tree, default_url=page.url)
        return Statement(document.title, document.date, names_in([document.author or ""]))

    return read


def readability(page: Page) -> Reading:
    """Return readability's title of a page."""
    from readability.htmls import build_doc, shorten_title  # noqa: PLC0415 - an extra

    tree, _ = build_doc(page.decoded.text)
    return lambda: Statement(shorten_title(tree) or None)


READERS: Mapping[str, Reader] = {
    OURS: Reader(frozenset(("headline", "date", "minute", "authors", "kind")), ours),
    "trafilatura": Reader(frozenset(("headline", "date", "authors")), trafilatura, "trafilatura"),
    "readability": Reader(frozenset(("headline",)), readability, "readability"),
}
"""The readers by name, in the order of the tables."""


def reader_names() -> list[str]:
    """Return the readers whose packages are installed."""
    return [name for name, reader in READERS.items() if find_spec(reader.requires)]
