"""How the visit of a page ends: a state, a reason, and whether its article is new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from newsextract.processes.pool import TooSlow
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import Patience

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.processes.pool import Unanswered


@dataclass(frozen=True, slots=True)
class PageEnd:
    """How one page ended, for the stats, the ledger, the report and other counters."""

    state: PageState
    reason: str = ""
    """A short phrase, the same for all pages of a kind; empty if the state is enough."""
    article: Article | None = None
    """Set only in the state `article`, unless a user's pipeline has replaced the article."""
    stand_in: Article | None = None
    """The article of the feed's text, where the page itself could not be read; see `stand_ins`."""
    is_stored: bool = False
    """Whether the database already had the article, unchanged."""
    is_exported: bool = False
    """Whether the feeds had it as well: an interrupted run had nearly finished this visit."""
    patience: Patience | None = None
    """How long to wait for the next visit; `None` if the state decides."""


WALLED = PageEnd(PageState.BLOCKED, "same text under other headlines")
"""The end of a page with the same text as other pages of its site: a paywall, or a request to register."""

FORBIDDEN = PageEnd(PageState.BLOCKED, "robots.txt")
"""The end of a page that robots.txt forbids."""

PRIVATE = PageEnd(PageState.BLOCKED, "private address")
"""The end of a page to which we sent no request, as its host is not public."""


def unread(reason: str) -> PageEnd:
    """Return the end of a response that is not a readable page; retrying soon would give the same."""
    return PageEnd(PageState.ERROR, reason, patience=Patience.LASTING)


def unanswered(error: Unanswered) -> PageEnd:
    """Return the end of a page for which no worker gave an answer."""
    patience = Patience.LASTING if isinstance(error, TooSlow) else Patience.TRANSIENT
    return PageEnd(PageState.ERROR, error.reason, patience=patience)


class PageDropped(DropItem):
    """Drops a page or article with its end; logged at level DEBUG, since most pages are not articles."""

    def __init__(self, end: PageEnd, url: str | None, *, log_level: str = "DEBUG") -> None:
        super().__init__(f"{end.state}: {end.reason}: {url}", log_level=log_level)
        self.end = end
