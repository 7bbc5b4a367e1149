"""Parse the JSON-LD of a page, once for all who need it.

Sites write it inside comments, with trailing commas, or several objects in a row.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.reading.metadata.schema.schema_nodes import Graph
from newsextract.reading.metadata.text_folding import unescape
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lxml.html import HtmlElement

_DECODER = json.JSONDecoder(strict=False)  # strict=False allows raw newlines and tabs inside strings

_WRAPPING = re.compile(
    r"<!--|-->|//\s*<!\[CDATA\[|//\s*\]\]>|/\*\s*<!\[CDATA\[\s*\*/|/\*\s*\]\]>\s*\*/|<!\[CDATA\[|\]\]>"
)
_BETWEEN_VALUES = re.compile(r"[\s,;\ufeff\x00]*")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_MISSING_COMMA = re.compile(r"(?<=[}\]\"])(?=[^\S\n]*\n\s*\")")
_DOUBLE_COMMA = re.compile(r",\s*(?=,)")
_BAD_ESCAPE = re.compile(r"\\(?![\"\\/bfnrt]|u[0-9a-fA-F]{4})")
_COMMENT = re.compile(r"^[^\S\n]*//.*$|/\*[^*]*\*/", re.MULTILINE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]")
_QUOTE = re.compile(r"(\\.)|([\[{,:]\s*)\"|\"(?=\s*[\]},:])|(\")")

_MAX_REPAIRED_CHARS = 200_000
"""Longer broken texts are not repaired: each repair scans the whole text."""

_MAX_CHARS = 1_000_000
"""Characters of JSON-LD read per page, about 20 ms of parsing; articles have a few thousand."""
_MAX_SCRIPTS = 300
"""Scripts read per page: articles have a handful, and repairing many broken ones takes long."""


def _unwrap(text: str) -> str:
    return _CONTROL.sub(" ", _WRAPPING.sub(" ", text))


def _unescape(text: str) -> str:
    return unescape(text) if "&quot;" in text or "&#34;" in text else text


def _mend_commas(text: str) -> str:
    return _TRAILING_COMMA.sub("", _DOUBLE_COMMA.sub("", _MISSING_COMMA.sub(",", _COMMENT.sub("", text))))


def _mend_escapes(text: str) -> str:
    return _BAD_ESCAPE.sub(r"\\\\", text.replace("\\'", "'"))


def _escape_inner_quotes(text: str) -> str:
    """Escape the quotes that neither open nor close a string."""
    return _QUOTE.sub(lambda match: '\\"' if match[3] else match[0], text)


_REPAIRS: tuple[Callable[[str], str], ...] = (_unwrap, _unescape, _mend_commas, _mend_escapes, _escape_inner_quotes)
"""Repairs from the safest to the boldest; each is applied after the previous ones."""


def load_values(text: str) -> list[object]:
    """Return the JSON values in a text, or an empty list if it is beyond repair.

    >>> load_values('<!-- {"a": [1, 2,],} --> {"b": 3};')
    [{'a': [1, 2]}, {'b': 3}]
    """
    values, is_whole = _decode(text)
    if is_whole or len(text) > _MAX_REPAIRED_CHARS:
        return values
    for repair in _REPAIRS:
        text = repair(text)
        values, is_whole = _decode(text)
        if is_whole:
            break
    return values


def _decode(text: str) -> tuple[list[object], bool]:
    """Return the values in a row, and whether the text was parsed to its end."""
    values: list[object] = []
    try:
        values.extend(_values(text))
    except (ValueError, RecursionError):
        return values, False
    return values, True


def _values(text: str) -> Iterator[object]:
    position = 0
    while (position := _end_of_filler(text, position)) < len(text):
        value, position = _DECODER.raw_decode(text, position)
        yield value


def _end_of_filler(text: str, position: int) -> int:
    match = _BETWEEN_VALUES.match(text, position)
    return match.end() if match else position


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The nodes of a page's JSON-LD, and warnings about what could not be read."""

    graph: Graph
    warnings: tuple[Notice, ...]


def read_scripts(scripts: Iterable[HtmlElement]) -> LinkedData:
    """Return the content of the JSON-LD among these scripts."""
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
