"""Shows the progress of the crawl: a live table on a terminal, plain lines elsewhere, and a table at the end."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from twisted.internet.task import LoopingCall

from newsextract.command_streams import drop_the_rest
from newsextract.crawl.report import SiteReport, final_table, from_feeds, live_table, troubles, where_to_look
from newsextract.terminal import console_for

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsextract.crawl.outcome import Outcome

logger = logging.getLogger(__name__)

STOPPED = "shutdown"
"""Scrapy's reason of a crawl that Ctrl-C or SIGTERM has ended."""

PLAIN_SECONDS, LIVE_SECONDS = 10, 0.5
"""Seconds between two plain lines, and between two updates of the live table."""

PLAIN_WIDTH = 160
"""Characters per line without a terminal: enough for a table with all states and long names."""


class ReportConsole(Console):
    """Prints until its stream takes no more, then is quiet; the crawl goes on, and stores what it reads."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; a full disk or a closed stream is a line in the log."""
        try:
            super().print(*objects, **options)
        except OSError as error:
            self._give_up()
            logger.error("the report of the crawl could not be printed: %s", error)  # noqa: TRY400 - a line says it

    def on_broken_pipe(self) -> None:
        """Be quiet from now on, where rich would raise `SystemExit`.

        In the reactor, that would end the event loop but not its threads, for which Python then waits for ever.
        """
        self._give_up()

    def _give_up(self) -> None:
        self.quiet = True
        drop_the_rest(self.file)


class Progress:
    """Counts pages per site and shows the counts."""

    def __init__(self, crawler: Crawler) -> None:
        self.settings = crawler.settings
        self.stats: Any = crawler.stats
        self.console = _console(crawler.settings)
        self.reports: dict[str, SiteReport] = {}
        self.live: Live | None = None
        self.loop: LoopingCall | None = None
        self.said = -1

    def open(self, sites: Iterable[str]) -> None:
        """Start showing, with a row for every site, so that sites without any page are visible."""
        self.reports = {site: SiteReport(site) for site in sites}
        if self.console.is_terminal:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
        self.loop = LoopingCall(self.show)
        self.loop.start(LIVE_SECONDS if self.live else PLAIN_SECONDS, now=self.live is not None)

    def page_ended(self, site: str, _: Request | None, outcome: Outcome) -> None:
        """Count a page."""
        if (report := self.reports.get(site)) is None:
            report = self.reports[site] = SiteReport(site)
        report.note(outcome)

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

    def close(self, *, quiet: Collection[str], reason: str) -> None:
        """Show the final table, and where the results are; `quiet` are the sites that had nothing due."""
        if self.loop and self.loop.running:
            self.loop.stop()
        if self.live:
            self.live.stop()
        if not self.reports:
            return
        self.console.print(final_table(list(self.reports.values()), reason))
        instead = from_feeds(self.stats.get_value("newsextract/feed_texts/article", 0))
        # A crawl that was stopped may have nothing yet: that is no trouble of the site.
        found = () if reason == STOPPED else troubles(self.reports.values(), quiet)
        for line in (*found, *instead, *where_to_look(self.settings)):
            self.console.print(line, soft_wrap=True, highlight=False)


def _console(settings: BaseSettings) -> Console:
    # If articles go to standard output, a program reads them, and the table must not be among them.
    is_taken = any(str(target) in ("-", "stdout:") for target in settings.getdict("FEEDS"))
    stream = sys.stderr if is_taken else sys.stdout
    return console_for(stream, PLAIN_WIDTH, kind=ReportConsole)
