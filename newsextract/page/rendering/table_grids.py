"""Tables of the article: which are for data and which for layout, and what their rows hold."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from newsextract.page.blocks import Inherited, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from newsextract.page.blocks import Block, Outline


# The grid of a table: in which row and column each cell stands, by HTML's table model.
#
# `colspan` and `rowspan` are resolved as browsers do, with bounds: a table that announces far more places than it has
# cells is not a table to read.

CELLS = ("td", "th")
_SECTIONS = ("thead", "tbody", "tfoot")

MAX_COLUMNS = 100
"""A table with more columns is not one for readers."""
_MAX_PLACES_PER_CELL = 20
"""Places of the grid for each cell with text; more are the empty ones of a layout, or an attack."""
_PLACES_ALWAYS = 400
_MAX_ROWSPAN = 65_534
"""HTML's own bound; it stands for 0 too, which means: to the end of the section."""
_MAX_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and the places that it covers: `rows` from `row` on, `columns` from `column` on."""

    element: int
    row: int
    column: int
    columns: int
    rows: int
    is_header: bool


@dataclass(slots=True)
class Grid:
    """The cells of a table by their elements, its number of rows, and which rows `thead` holds."""

    cells: dict[int, Cell] = field(default_factory=dict)
    row_count: int = 0
    heads: set[int] = field(default_factory=set)


def read_grid(outline: Outline, table: int) -> Grid | None:
    """Return the grid of a table, or `None` if it has too many columns or empty places."""
    reader = _Reader(outline)
    number, stop = table + 1, outline.stops[table]
    while number < stop:
        tag = outline.tags[number]
        if tag in CELLS:
            if not reader.place(number):
                return None
        elif tag == "tr":
            reader.start_row(number)
        elif tag in _SECTIONS:
            reader.start_section(number)
        # What cells and captions hold, tables among it, is not of this grid.
        number = outline.stops[number] if tag in (*CELLS, "caption", "table") else number + 1
    reader.end_section()
    return reader.grid


class _Reader:
    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.grid = Grid()
        self.column = 0
        self.is_new_row = True
        self.covered: dict[int, int] = {}
        """Columns that cells of this row or of earlier ones cover, and the row at which that ends."""
        self.tall: list[int] = []
        """Cells of this section that span rows."""
        self.head_stop = 0
        self.section_stop = 0
        self.places = 0
        self.most_places = _PLACES_ALWAYS

    def start_section(self, element: int) -> None:
        self.end_section()
        self.section_stop = self.outline.stops[element]
        if self.outline.tags[element] == "thead":
            self.head_stop = self.section_stop

    def start_row(self, element: int) -> None:
        if self.section_stop and element >= self.section_stop:
            self.end_section()
        if element < self.head_stop:
            self.grid.heads.add(self.grid.row_count)
        self.grid.row_count += 1
        self.is_new_row = True

    def place(self, element: int) -> bool:
        """Give a cell its place; return False if the table has become too wide or too empty."""
        if not self.grid.row_count:
            self.start_row(element)
        row = self.grid.row_count - 1
        if self.is_new_row:
            self.is_new_row = False
            self.column = 0
            self.places += len(self.covered)
            self.covered = {column: stop for column, stop in self.covered.items() if stop > row}
        while self.column in self.covered:
            self.column += 1
        start = self.column
        has_text = self.outline.run_starts[element] < self.outline.run_stops[element]
        self.most_places += _MAX_PLACES_PER_CELL if has_text else 1
        columns = max(_span(self.outline, element, "colspan"), 1)
        rows = min(_span(self.outline, element, "rowspan") or _MAX_ROWSPAN, _MAX_ROWSPAN)
        while self.column < min(start + columns, MAX_COLUMNS) and self.column not in self.covered:
            self.covered[self.column] = row + rows
            self.column += 1
        is_header = self.outline.tags[element] == "th"
        self.grid.cells[element] = Cell(element, row, start, self.column - start, rows, is_header)
        if rows > 1:
            self.tall.append(element)
        self.places += self.column - start
        return start < MAX_COLUMNS and self.places <= self.most_places

    def end_section(self) -> None:
        """Cut the cells that would reach beyond the section."""
        for element in self.tall:
            cell = self.grid.cells[element]
            self.grid.cells[element] = replace(cell, rows=min(cell.rows, self.grid.row_count - cell.row))
        self.tall.clear()
        self.covered = {}
        self.section_stop = 0


def _span(outline: Outline, element: int, name: str) -> int:
    """Return the value of `colspan` or `rowspan`, 1 if there is none or nonsense."""
    digits = (outline.elements[element].get(name) or "1").strip()
    return int(digits[:_MAX_DIGITS]) if digits.isdecimal() else 1


ROOMS_OF_TABLES = (*CELLS, "caption")
_MAX_ROOMY_CELL_BLOCKS = 2
"""A table with more blocks than this in a cell is page layout, not a table of the article."""
_LEAST = 2
"""Rows and columns with text, cells in one of each, and kept cells: with fewer there is nothing to compare."""
_LEAST_SHARE = 0.5
"""Kept cells among those with text in the same rows: with fewer, the places left empty would say what is not so."""
_NO_TABLE = ("presentation", "none")
"""Values of `role` by which a page says that a table is for layout."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Slot(Generic[_T]):
    """A place of a row in which a cell starts: its content, and how many of the shown columns and rows it covers."""

    content: _T | None
    is_header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Row(Generic[_T]):
    """A row with a slot for each column; `None` where a cell further left or above covers the place."""

    slots: tuple[Slot[_T] | None, ...]
    is_head: bool


