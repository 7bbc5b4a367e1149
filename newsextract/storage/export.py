"""Articles of a database as CSV for spreadsheets, JSON Lines for programs, and Markdown files for people.

In: rows of `articles`. Out: text. The command `export`, the desk and the data sets of archives share what is here.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

from newsextract.page.rendering.renderer import article_markdown
from newsextract.storage.articles import values_of
from newsextract.storage.search.article_search import day_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

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

_HEADER = {
    "title": "headline", "url": "url", "site": "site", "date": "date_published", "modified": "date_modified",
    "authors": "authors", "publisher": "publisher", "language": "in_language", "section": "section",
    "keywords": "keywords", "description": "description", "id": "id",
}  # fmt: skip
"""The keys of a Markdown file's header, as other programs know them, and the columns of the database."""

_NOT_IN_YAML = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

_SLUG_CHARS = 40
"""Four bytes each at most: names of files end at 255."""
_ID_CHARS = 12


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO) -> int:
    """Write a line of `CELLS` for each article; return how many there were."""
    file.write(csv_head())
    return _written((csv_lines([row]) for row in rows), file)


def write_json_lines(rows: Iterable[Mapping[str, Any]], file: TextIO, form: Callable[[Any], Any] = dict) -> int:
    """Write an article a line, with the fields of the item or in a form of `article_forms`; return how many."""
    return _written((json_line(row, form) for row in rows), file)


def write_markdown(rows: Iterable[Mapping[str, Any]], folder: Path) -> int:
    """Write `SITE/DAY-HEADLINE-ID.md` for each article; return how many there were."""
    count = 0
    for row in rows:
        path = folder / (re.sub(r"[^\w.-]", "_", row["site"]).strip(".") or "_") / file_name(row)
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(markdown_text(row))
        count += 1
    return count


def csv_head() -> str:
    """Return the first line of a CSV, with the mark by which spreadsheets know that it is UTF-8."""
    return "\ufeff" + csv_text([list(CELLS)])


def csv_lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the lines of articles, given as rows of the table; a list is its parts, those with a name their names."""
    return csv_text([[_joined(row[column]) for column in CELLS.values()] for row in found])


def csv_text(lines: Sequence[Sequence[Any]]) -> str:
    """Return lines of cells as CSV, safe for spreadsheets."""
    written = io.StringIO()
    csv.writer(written).writerows([[_cell(value) for value in line] for line in lines])
    return encodable(written.getvalue())


def json_line(row: Mapping[str, Any], form: Callable[[Any], Any] = dict) -> str:
    """Return the item of an article's row as a line of JSON."""
    return encodable(json.dumps(form(values_of(row)), ensure_ascii=False)) + "\n"


def file_name(row: Mapping[str, Any]) -> str:
    """Return the name of an article's file, which no other has.

    >>> file_name({"moment": "2026-05-20T05:00:00", "headline": "Été: “Go!” / 7", "id": "0123456789abcdef"})
    '2026-05-20-été-go-7-0123456789ab.md'
    """
    slug = re.sub(r"\W+", "-", encodable(row["headline"] or "").lower())[:_SLUG_CHARS].strip("-")
    return "-".join(filter(None, (day_of(row), slug, row["id"][:_ID_CHARS]))) + ".md"


def markdown_text(row: Mapping[str, Any]) -> str:
    """Return a header in YAML, then headline and text; what the page does not state is not in the header."""
    stated = {key: row[column] for key, column in _HEADER.items() if row[column]}
    header = {key: names_in(value) if isinstance(value, list) else str(value) for key, value in stated.items()}
    body = article_markdown(row["headline"], row["article_markdown"], row["article_body_html"], row["article_body"])
    return encodable(f"---\n{yaml_header(header)}---\n\n{body}\n")


def yaml_header(values: Mapping[str, Any]) -> str:
    r"""Return lines of YAML with each value as JSON, which YAML contains.

    >>> yaml_header({"title": "Été: “Go!”", "tags": ["a", "b"]})
    'title: "Été: “Go!”"\ntags: ["a", "b"]\n'
    """
    lines = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", lines)


def encodable(text: str) -> str:
    """Return a text without halves of characters, which JSON can state and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _written(lines: Iterable[str], file: TextIO) -> int:
    count = 0
    for line in lines:
        file.write(line)
        count += 1
    return count


def _joined(value: Any) -> Any:
    return "; ".join(names_in(value)) if isinstance(value, list) else value


def names_in(value: Any) -> list[str]:
    """Return the names of the parts of a list, or the parts where they are texts.

    >>> names_in([{"name": "A. B.", "url": None}, {"name": None}]), names_in(["x"]), names_in(None)
    (['A. B.'], ['x'], [])
    """
    parts = (part.get("name") if isinstance(part, dict) else part for part in value or ())
    return [str(part) for part in parts if part]


def _cell(value: Any) -> Any:
    """Return a value with a mark before what a spreadsheet would execute.

    >>> _cell("=cmd|' /C calc'!A0"), _cell(" -5 degrees"), _cell("well, 2 = 2"), _cell(-7)
    ("'=cmd|' /C calc'!A0", "' -5 degrees", 'well, 2 = 2', -7)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
