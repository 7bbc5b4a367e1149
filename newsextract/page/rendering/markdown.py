"""Write parts as Markdown: CommonMark, with the tables and the strikethrough of GitHub Flavored Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsextract.page.rendering.inline_markdown import destination, escaped, fence, write_inline
from newsextract.page.rendering.inline_spans import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.rendering.containers import Container, Containers
    from newsextract.page.rendering.document_parts import Part, Table
    from newsextract.page.rendering.inline_spans import Span
    from newsextract.page.rendering.tables import Slot

_LINE_START = re.compile(r"^(?:([#+=-]|:(?=-))|([0-9]{1,9})([.)])(?=\s|$))", re.MULTILINE)
"""What would begin a heading, an item, a rule or a table at the start of a line."""
_CLOSING = re.compile(r"#$")
"""What would end a heading."""
_BARE_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_CODE_PIPE = "\0"
"""Stands for a pipe in code until the others are escaped: a backslash before it escapes nothing. No text has it."""
_PREFIXED = ("blockquote", "ul", "ol", "li")
"""Containers that Markdown can write."""
_MARKERS = {"ul": ("-", "*"), "ol": (".", ")")}
"""Two lists without anything between them are told apart by another marker."""
_MAX_NUMBER = 999_999_999


def write_markdown(parts: Iterable[Part]) -> str:
    """Return the parts as one Markdown document, blocks separated by a blank line, items of a list by none."""
    writer = _Writer()
    for part in parts:
        writer.add(part)
    return "\n".join(writer.lines)


@dataclass(frozen=True, slots=True)
class _Open:
    """A container that is open, and what it puts before the lines in it."""

    container: Container
    marker: str = ""
    """Of a list."""
    first: str = ""
    rest: str = ""


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.open: list[_Open] = []
        self.was_paragraph = False

    def add(self, part: Part) -> None:
        """Append a part, with the markers of the containers that it opens before its first line."""
        around = tuple(container for container in part.containers if container.tag in _PREFIXED)
        shared = self._shared(around)
        outer = "".join(each.rest for each in self.open[:shared])
        opened = self._opened(around, shared)
        if self.lines and not self._is_tight(opened, shared):
            self.lines.append(outer.rstrip())
        first = outer + "".join(each.first for each in opened)
        rest = outer + "".join(each.rest for each in opened)
        head, *tail = _content(part).split("\n")
        self.lines.append(first + head)
        self.lines += [(rest + line).rstrip() if not line else rest + line for line in tail]
        self.open[shared:] = opened
        self.was_paragraph = part.tag in ("p", "img", "figcaption")

    def _shared(self, around: Containers) -> int:
        for depth, (old, new) in enumerate(zip(self.open, around, strict=False)):
            if old.container != new:
                return depth
        return min(len(self.open), len(around))

    def _opened(self, around: Containers, shared: int) -> list[_Open]:
        last = self.open[shared] if shared < len(self.open) else None
        opened: list[_Open] = []
        for container in around[shared:]:
            if container.tag in _MARKERS:
                one, other = _MARKERS[container.tag]
                is_beside = last is not None and not opened and last.marker == one
                opened.append(_Open(container, other if is_beside else one))
            elif container.tag == "li":
                marker = (opened[-1] if opened else self.open[shared - 1]).marker
                start = f"{marker} " if marker in _MARKERS["ul"] else f"{_number(container)}{marker} "
                opened.append(_Open(container, "", start, " " * len(start)))
            else:
                opened.append(_Open(container, "", "> ", "> "))
        return opened

    def _is_tight(self, opened: Sequence[_Open], shared: int) -> bool:
        """Tell whether no blank line is needed: before a further item, and a list in an item."""
        if not opened or not shared:
            return False
        if opened[0].container.tag == "li":
            return True
        is_inner = opened[0].marker != "" and self.open[shared - 1].container.tag == "li" and shared == len(self.open)
        # In a paragraph only a list that starts with 1 is seen.
        return is_inner and not (self.was_paragraph and opened[0].container.tag == "ol" and opened[1].first[:2] != "1.")


def _number(item: Container) -> int:
    return min(max(1 if item.number is None else item.number, 0), _MAX_NUMBER)


def _content(part: Part) -> str:
    if part.table:
        return "\n".join(_table(part.table))
    if part.image:
        return f"![{escaped(part.image.alt)}]({destination(part.image.url)})"
    if part.tag == "pre":
        code = text_of(part.spans)
        marks = fence(code, 3)
        return f"{marks}{part.language}\n{code}\n{marks}"
    text = write_inline(_emphasised(part))
    if part.tag.startswith("h"):
        title = _CLOSING.sub("\\\\#", _on_one_line(text, " "))
        return f"{'#' * int(part.tag[1])} {title}"
    return _LINE_START.sub(_escaped_start, text)


def _emphasised(part: Part) -> Sequence[Span]:
    """Return the spans of a part, those of a caption in italics, and those of a summary in bold."""
    is_summary = part.tag == "p" and bool(part.containers) and part.containers[-1].tag == "summary"
    tag = "em" if part.tag == "figcaption" else "strong" if is_summary else ""
    if not tag:
        return part.spans
    return [replace(span, tags=(tag, *(inner for inner in span.tags if inner != tag))) for span in part.spans]


def _escaped_start(found: re.Match[str]) -> str:
    mark, number, stop = found.groups()
    return f"\\{mark}" if mark else f"{number}\\{stop}"


def _on_one_line(text: str, gap: str) -> str:
    return text.replace("\\\n", gap).replace("\n", gap)


def _table(table: Table) -> Iterator[str]:
    """Yield the captions, and the rows as lines; GitHub requires a header, which is empty if the table has none."""
    for caption in table.captions:
        yield f"{_content(replace(caption, tag='figcaption'))}\n"
    first, *others = table.rows
    width = len(first.slots)
    if not first.is_head:
        others = list(table.rows)
    yield _row(first.slots if first.is_head else (None,) * width)
    yield "|" + " --- |" * width
    for row in others:
        yield _row(row.slots)


def _row(slots: Sequence[Slot[tuple[Part, ...]] | None]) -> str:
    return "| " + " | ".join(map(_cell, slots)) + " |"


def _cell(slot: Slot[tuple[Part, ...]] | None) -> str:
    """Return the content of a cell on one line; line breaks and blocks in it are divided by `<br>`."""
    parts = (slot and slot.content) or ()
    lines = (_on_one_line(_content(part) if part.image else write_inline(_piped(part)), "<br>") for part in parts)
    return _BARE_PIPE.sub(r"\1\\|", "<br>".join(lines)).replace(_CODE_PIPE, r"\|")


def _piped(part: Part) -> list[Span]:
    return [replace(one, text=one.text.replace("|", _CODE_PIPE)) if "code" in one.tags else one for one in part.spans]
