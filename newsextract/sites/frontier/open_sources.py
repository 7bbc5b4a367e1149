"""The sitemaps and feeds of a site during a run: those being read, and those of an index that still wait."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from newsextract.sites.addresses.trap_guard import TrapGuard
    from newsextract.sites.published.sitemaps import SitemapLink


@dataclass
class OpenSources:
    """Each is read once in a run."""

    guard: TrapGuard
    """Decides when there are too many."""
    count: int = 0
    """How many are being read."""
    _known: set[str] = field(default_factory=set)
    _later: deque[SitemapLink] = field(default_factory=deque)

    def open(self, url: str) -> bool:
        """Mark a sitemap or feed as being read, and return whether it was not read before."""
        is_new = url not in self._known and self.guard.admit_source(url)
        self._known.add(url)
        self.count += is_new
        return is_new

    def close(self) -> None:
        """Record that a sitemap or feed has been read, or could not be read."""
        self.count -= 1
        self.guard.sources_without_find += 1

    def close_all(self) -> None:
        """Reset the count: no source is being read."""
        self.count = 0

    def add_sitemaps(self, links: Iterable[SitemapLink], since: datetime | None) -> None:
        """Queue the sitemaps of an index, newest first, without those that can list nothing new."""
        wanted = [link for link in links if not (since and link.lastmod and link.lastmod < since)]
        wanted.sort(key=lambda link: -link.lastmod.timestamp() if link.lastmod else 0.0)
        self._later.extend(wanted)

    def take_sitemaps(self, most: int | None = None) -> list[SitemapLink]:
        """Remove and return the next sitemaps of an index, or all of them."""
        count = len(self._later) if most is None else min(most, len(self._later))
        return [self._later.popleft() for _ in range(count)]
