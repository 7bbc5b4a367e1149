"""The requests of each site that were scheduled and have not ended, redirects and retries included."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.crawl.visit import Visit


@dataclass
class VisitsUnderWay:
    """Counts visits by their URLs, as a retry is scheduled like a new request."""

    _urls: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def begin(self, visit: Visit) -> None:
        """Note that a request was scheduled."""
        self._urls[visit.site].add(visit.url)

    def end(self, visit: Visit) -> None:
        """Note that a visit has ended, or will not be made."""
        self._urls[visit.site].discard(visit.url)

    def count(self, site: str) -> int:
        """Return how many visits of a site are under way."""
        return len(self._urls[site])

    def forget(self, site: str) -> None:
        """Forget the visits of a site: no request is left of them."""
        self._urls.pop(site, None)
