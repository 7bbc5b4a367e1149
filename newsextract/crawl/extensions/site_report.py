"""What happened on one site during a run."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.crawl.page_end import PageEnd


@dataclass
class SiteReport:
    """Pages by state, the words of the articles, and the time from the first page to the last."""

    site: str
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    stored_before: int = 0
    """Articles that the database already had, unchanged."""
    words: list[int] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    ended: float = field(default_factory=time.monotonic)

    def note(self, end: PageEnd) -> None:
        """Count a page that ended."""
        self.states[end.state] += 1
        self.ended = time.monotonic()
        if end.reason:
            self.reasons[f"{end.state}: {end.reason}"] += 1
        self.stored_before += end.is_stored and not end.is_exported
        if end.article is not None:
            self.words.append(end.article.wordCount or 0)

    @property
    def pages(self) -> int:
        """How many pages ended."""
        return self.states.total()

    @property
    def median_words(self) -> int | None:
        """The median length of the site's articles, in words."""
        return round(statistics.median(self.words)) if self.words else None

    @property
    def seconds(self) -> float:
        """The time from the start of the run to the site's last page."""
        return self.ended - self.started