class DataTables:
    """The tables of data around some blocks: their grids, by their elements."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        outline = blocks[0].outline
        self.around = nearest(outline, "table")
        self.grids: dict[int, Grid] = {}
        if "table" in outline.tag_names:
            self._find(outline, blocks)

    def table_of(self, element: int) -> int:
        """Return the data table whose cell or caption this element is, or -1."""
        table = self.around.of(element)
        return table if table in self.grids else -1

    def _find(self, outline: Outline, blocks: Sequence[Block]) -> None:
        rooms = Inherited(
            outline, -1, lambda around, number: number if outline.tags[number] in ROOMS_OF_TABLES else around
        )
        filled: dict[int, Counter[int]] = {}
        for block in blocks:
            table = self.around.of(block.owner)
            if table >= 0:
                filled.setdefault(table, Counter())[rooms.of(block.owner)] += 1
        outer = {-1}
        for inner in filled:
            while (inner := self.around.of(outline.parents[inner])) not in outer:
                outer.add(inner)
        for table, counts in filled.items():
            if table not in outer and _is_plausible(outline, table, counts):
                grid = read_grid(outline, table)
                if grid and _has_data(outline, grid, counts):
                    self.grids[table] = grid


def _is_plausible(outline: Outline, table: int, counts: Counter[int]) -> bool:
    """Tell whether all kept text is in cells of the table, little in each, and the page does not say otherwise."""
    role = (outline.elements[table].get("role") or "").strip().lower()
    is_inside = all(room > table for room in counts)  # another number is that of a cell around the table, or -1
    return role not in _NO_TABLE and is_inside and max(counts.values()) <= _MAX_ROOMY_CELL_BLOCKS


def _has_data(outline: Outline, grid: Grid, counts: Counter[int]) -> bool:
    """Tell whether all kept cells are in the grid, with most of their rows, and there is something to compare."""
    kept = [room for room in counts if outline.tags[room] in CELLS]
    if len(kept) < _LEAST or not all(room in grid.cells for room in kept):
        return False
    told = [cell for cell in grid.cells.values() if outline.run_starts[cell.element] < outline.run_stops[cell.element]]
    rows = Counter(cell.row for cell in told)
    columns = Counter(cell.column for cell in told)
    is_filled = len(kept) >= _LEAST_SHARE * sum(rows[row] for row in {grid.cells[room].row for room in kept})
    return is_filled and min(len(rows), len(columns), max(rows.values()), max(columns.values())) >= _LEAST


def rows_of(grid: Grid, contents: Mapping[int, _T]) -> Iterator[Row[_T]]:
    """Yield the rows in which a cell has content, each with a slot for every column.

    Columns are those in which a cell of these rows starts. The content of a cell stands in its first place.
    """
    shown = sorted({grid.cells[element].row for element in contents})
    cells: dict[int, list[Cell]] = {row: [] for row in shown}
    for cell in grid.cells.values():
        if cell.row in cells:
            cells[cell.row].append(cell)
    columns = sorted({cell.column for row in cells.values() for cell in row})
    heads = _heads(grid, cells)
    covered = [-1] * len(columns)
    for number, row in enumerate(shown):
        slots: list[Slot[_T] | None] = [None if until > row else Slot(None) for until in covered]
        for cell in cells[row]:
            first, stop = (bisect_left(columns, cell.column + more) for more in (0, cell.columns))
            height = bisect_left(shown, row + cell.rows) - number
            covered[first:stop] = [row + cell.rows] * (stop - first)
            slots[first:stop] = [None] * (stop - first)
            slots[first] = Slot(contents.get(cell.element), cell.is_header, stop - first, height)
        yield Row(tuple(slots), row in heads)


def _heads(grid: Grid, rows: Mapping[int, Collection[Cell]]) -> set[int]:
    """Return the header rows: those of `thead`, and other first rows that are all `th`; never all rows.

    None if a cell reaches from them into the rows below: no cell may be in both of HTML's sections.
    """
    found: list[int] = []
    reach = 0
    for row, cells in rows.items():
        if row not in grid.heads and not all(cell.is_header for cell in cells):
            return set(found) if reach <= row else set()
        found.append(row)
        reach = max(reach, *(cell.row + cell.rows for cell in cells))
    return {row for row in found[:1] if all(cell.rows == 1 for cell in rows[row])}
