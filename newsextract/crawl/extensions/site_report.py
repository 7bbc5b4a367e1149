"""What happened on one site during a run."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.reading.page_state import PageState


@dataclass
class SiteReport:
    """Pages by state, the words of the articles, and the time from the first page to the last."""

    site: str
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    words: list[int] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    ended: float = field(default_factory=time.monotonic)

    def note(self, state: PageState, reason: str, article: Article | None) -> None:
        """Count a page that ended."""
        self.states[state] += 1
        self.ended = time.monotonic()
        if reason:
            self.reasons[f"{state}: {reason}"] += 1
        if article is not None:
            self.words.append(article.wordCount or 0)

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
