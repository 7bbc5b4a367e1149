"""The health of each site: counted during a crawl, compared with the last runs when it ends, and reported."""

from __future__ import annotations

import logging
import math
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError

from newsextract.crawl.outcome import SAME_UNDER_HEADLINES, STOPPED, STOPPED_SECONDS
from newsextract.crawl.requests import find_visit
from newsextract.crawl.scrapy_versions import answer_of, in_thread
from newsextract.newsroom.delivery.messages import site_message
from newsextract.newsroom.health.figures import SiteCount, SiteRun
from newsextract.newsroom.health.report import examine_all, lines_of, store_runs, write_exposition
from newsextract.settings import ALERTS, PROMETHEUS
from newsextract.storage.database import StorageError
from newsextract.storage.outbox import add

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scrapy import Request
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsextract.crawl.database import Database
    from newsextract.crawl.outcome import Outcome
    from newsextract.crawl.sessions import Session
    from newsextract.newsroom.health.report import SiteHealth


logger = logging.getLogger(__name__)

DEGRADED = "newsextract/health/degraded"
"""The stat that counts degraded sites; the exit code depends on it."""

FINISHED = "finished"
"""The reason of a crawl that ran to completion."""

_AT_ONCE = 20
"""Sites stored and judged per transaction: few, so that other writers need not wait long."""


class Health:
    """Counts pages and sources of each site, and judges the sites when the crawl ends."""

    def __init__(self, settings: BaseSettings, stats: Any, database: Database, sites: Iterable[str]) -> None:
        self.settings = settings
        self.stats = stats
        self.database = database
        self.counts = {site: SiteCount(site) for site in sites}
        """Those that are not due will get no requests."""

    def page_ended(self, site: str, request: Request | None, outcome: Outcome) -> None:
        """Count a page."""
        count, visit = self._count(site), find_visit(request)
        count.note_page(outcome.state, outcome.reason, was_for_article=visit is not None and visit.is_for_article)
        if outcome == SAME_UNDER_HEADLINES:
            count.note_interstitial()
        if outcome.article is not None:
            count.note_article(outcome.article, datetime.now(UTC), is_new=visit is None or visit.is_new)

    def source_ended(self, site: str, reason: str) -> None:
        """Count a feed or sitemap that was read, or failed for a reason."""
        self._count(site).note_source(reason)

    def front_read(self, site: str, links: int) -> None:
        """Note how many articles a front page links to."""
        self._count(site).note_front(links)

    def note_subscriptions(self, sessions: Mapping[str, Session]) -> None:
        """Note what is wrong with the subscriptions."""
        for site, session in sessions.items():
            self._count(site).subscription = session.problem

    async def judge(self, reason: str) -> list[str]:
        """Store the figures, judge the sites, and report what is wrong; return it as lines."""
        run_id, date = self.database.run_id, datetime.now(UTC)
        if run_id is None:
            return []  # a spider that did not register its run has nothing to compare
        figures = {site: count.figures(is_whole=reason == FINISHED) for site, count in self.counts.items()}
        # A site without any request cannot be called silent.
        runs = [SiteRun(run_id, site, date, found) for site, found in figures.items() if found.asked]
        try:
            sites: list[SiteHealth] = []
            latest = monotonic() + (STOPPED_SECONDS if reason == STOPPED else math.inf)
            for start in range(0, len(runs), _AT_ONCE):
                if monotonic() < latest:
                    store = _store_and_tell if ALERTS.of(self.settings) else _store_all
                    sites += await self.database.run(store, runs[start : start + _AT_ONCE])
        except (StorageError, SQLAlchemyError) as error:
            self._fail("the health of the sites is not known, as their figures could not be stored", error)
            return []
        failing = [health for health in sites if health.problems]
        self.stats.set_value(DEGRADED, len(failing))
        await self._write(date)
        return [line for health in failing for line in lines_of(health)]

    def _count(self, site: str) -> SiteCount:
        return self.counts.setdefault(site, SiteCount(site))

    async def _write(self, now: datetime) -> None:
        """Write the figures of all sites in the database, including those of other crawls."""
        path = PROMETHEUS.of(self.settings)
        if not path:
            return

        def write() -> None:
            with self.database.engine.connect() as connection:
                sites = examine_all(connection, now)
            write_exposition(path, sites)

        try:
            await answer_of(in_thread(write))
        except (OSError, StorageError, SQLAlchemyError) as error:
            self._fail(f"NEWSEXTRACT_PROMETHEUS: {path} is not written", error)

    def _fail(self, what: str, error: Exception) -> None:
        self.stats.inc_value("newsextract/health/failed")
        logger.error("%s: %s", what, error)


def _store_all(connection: Connection, batches: Sequence[Sequence[SiteRun]]) -> list[list[SiteHealth]]:
    return [store_runs(connection, batch) for batch in batches]


def _store_and_tell(connection: Connection, batches: Sequence[Sequence[SiteRun]]) -> list[list[SiteHealth]]:
    """Store the runs, and add a message for each site that has another problem than in the run before, or none now."""
    found = _store_all(connection, batches)
    news = [health for batch in found for health in batch if health.has_news]
    add(connection, [site_message(one.site, one.newest.run_id, list(map(str, one.problems))) for one in news])
    return found
