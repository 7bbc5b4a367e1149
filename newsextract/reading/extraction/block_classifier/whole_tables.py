"""Tables of data are kept whole: short cells look like no text of the article, but a table without them is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.page.blocks import nearest
from newsextract.page.rendering.tables import DataTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block, Outline

LEAST_KEPT = 1 / 3
"""Share of a table's blocks that must be kept for the others to join them. On the development corpora this gains .001
of token F1 on pages with tables."""

_SIGNS_OF_DATA = frozenset(("th", "caption"))
"""Of a table with one of them between kept blocks, a single kept block is enough: a lone cell tells nobody anything."""


def with_whole_tables(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks of a page with the missing ones of those tables of data that are kept in large part."""
    if not blocks or "table" not in blocks[0].outline.tag_names:
        return tuple(blocks)
    outline = blocks[0].outline
    kept = {block.start for block in blocks}
    added: list[Block] = []
    for table in _innermost_tables(blocks):
        start, stop = outline.runs_of(table)
        first, last = outline.table.starts.searchsorted((start, stop)).tolist()
        inside = outline.blocks_at(range(first, last))
        missing = [block for block in inside if block.start not in kept]
        is_large = len(inside) - len(missing) >= LEAST_KEPT * len(inside)
        is_between = blocks[0].start < start and stop <= blocks[-1].start
        is_wanted = is_large or (is_between and _is_of_data(outline, table))
        if missing and is_wanted and table in DataTables(inside).grids:
            added += missing
    return tuple(sorted((*blocks, *added), key=lambda block: block.start)) if added else tuple(blocks)


def _innermost_tables(blocks: Sequence[Block]) -> list[int]:
    """Return the tables directly around some of the blocks, without those around others of them."""
    outline = blocks[0].outline
    around = nearest(outline, "table")
    tables = {around.of(block.owner) for block in blocks} - {-1}
    return sorted(tables - {around.of(outline.parents[table]) for table in tables})


def _is_of_data(outline: Outline, table: int) -> bool:
    return not _SIGNS_OF_DATA.isdisjoint(outline.tags[table : outline.stops[table]])
