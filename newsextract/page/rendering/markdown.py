"""Write parts as Markdown: CommonMark, with the tables and the strikethrough of GitHub Flavored Markdown."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsextract.page.outline import LINE_BREAK
from newsextract.page.rendering.document import by_link, by_tag, text_of, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.rendering.document import Container, Containers, Part, Span, Table
    from newsextract.page.rendering.table_grids import Slot


# Write spans as inline Markdown.
#
# CommonMark reads `*` as emphasis only where the characters on both sides allow it ("flanking"), which depends on
# punctuation, and on stars beside it. Where that is in doubt, as in `a**"b"**c` or between two Chinese characters and a
# quotation mark, HTML's tags are written, which Markdown may hold anywhere.

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~]|&(?=#?\w+;))")
_BACKTICKS = re.compile("`+")
_MARKS = {"em": "*", "strong": "**", "del": "~~"}
_IN_ANGLES = re.compile(r"[<>\\]")
_BARE_URL = re.compile(r"[^\s<>()\\\x00-\x1f\x7f]+")
_ENTITY = re.compile(r"&(?=#?\w+;)")


@dataclass(slots=True)
class _Token:
    """Markdown, or the start or end of a tag; `pair` is then the place of the other."""

    text: str
    tag: str = ""
    pair: int = -1


def write_inline(spans: Sequence[Span]) -> str:
    """Return the spans as inline Markdown; line breaks stay hard."""
    if len(spans) == 1 and not spans[0].tags and not spans[0].href:
        return escaped(spans[0].text)
    tokens: list[_Token] = []
    for href, group in by_link(spans):
        before, kept, after = trimmed(group) if href else ("", group, "")
        _add(tokens, escaped(before))
        if href and kept:
            _add(tokens, "[")
            _add_tagged(tokens, kept, 0)
            _add(tokens, f"]({destination(href)})")
        else:
            _add_tagged(tokens, kept, 0)
        _add(tokens, escaped(after))
    return "".join(_resolved(tokens))


def destination(url: str) -> str:
    """Return a URL as the target of a link, in angle brackets only where CommonMark needs them.

    >>> destination("https://a.example/b_c?d=1"), destination("https://a.example/(b)")
    ('https://a.example/b_c?d=1', 'https://a.example/(b)')
    >>> destination("https://a.example/b)c")
    '<https://a.example/b)c>'
    """
    safe = _ENTITY.sub("&amp;", url)
    if _BARE_URL.fullmatch(safe.replace("(", "").replace(")", "")) and _is_balanced(safe):
        return safe
    return f"<{_IN_ANGLES.sub(lambda found: f'%{ord(found[0]):02X}', safe)}>"


def fence(code: str, least: int) -> str:
    """Return backticks that are more than the code has in a row."""
    longest = max(map(len, _BACKTICKS.findall(code)), default=0)
    return "`" * max(least, longest + 1)


def escaped(text: str) -> str:
    """Return text whose characters mean nothing to Markdown; line breaks are hard ones."""
    return _SPECIAL.sub(r"\\\1", text).replace(LINE_BREAK, "\\\n")


def _is_balanced(url: str) -> bool:
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


def _add(tokens: list[_Token], text: str) -> None:
    if not text:
        return
    if text[0] == "[" and tokens and tokens[-1].text.endswith("!"):
        tokens[-1].text = f"{tokens[-1].text[:-1]}\\!"  # else it would be an image
    tokens.append(_Token(text))


def _add_tagged(tokens: list[_Token], spans: Sequence[Span], depth: int) -> None:
    for tag, group in by_tag(spans, depth):
        if tag is None:
            _add(tokens, escaped(text_of(group)))
            continue
        before, kept, after = trimmed(group)
        _add(tokens, escaped(before))
        if tag == "code":
            _add(tokens, _code(text_of(kept)))
        elif kept:
            start = len(tokens)
            tokens.append(_Token("", tag))
            _add_tagged(tokens, kept, depth + 1)
            tokens[start].pair = len(tokens)
            tokens.append(_Token("", tag, start))
        _add(tokens, escaped(after))


def _code(text: str) -> str:
    """Return the text as a code span, fenced by more backticks than it contains in a row.

    >>> _code("a `b` c")
    '`` a `b` c ``'
    """
    if not text:
        return ""
    marks = fence(text, 1)
    pad = " " if "`" in text else ""
    return f"{marks}{pad}{text.replace(LINE_BREAK, ' ')}{pad}{marks}"


def _resolved(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield the tokens' text, those of tags as marks where these are safe, else as HTML."""
    for place, token in enumerate(tokens):
        if not token.tag:
            yield token.text
        elif _has_marks(tokens, min(place, token.pair), max(place, token.pair)):
            yield _MARKS[token.tag]
        else:
            yield f"</{token.tag}>" if token.pair < place else f"<{token.tag}>"


def _has_marks(tokens: Sequence[_Token], start: int, stop: int) -> bool:
    """Tell whether CommonMark surely reads marks here as the start and the end of the same emphasis."""
    if tokens[start].tag not in _MARKS:
        return False
    if _are_both(tokens, start - 1, start):
        return _has_marks(tokens, start - 1, stop + 1)
    first, last = (start + 2, stop - 2) if _are_both(tokens, start, start + 1) else (start + 1, stop - 1)
    if tokens[first].tag or tokens[last].tag:
        return False
    outside = [tokens[n] for n in (start - 1, stop + 1) if 0 <= n < len(tokens)]
    if any(token.tag in _MARKS for token in outside):
        return False
    before = (tokens[start - 1].text or ">")[-1] if start else " "
    after = (tokens[stop + 1].text or "<")[0] if stop + 1 < len(tokens) else " "
    return _may_touch(before, tokens[first].text[0]) and _may_touch(after, tokens[last].text[-1])


def _are_both(tokens: Sequence[_Token], outer: int, inner: int) -> bool:
    """Tell whether two tags enclose the same text as `***both***`."""
    is_whole = outer >= 0 and tokens[inner].tag != "" and tokens[outer].pair == tokens[inner].pair + 1
    return is_whole and {tokens[outer].tag, tokens[inner].tag} == {"em", "strong"}


def _may_touch(outside: str, inside: str) -> bool:
    """Tell whether marks between these characters belong to the inner one, by every version of CommonMark."""
    if outside.isspace() or outside in string.punctuation or unicodedata.category(outside)[0] == "P":
        return True
    return unicodedata.category(inside)[0] not in "PS"


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
