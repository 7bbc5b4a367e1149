"""How a pipeline ends a page in another state than `article`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from newsextract.reading.page_state import PageState


class PageDropped(DropItem):
    """Drops a page with its state and the reason; logged at level DEBUG, since most pages of a site are no articles."""

    def __init__(self, state: PageState, reason: str, url: str | None, *, log_level: str = "DEBUG") -> None:
        super().__init__(f"{state}: {reason}: {url}", log_level=log_level)
        self.state = state
        self.reason = reason
