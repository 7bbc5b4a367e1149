"""Parts as Markdown: CommonMark, with the tables of GitHub Flavored Markdown."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from newsextract.blocks import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.parts import Part, Span

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")
_LINE_START = re.compile(r"^(\s*)([#+-]|\d+[.)](?=\s))")
_WRAPPERS = {"em": "*", "strong": "**", "code": "`"}


def write_markdown(parts: Iterable[Part]) -> str:
    """Return the parts as one Markdown document, paragraphs separated by a blank line.

    Items of one list follow each other without one, and a table's rows are lines.
    """
    written: list[str] = []
    last_item: tuple[int, str] | None = None
    for table, group in groupby(parts, key=_table):
        if table is not None:
            written.append(_table_rows(list(group)))
            continue
        for part in group:
            item = next((c for c in reversed(part.containers) if c[1] == "li"), None)
            text = _paragraph(part, is_first=item != last_item)
            is_next_item = item is not None and last_item is not None and item != last_item
            if is_next_item and written:
                written[-1] += f"\n{text}"
            else:
                written.append(text)
            last_item = item
    return "\n\n".join(filter(None, written))


def _table(part: Part) -> int | None:
    return next((number for number, tag in part.containers if tag == "table"), None)


def _paragraph(part: Part, *, is_first: bool) -> str:
    text = _content(part)
    for _, tag in reversed(part.containers):
        if tag == "li":
            bullet = "1. " if _list_tag(part) == "ol" else "- "
            text = _indent(text, bullet if is_first else " " * len(bullet), " " * len(bullet))
            is_first = False  # outer items of a nested list have shown their bullets
        elif tag == "blockquote":
            text = _indent(text, "> ", "> ")
    return text


def _list_tag(part: Part) -> str:
    return next(tag for _, tag in reversed(part.containers) if tag in ("ul", "ol"))


def _content(part: Part) -> str:
    if part.picture:
        return f"![{_escaped(part.picture.alt)}](<{part.picture.url}>)"
    if part.tag == "pre":
        code = "".join(span.text for span in part.spans).replace(LINE_BREAK, "\n").strip("\n")
        return f"```\n{code}\n```"
    text = _inline(part.spans)
    if part.tag.startswith("h"):
        return f"{'#' * int(part.tag[1])} {text}"
    return f"*{text}*" if part.tag == "figcaption" else _LINE_START.sub(r"\1\\\2", text)


def _inline(spans: Sequence[Span]) -> str:
    """Return the spans as one line of inline Markdown; line breaks stay hard.

    Markdown's marks must touch the text they enclose, so white space moves outside of them.
    """
    return "".join(map(_span, spans)).replace(LINE_BREAK, "\\\n")


def _span(span: Span) -> str:
    inner = span.text.strip()
    if not inner:
        return span.text
    before, _, after = span.text.partition(inner)
    inner = inner.replace("`", "'") if "code" in span.tags else _escaped(inner)
    for tag in reversed(span.tags):
        inner = f"{_WRAPPERS[tag]}{inner}{_WRAPPERS[tag]}"
    return f"{before}[{inner}](<{span.href}>){after}" if span.href else f"{before}{inner}{after}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _indent(text: str, first: str, rest: str) -> str:
    head, *tail = text.split("\n")
    return "\n".join([first + head, *(rest + line for line in tail)])


def _table_rows(parts: Sequence[Part]) -> str:
    rows = [list(_cells(row)) for _, row in groupby(parts, key=lambda part: _number(part, "tr"))]
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * width, *body])


def _cells(row: Iterable[Part]) -> Iterator[str]:
    for _, cell in groupby(row, key=lambda part: _number(part, "td", "th")):
        yield " ".join(_content(part).replace("\n", " ") for part in cell)


def _number(part: Part, *tags: str) -> int | None:
    return next((number for number, tag in reversed(part.containers) if tag in tags), None)
