"""The formats in which articles are written, each alone and several in one stream."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.article import Article
    from newsextract.reading.extraction.contract import Extraction


@dataclass(frozen=True, slots=True)
class Form:
    """How one article is written, and several one after another."""

    suffix: str
    """Of a file with one article."""
    write: Callable[[Extraction, Article], str]
    opening: Callable[[], str] = str
    """Returns what stands before the first of several articles in one stream."""
    title: Callable[[str], str] = lambda _: ""
    """Returns what stands before each of several, given the name of its page."""
    between: str = "\n"
    """Between two of several."""
    ending: str = ""
    """After each of several."""
    closing: str = ""
    """After the last of several."""
    opening_of_one: Callable[[], str] = str
    """Returns what stands before an article alone."""
    keeps_empty: bool = False
    """Whether an article without a body is written, for its metadata."""


def _markdown(extraction: Extraction, article: Article) -> str:
    from newsextract.page.rendering.renderer import heading  # noqa: PLC0415 - as the body, after the imports

    return "\n\n".join(filter(None, (heading(article.headline), extraction.markdown)))


def _row(_: Extraction, article: Article) -> str:
    """Return the values of an article as one line of CSV; lists and what has parts as JSON, absent ones empty."""
    return _csv_line([_cell(value) for value in article.to_dict().values()])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _csv_line(cells: list[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)  # it quotes cells with what ends a line
    return written.getvalue().removesuffix("\r\n")


def csv_header() -> str:
    """Return the names of the columns, which are the fields of an article."""
    from dataclasses import fields  # noqa: PLC0415 - with the article, only for this format

    from newsextract.article import Article  # noqa: PLC0415

    return _csv_line([field.name for field in fields(Article)]) + "\n"


def _article_of(name: str) -> str:
    return f'<article data-source="{escape(name)}">\n'


FORMS: dict[str, Form] = {
    "text": Form(".txt", lambda found, _: found.text, title="==> {} <==\n".format, between="\n\n"),
    "markdown": Form(".md", _markdown, between="\n\n---\n\n"),
    "html": Form(".html", lambda found, _: found.html, title=_article_of, ending="\n</article>"),
    "json": Form(
        ".json", lambda _, article: article.to_json(indent=2), lambda: "[\n", between=",\n", closing="]\n",
        keeps_empty=True,
    ),
    "jsonl": Form(".jsonl", lambda _, article: article.to_json(), keeps_empty=True),
    "csv": Form(".csv", _row, csv_header, opening_of_one=csv_header, keeps_empty=True),
}  # fmt: skip
"""The formats by name."""
