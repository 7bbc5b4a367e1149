"""The grid of a table: in which row and column each cell stands, by HTML's table model.

`colspan` and `rowspan` are resolved as browsers do, with bounds: a table that announces far more places than it has
cells is not a table to read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline

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
