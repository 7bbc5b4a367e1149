"""The JSON-LD of a page, read once for everybody who asks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.reading.metadata.schema.json_text import load_values
from newsextract.reading.metadata.schema.schema_nodes import Graph
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

_MAX_CHARS = 1_000_000
"""JSON-LD read per page, about 20 ms of parsing: articles have a few thousand characters of it."""
_MAX_SCRIPTS = 300
"""Scripts read per page: articles have a handful, and mending a broken one takes longer than reading a short one."""


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The nodes of a page's JSON-LD, and what could not be read of it."""

    graph: Graph
    warnings: tuple[Notice, ...]


def read_scripts(scripts: Iterable[HtmlElement]) -> LinkedData:
    """Return what the JSON-LD among these scripts holds."""
    values: list[object] = []
    warnings: list[Notice] = []
    remaining_chars = _MAX_CHARS
    for text in islice(_texts(scripts), _MAX_SCRIPTS):
        if len(text) > remaining_chars:
            warnings.append(Notice(NoticeCode.TOO_MUCH_TO_READ, chars=len(text)))
            continue
        remaining_chars -= len(text)
        found = load_values(text)
        if not found:
            warnings.append(Notice(NoticeCode.BROKEN, start=text.strip()[:60]))
        values += found
    return LinkedData(Graph(values), tuple(warnings))


def _texts(scripts: Iterable[HtmlElement]) -> Iterator[str]:
    """Yield the non-blank texts of the scripts that are JSON-LD."""
    marked = (el for el in scripts if "ld+json" in el.get("type", "").lower())
    return (text for el in marked if (text := el.text) and text.strip())
