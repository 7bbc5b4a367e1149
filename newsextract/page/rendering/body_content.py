"""What the body of an article may hold besides its text: tables, links and images, each wanted or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsextract.page.rendering.tables import DataTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.page.blocks import Block
    from newsextract.page.rendering.containers import Containers
    from newsextract.page.rendering.document_parts import Part, Table
    from newsextract.page.rendering.tables import Row


@dataclass(frozen=True, slots=True)
class BodyContent:
    """What is wanted of a body besides its paragraphs."""

    tables: bool = True
    """Tables of data. Those that only lay out the page are never tables, their text stays."""
    links: bool = True
    """The addresses of links; their text stays in any case."""
    images: bool = True
    """Images with their captions, in HTML and Markdown; plain text has none."""

    def blocks(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Return the wanted ones of the blocks of a body."""
        if self.tables or not blocks:
            return blocks
        tables = DataTables(blocks)
        return tuple(block for block in blocks if tables.table_of(block.owner) < 0)

    def parts(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the wanted ones of the parts of a body, without the addresses of unwanted links."""
        frame: Containers | None = None
        for part in parts:
            if part.image is not None:
                frame = part.containers
            is_picture = part.image is not None or (part.tag == "figcaption" and part.containers == frame)
            if (self.tables or part.table is None) and (self.images or not is_picture):
                yield self._reduced(part)

    def _reduced(self, part: Part) -> Part:
        if self.links and self.images:
            return part
        spans = part.spans if self.links else tuple(replace(span, href=None) for span in part.spans)
        return replace(part, spans=spans, table=part.table and self._table(part.table))

    def _table(self, table: Table) -> Table:
        return replace(table, captions=tuple(self.parts(table.captions)), rows=tuple(map(self._row, table.rows)))

    def _row(self, row: Row[tuple[Part, ...]]) -> Row[tuple[Part, ...]]:
        return replace(
            row,
            slots=tuple(slot and replace(slot, content=tuple(self.parts(slot.content or ()))) for slot in row.slots),
        )


EVERYTHING = BodyContent()
"""All that the page has."""
