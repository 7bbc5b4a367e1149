"""How the visit of a page ends: a state, the reason, and what became of its article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.reading.page_state import PageState


@dataclass(frozen=True, slots=True)
class PageEnd:
    """How one page ended, for the stats, the ledger, the report and other counters."""

    state: PageState
    reason: str = ""
    """A short phrase, the same for every page of its kind; empty where the state says it all."""
    article: Article | None = None
    """Only in the state `article`, unless a user's pipeline has made something else of it."""
    is_stored: bool = False
    """Whether the database had the article already, as it is."""
    is_exported: bool = False
    """Whether the feeds had it as well: an interrupted run had nearly finished this visit."""


class PageDropped(DropItem):
    """Drops a page or article with its end; logged at level DEBUG, since most pages of a site are no articles."""

    def __init__(self, end: PageEnd, url: str | None, *, log_level: str = "DEBUG") -> None:
        super().__init__(f"{end.state}: {end.reason}: {url}", log_level=log_level)
        self.end = end
