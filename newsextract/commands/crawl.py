"""`scrapy crawl`, with checks before it starts and an exit code that says how it went."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import refusing
from newsextract.commands.preflight import check_settings, check_sites
from newsextract.crawl.extensions.run_register import STILL_RUNNING
from newsextract.crawl.extensions.site_health import ILL, SITES_ARE_ILL
from newsextract.crawl.spider_arguments import NAMES, ArgumentError, SpiderArguments
from newsextract.crawl.spiders.news import NewsSpider
from newsextract.crawl.workers.garbage_collection import collect_rarely
from newsextract.reading.page_state import PageState
from newsextract.settings import PROGRESS

if TYPE_CHECKING:
    import argparse

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

NOTHING_READ = 1
"""Exit code of a crawl that fetched pages and could read none of them, or fetched none though some were due."""

IS_RUNNING = 4
"""Exit code if the crawl is not started because the same one is still running."""


SCRAPYD_ARGUMENTS = ("_job", "_version")
"""Arguments that scrapyd gives to every spider; `FEEDS` may use them."""


class Command(ScrapyCrawl):
    """Runs a spider."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Log only warnings to a terminal, which has the live table, unless another level is given."""
        super().process_options(args, opts)
        if self.settings and _has_live_table(self.settings):
            # At the priority of the project's settings, which this replaces; `-L` and `-s` take precedence.
            self.settings.set("LOG_LEVEL", "WARNING", "project")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check settings and arguments, crawl, and set the exit code."""
        if len(args) != 1:
            raise UsageError("name one spider: scrapy crawl news -a sites=https://example.com")
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        if args[0] not in (known := self.crawler_process.spider_loader.list()):
            raise UsageError(f"no spider is called {args[0]!r}; there are {', '.join(known)}", print_help=False)
        crawler = self._create_crawler(args[0])
        if issubclass(crawler.spidercls, NewsSpider):
            check_sites(_check_arguments(opts.spargs).sites, crawler.settings)
        check_settings(crawler.settings)
        # A host that does not respond deserves one line, which Scrapy follows with a long traceback.
        logging.getLogger(RobotsTxtMiddleware.__module__).addFilter(_drop_traceback)
        collect_rarely()
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        self.exitcode = int(self.crawler_process.bootstrap_failed) or exit_code(crawler)


def exit_code(crawler: Crawler) -> int:
    """Return the exit code: 0 if any page could be read or none was due, and no site is ill.

    An ill site takes precedence: it says more than that nothing could be read.
    """
    stats = crawler.stats
    if stats is None or not issubclass(crawler.spidercls, NewsSpider):
        return 0
    bad = sum(stats.get_value(f"newsextract/state/{state}", 0) for state in (PageState.ERROR, PageState.BLOCKED))
    if stats.get_value("finish_reason") == STILL_RUNNING:
        return IS_RUNNING
    if stats.get_value(ILL, 0):
        return SITES_ARE_ILL
    pages = stats.get_value("newsextract/pages", 0)
    # Feeds and sitemaps may be all that is due, and have nothing new.
    quiet = sum(stats.get_value(f"newsextract/{name}", 0) for name in ("sites/quiet", "sources/read"))
    if pages <= bad and (pages or not quiet):
        return NOTHING_READ
    return 0


def _has_live_table(settings: BaseSettings) -> bool:
    is_terminal = sys.stdout.isatty() and sys.stderr.isatty()
    return is_terminal and PROGRESS.of(settings) and not settings["LOG_FILE"]


def _drop_traceback(record: logging.LogRecord) -> bool:
    record.exc_info = None
    return True


def _check_arguments(arguments: dict[str, str]) -> SpiderArguments:
    unknown = sorted(set(arguments) - set(NAMES) - set(SCRAPYD_ARGUMENTS))
    if unknown:
        raise UsageError(f"-a {unknown[0]}: the spider knows {', '.join(NAMES)}")
    with refusing(ArgumentError, prefix="-a "):
        return SpiderArguments.parse(**{name: arguments[name] for name in NAMES if name in arguments})
