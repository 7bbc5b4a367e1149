"""Write blocks as plain text: a line for each block, for each row of a table, and for each line of code.

Cells are separated by tabs, as in what browsers copy, so that a row can be split again and no word is added. Marks of
lists are not written: bullets and numbers are made by the browser, and are no words of the page.

What is raised or lowered has Unicode's characters where there are some for all of it (`m²`, `CO₂`, `10⁻⁶`), since
`106` for `10⁶` is wrong. Letters stay as they are (`1er`, `21st`); numbers of footnotes stand in brackets.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from newsextract.page.blocks import Inherited, nearest
from newsextract.page.rendering.document import Context, code_of
from newsextract.page.rendering.table_grids import DataTables, rows_of
from newsextract.page.text import as_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.blocks import Block, Outline

_SCRIPTS = {
    "sup": str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎"),
}
_MARKS = {"sup": "^", "sub": "_"}
_MAX_SCRIPT_CHARS = 20
"""Longer texts are in small print rather than raised."""
_SPECIAL_TAGS = frozenset(("table", "pre", *_SCRIPTS))
"""Tags without which every block is a line as it is."""
_BRACKETS = "[("
_SIMPLE = re.compile(r"[\w.,]+")


def write_text(blocks: Sequence[Block]) -> str:
    """Return the text of the blocks of one or more pages."""
    pages = groupby(blocks, key=lambda block: id(block.outline))
    return "\n".join(line for _, of_page in pages for line in _lines(list(of_page)))


def _lines(blocks: list[Block]) -> Iterator[str]:
    outline = blocks[0].outline
    if _SPECIAL_TAGS.isdisjoint(outline.tag_names):
        yield from (block.text for block in blocks)
        return
    scripts = _Scripts(outline)
    tables = DataTables(blocks)
    if not tables.grids and "pre" not in outline.tag_names:
        yield from map(scripts.text_of, blocks)
        return
    context = Context(blocks, tables)
    for (table, pre, _), group in groupby(blocks, key=lambda block: _unit(block, context)):
        together = list(group)
        if table >= 0:
            yield from _rows(together, table, context, scripts)
        elif pre < 0:
            yield scripts.text_of(together[0])
        elif not context.is_gutter(pre, code := code_of(together)):
            yield code


def _unit(block: Block, context: Context) -> tuple[int, int, int]:
    """Return a key that blocks of the same table of data, or of the same `pre`, share."""
    table = context.tables.table_of(block.owner)
    return (table, -1, 0) if table >= 0 else (-1, *context.unit(block))


def _rows(blocks: list[Block], table: int, context: Context, scripts: _Scripts) -> Iterator[str]:
    """Yield the captions of a table, then its rows."""
    contents: dict[int, str] = {}
    for block in blocks:
        room = context.containers.of(block.owner)
        cell = next(each for each in room if each.tag in ("td", "th", "caption") and each.element > table)
        text = scripts.text_of(block)
        if cell.tag == "caption":
            yield text
        else:
            contents[cell.element] = f"{contents[cell.element]} {text}" if cell.element in contents else text
    for row in rows_of(context.tables.grids[table], contents):
        yield "\t".join((slot and slot.content) or "" for slot in row.slots)


class _Scripts:
    """What a page raises and lowers."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.around = Inherited(outline, -1, self._step)
        self.links = nearest(outline, "a")
        self.has_any = not outline.tag_names.isdisjoint(_SCRIPTS)

    def text_of(self, block: Block) -> str:
        """Return the text of a block on one line."""
        if not self.has_any:
            return block.text
        holders = self.outline.holders[block.start : block.stop]
        if all(self.around.of(holder) < 0 for holder in holders):
            return block.text
        texts = [""]
        link = -1
        runs = zip(self.outline.runs[block.start : block.stop], holders, strict=True)
        for script, group in groupby(runs, key=lambda run: self.around.of(run[1])):
            together = list(group)
            inner = "".join(run for run, _ in together)
            own_link = max(self.links.of(holder) for _, holder in together)
            if script >= 0:
                is_note = own_link >= 0 and own_link != link
                inner = written(self.outline.tags[script], inner, texts[-1][-1:], is_note=is_note)
            texts.append(inner)
            link = own_link
        return as_read("".join(texts))

    def _step(self, around: int, element: int) -> int:
        if self.outline.owners[element] == element:
            return -1
        return element if around < 0 and self.outline.tags[element] in _SCRIPTS else around


def written(script: str, text: str, before: str, *, is_note: bool) -> str:
    """Return a text that is raised (`sup`) or lowered (`sub`) behind another character, as plain text.

    >>> [written("sup", text, "0", is_note=False) for text in ("6", "-6", "n+1", "2.5", "2k*", "st")]
    ['⁶', '⁻⁶', 'ⁿ⁺¹', '^2.5', '^(2k*)', 'st']
    >>> written("sub", "2", "O", is_note=False), written("sub", "max", "T", is_note=False)
    ('₂', 'max')
    >>> written("sup", "1", "d", is_note=True), written("sup", "[1]", "d", is_note=True)
    ('[1]', '[1]')
    """
    core = text.strip()
    if not core or len(core) > _MAX_SCRIPT_CHARS:
        return text
    if is_note:
        return text.replace(core, f"[{core}]") if core[0].isalnum() else text
    is_word = len(core) > 1 and core.isalpha()
    if is_word or not before.strip() or core[0] in _BRACKETS:
        return text
    raised = core.translate(_SCRIPTS[script])
    if all(old != new for old, new in zip(core, raised, strict=True)):
        return text.replace(core, raised)
    has_number = any(char.isdecimal() for char in core)
    return (
        text.replace(core, _MARKS[script] + (core if _SIMPLE.fullmatch(core) else f"({core})")) if has_number else text
    )
