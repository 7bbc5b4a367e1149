"""Counts what a run sees of a site, page by page."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.reading.notices import NoticeCode, noticed
from newsextract.reading.page_state import PageState
from newsextract.sites.published.stated_dates import parse_date

if TYPE_CHECKING:
    from datetime import datetime

    from newsextract.article import Article

LOW_CONFIDENCE = 0.5
"""Below it an extractor that estimates its confidence expects to be half wrong."""

BACKLOG_DAYS = 3
"""An article older than that when it is first seen comes from the archive, and tells nothing of how quick we are."""

_MOST_REASONS = 5
_TROUBLED = (PageState.ERROR, PageState.BLOCKED, PageState.EMPTY, PageState.DROPPED)
_BARREN = (PageState.EMPTY, PageState.LISTING, PageState.OTHER)


@dataclass
class SiteCount:
    """The counts of one site in a run that goes on."""

    site: str
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    """Those of `SiteFigures` that are plain numbers, by name."""
    misplaced: Counter[str] = field(default_factory=Counter)
    words: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    newest: datetime | None = None
    front_links: int | None = None

    def note_page(self, state: PageState, reason: str, *, was_for_article: bool) -> None:
        """Count a page that ended; `was_for_article` if it was fetched to be an article."""
        self.states[state.value] += 1
        if reason and state in _TROUBLED:
            self.reasons[f"{state.value}: {reason}"] += 1
        if was_for_article and state in _BARREN:
            self.counts["barren"] += 1

    def note_article(self, article: Article, seen: datetime, *, is_new: bool) -> None:
        """Count what an article has and lacks."""
        report = article.extraction
        self.counts.update(
            articles=1,
            new=is_new,
            undated=not article.datePublished,
            unsigned=not article.authors,
            untitled=not article.headline,
            unsure=report is not None and report.confidence < LOW_CONFIDENCE,
        )
        self.words.append(article.wordCount or 0)
        warnings = report.noticed if report else ()
        self.counts["layout_changes"] += len(list(noticed(NoticeCode.LAYOUT_CHANGED, warnings)))
        self.misplaced.update(str(notice.values["part"]) for notice in noticed(NoticeCode.MISPLACED, warnings))
        self._note_date(article.datePublished, seen, is_new=is_new)

    def note_source(self, reason: str) -> None:
        """Count a feed or sitemap; a reason says why it could not be read."""
        self.counts["sources_failed" if reason else "sources_read"] += 1

    def note_front(self, links: int) -> None:
        """Note the links to articles on a front page; of several front pages, all."""
        self.front_links = (self.front_links or 0) + links

    def figures(self, *, is_whole: bool) -> SiteFigures:
        """Return the figures so far."""
        return SiteFigures(
            is_whole=is_whole,
            states=dict(self.states),
            reasons=dict(self.reasons.most_common(_MOST_REASONS)),
            misplaced=dict(self.misplaced),
            median_words=round(statistics.median(self.words)) if self.words else None,
            median_delay=round(statistics.median(self.delays)) if self.delays else None,
            delays=len(self.delays),
            newest=self.newest.isoformat() if self.newest else None,
            front_links=self.front_links,
            **self.counts,
        )

    def _note_date(self, stated: str | None, seen: datetime, *, is_new: bool) -> None:
        published = parse_date(stated)
        if published is None or published > seen:
            return
        if self.newest is None or published > self.newest:
            self.newest = published
        delay = (seen - published).total_seconds()
        if is_new and _has_time(stated or "") and delay <= BACKLOG_DAYS * 86_400:
            self.delays.append(delay)


def _has_time(stated: str) -> bool:
    """Tell whether an ISO date has a time of day, and an offset: without one it may be wrong by half a day."""
    time = stated.partition("T")[2]
    return ":" in time and (time.endswith("Z") or "+" in time or "-" in time)
