"""What the process that reads pages answers; those who only wait for it need not import what reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract.archives.copies.article_print import ArticlePrint
    from newsextract.archives.tables.record_end import RecordEnd


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What became of a page: its row and print if it is an article, else the reason why not."""

    end: RecordEnd
    reason: str | None = None
    row: dict[str, Any] | None = None
    """As `article_row` returns it."""
    print: ArticlePrint | None = None
