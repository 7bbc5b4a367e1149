"""Write parts as Markdown: CommonMark, with the tables of GitHub Flavored Markdown."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from newsextract.page.text_runs import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.rendering.document_parts import Part, Span

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~]|&(?=[#\w]+;))")
_LINE_START = re.compile(r"^(\s*)(?:([#+=-])|(\d+)([.)])(?=\s))", re.MULTILINE)
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_BACKTICKS = re.compile("`+")
_WRAPPERS = {"em": "*", "strong": "**"}
_IN_ADDRESS = str.maketrans({"<": "%3C", ">": "%3E", "\\": "%5C"})


def write_markdown(parts: Iterable[Part]) -> str:
    """Return the parts as one Markdown document, paragraphs separated by a blank line.

    Items of one list follow each other without one, and a table's rows are lines.
    """
    written: list[str] = []
    shown: set[tuple[int, str] | None] = set()
    last_item: tuple[int, str] | None = None
    for table, group in groupby(parts, key=_table):
        if table is not None:
            written += ("\n\n", _table_rows(list(group)))
            continue
        for part in group:
            item = next((c for c in reversed(part.containers) if c[1] == "li"), None)
            is_next_item = item is not None and last_item is not None and item not in shown
            written += ("\n" if is_next_item else "\n\n", _paragraph(part, is_first=item not in shown))
            shown.add(item)
            last_item = item
    return "".join(written[1:])


def _table(part: Part) -> int | None:
    return next((number for number, tag in part.containers if tag == "table"), None)


def _paragraph(part: Part, *, is_first: bool) -> str:
    text = _content(part)
    for _, tag in reversed(part.containers):
        if tag == "li":
            bullet = "1. " if _list_tag(part) == "ol" else "- "
            text = _indent(text, bullet if is_first else " " * len(bullet), " " * len(bullet))
            is_first = False  # the outer items of a nested list already have their bullets
        elif tag == "blockquote":
            text = _indent(text, "> ", "> ")
    return text


def _list_tag(part: Part) -> str:
    return next(tag for _, tag in reversed(part.containers) if tag in ("ul", "ol"))


def _content(part: Part) -> str:
    if part.image:
        return f"![{_escaped(part.image.alt)}](<{part.image.url.translate(_IN_ADDRESS)}>)"
    if part.tag == "pre":
        code = "".join(span.text for span in part.spans).replace(LINE_BREAK, "\n").strip("\n")
        fence = _fence(code, 3)
        return f"{fence}\n{code}\n{fence}"
    text = _inline(part.spans)
    if part.tag.startswith("h"):
        return f"{'#' * int(part.tag[1])} {_one_line(text)}"
    return f"*{text}*" if part.tag == "figcaption" else _LINE_START.sub(_escaped_start, text)


def _escaped_start(found: re.Match[str]) -> str:
    space, mark, number, stop = found.groups()
    return f"{space}\\{mark}" if mark else f"{space}{number}\\{stop}"


def _inline(spans: Sequence[Span]) -> str:
    """Return the spans as one line of inline Markdown; line breaks stay hard.

    Markdown's marks must touch the text they enclose, so white space moves outside them. Neighbours with the same marks
    share them.
    """
    alike = groupby(spans, key=lambda span: (span.tags, span.href))
    pieces = (_span("".join(span.text for span in group), *markup) for markup, group in alike)
    return "".join(pieces).strip().replace(LINE_BREAK, "\\\n")


def _span(text: str, tags: Sequence[str], href: str | None) -> str:
    inner = text.strip()
    if not inner:
        return text
    before, _, after = text.partition(inner)
    inner = _code(inner) if "code" in tags else _escaped(inner)
    for tag in reversed(tags):
        mark = _WRAPPERS.get(tag, "")
        inner = f"{mark}{inner}{mark}"
    return f"{before}[{inner}](<{href.translate(_IN_ADDRESS)}>){after}" if href else f"{before}{inner}{after}"


def _code(text: str) -> str:
    """Return the text as a code span, fenced by more backticks than it contains in a row.

    >>> _code("a `b` c")
    '`` a `b` c ``'
    """
    fence = _fence(text, 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text.replace(LINE_BREAK, ' ')}{pad}{fence}"


def _fence(code: str, least: int) -> str:
    longest = max(map(len, _BACKTICKS.findall(code)), default=0)
    return "`" * max(least, longest + 1)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _one_line(text: str) -> str:
    return text.replace("\\\n", " ").replace("\n", " ")


def _indent(text: str, first: str, rest: str) -> str:
    head, *tail = text.split("\n")
    return "\n".join([first + head, *(rest + line for line in tail)])


def _table_rows(parts: Sequence[Part]) -> str:
    """Return the rows as lines; the first is the header, padded to the longest row as GitHub requires."""
    rows = [list(_cells(row)) for _, row in groupby(parts, key=lambda part: _number(part, "tr"))]
    width = max(map(len, rows))
    rows[0] += [""] * (width - len(rows[0]))
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * width, *body])


def _cells(row: Iterable[Part]) -> Iterator[str]:
    for _, cell in groupby(row, key=lambda part: _number(part, "td", "th")):
        yield _BARE_PIPE.sub(r"\|", " ".join(_one_line(_content(part)) for part in cell))


def _number(part: Part, *tags: str) -> int | None:
    return next((number for number, tag in reversed(part.containers) if tag in tags), None)
