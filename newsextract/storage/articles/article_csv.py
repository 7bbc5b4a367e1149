"""CSV of articles for people and their spreadsheets: in UTF-8 that these recognise, and with nothing they execute."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CELLS = {
    "Headline": "headline",
    "Site": "site",
    "Address": "url",
    "Published": "date_published",
    "Published (UTC)": "date_published_utc",
    "Modified": "date_modified",
    "Authors": "authors",
    "Publisher": "publisher",
    "Language": "in_language",
    "Section": "section",
    "Keywords": "keywords",
    "Words": "word_count",
    "First seen (UTC)": "date_first_seen",
    "Lead": "description",
    "Text": "article_body",
}
"""The columns of the CSV, and those of the database."""

_FORMULA = re.compile(
    r"[\s\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]"
)
"""What spreadsheets may take for a formula, and so execute: pages can say `=cmd|…`, also behind what nobody sees."""


def csv_head() -> str:
    """Return the first line of a CSV, with the mark by which spreadsheets know that it is UTF-8."""
    return "\ufeff" + csv_text([list(CELLS)])


def csv_lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the lines of articles, given as rows of the table; a list is its parts, those with a name their names."""
    return csv_text([[_plain(row[column]) for column in CELLS.values()] for row in found])


def csv_text(lines: Sequence[Sequence[Any]]) -> str:
    """Return lines of cells as CSV, safe for spreadsheets."""
    written = io.StringIO()
    csv.writer(written).writerows([[_cell(value) for value in line] for line in lines])
    return encodable(written.getvalue())


def encodable(text: str) -> str:
    """Return a text without halves of characters, which JSON can state and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    parts = (part.get("name") if isinstance(part, dict) else part for part in value)
    return "; ".join(str(part) for part in parts if part)


def _cell(value: Any) -> Any:
    """Return a value with a mark before what a spreadsheet would execute.

    >>> _cell("=cmd|' /C calc'!A0"), _cell(" -5 degrees"), _cell("well, 2 = 2"), _cell(-7)
    ("'=cmd|' /C calc'!A0", "' -5 degrees", 'well, 2 = 2', -7)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
