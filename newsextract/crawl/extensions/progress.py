"""Shows the progress of the crawl: a live table on a terminal, plain lines elsewhere, and a table at the end."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Self

from rich.live import Live
from scrapy import signals
from scrapy.exceptions import NotConfigured
from twisted.internet.task import LoopingCall

from newsextract.crawl.extensions.page_states import page_ended
from newsextract.crawl.extensions.report_console import ReportConsole
from newsextract.crawl.extensions.report_table import (
    final_table,
    from_feeds,
    live_table,
    troubles,
    where_to_look,
)
from newsextract.crawl.extensions.site_report import SiteReport
from newsextract.settings import PROGRESS
from newsextract.terminal import console_for

if TYPE_CHECKING:
    from rich.console import Console
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsextract.crawl.page_end import PageEnd

logger = logging.getLogger(__name__)

STOPPED = "shutdown"
"""Scrapy's reason of a crawl that Ctrl-C or SIGTERM has ended."""

PLAIN_SECONDS = 10
"""Seconds between two plain lines."""

LIVE_SECONDS = 0.5
"""Seconds between two updates of the live table."""

PLAIN_WIDTH = 160
"""Characters per line without a terminal: enough for a table with all states and long names."""


class Progress:
    """Counts pages per site and shows the counts."""

    def __init__(self, crawler: Crawler, console: Console) -> None:
        self.crawler = crawler
        self.console = console
        self.reports: dict[str, SiteReport] = {}
        self.live: Live | None = None
        self.loop: LoopingCall | None = None
        self.said = -1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals, unless `NEWSEXTRACT_PROGRESS` is off."""
        if not PROGRESS.of(crawler.settings):
            raise NotConfigured
        self = cls(crawler, _console(crawler.settings))
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.page_ended, signal=page_ended)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def spider_opened(self, spider: Spider) -> None:
        """Start showing, with a row for every site, so that sites without any page are visible."""
        self.reports = {site: SiteReport(site) for site in getattr(spider, "frontiers", ())}
        if self.console.is_terminal:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
        self.loop = LoopingCall(self.show)
        self.loop.start(LIVE_SECONDS if self.live else PLAIN_SECONDS, now=self.live is not None)

    def page_ended(self, site: str, end: PageEnd) -> None:
        """Count a page."""
        self.reports.setdefault(site, SiteReport(site)).note(end)

    def show(self) -> None:
        """Show the current counts."""
        if self.live:
            self.live.update(live_table(self.reports.values(), self.console.height), refresh=True)
            return
        pages = sum(report.pages for report in self.reports.values())
        if pages != self.said:
            self.said = pages
            articles = sum(report.states["article"] for report in self.reports.values())
            busy = sum(1 for report in self.reports.values() if report.pages)
            logger.info("%d articles of %d pages, %d of %d sites", articles, pages, busy, len(self.reports))

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Show the final table, and where the results are."""
        if self.loop and self.loop.running:
            self.loop.stop()
        if self.live:
            self.live.stop()
        quiet: set[str] = getattr(spider, "quiet", set())
        if self.reports:
            self.console.print(final_table(list(self.reports.values()), reason))
            instead = from_feeds(self.crawler.stats.get_value("newsextract/feed_texts/article", 0))
            # A crawl that was stopped may have nothing yet: that is no trouble of the site.
            found = () if reason == STOPPED else troubles(self.reports.values(), quiet)
            for line in (*found, *instead, *where_to_look(self.crawler.settings)):
                self.console.print(line, soft_wrap=True, highlight=False)


def _console(settings: BaseSettings) -> Console:
    # If articles go to standard output, a program reads them, and the table must not be among them.
    is_taken = any(str(target) in ("-", "stdout:") for target in settings.getdict("FEEDS"))
    stream = sys.stderr if is_taken else sys.stdout
    return console_for(stream, PLAIN_WIDTH, kind=ReportConsole)
