"""`scrapy crawl`, with checks before it starts and an exit code that says how it went."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.spiderloader import get_spider_loader

from newsextract.command_help import as_lines, complete
from newsextract.command_streams import tolerant_errors, whole_or_piped
from newsextract.commands.command_frame import WRONG_USAGE, ScrapyHelp, refusing, say_errors_in_one_line
from newsextract.commands.crawl_interrupts import CrawlInterrupts
from newsextract.commands.preflight import check_secrets, check_settings, check_sites
from newsextract.crawl.database import FAILED, STILL_RUNNING
from newsextract.crawl.feeds_export import FAILED_LINES
from newsextract.crawl.health import DEGRADED, SITES_DEGRADED
from newsextract.crawl.outcome import FAILED_STATES
from newsextract.crawl.spider import UNREACHED, NewsSpider
from newsextract.crawl.spider_arguments import NAMES, ArgumentError, SpiderArguments
from newsextract.interrupts import INTERRUPTED
from newsextract.processes.limits import collect_rarely
from newsextract.settings import PROGRESS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

NOTHING_READ = 1
"""Exit code of a crawl that fetched pages and could read none of them, or fetched none though some were due.

Also of one that could read listings, but of three candidates or more none.
"""

SITES_UNREACHED = 5
"""Exit code of a crawl in which a site could not be reached at all."""

NOT_WRITTEN = 6
"""Exit code of a crawl that could not write all its results: the disk is full, or the database was away."""

IS_RUNNING = 4
"""Exit code if the crawl is not started because the same one is still running."""


_DEAD_LINKS = 2
"""So many candidates may fail, and none be read: a listing has dead links, and little else may be due."""

_FAILED_FEED = "feedexport/failed_count/"
"""Prefix of Scrapy's stats that count failed feeds, by the kind of storage."""

EXAMPLE = "scrapy crawl news -a sites=https://example.com"

SCRAPYD_ARGUMENTS = ("_job", "_version")
"""Arguments that scrapyd gives to every spider; `FEEDS` may use them."""

ARGUMENTS = (
    "-a sites=…         URLs with commas between, or a file",
    "-a since=2d        skip what sources date earlier",
    "-a limit=20        articles per site",
    "-a discover=feeds  sources: feeds, sitemaps, links",
    "-a join_pages=1    join articles of several pages",
    "-a only_new=1      skip articles that were read before",
    "-a fresh=1         visit listings that are not due, too",
)
EXAMPLES = (
    "scrapy crawl news -a sites=https://example.com",
    "scrapy crawl news -a sites=sites.yml -a limit=20",
)
EXIT_CODES = {
    0: "pages could be read, or nothing was due",
    NOTHING_READ: "no page could be read",
    WRONG_USAGE: "a wrong argument or setting",
    SITES_DEGRADED: "a site has problems, see scrapy health",
    IS_RUNNING: "the same crawl is still running",
    SITES_UNREACHED: "a site could not be reached at all",
    NOT_WRITTEN: "not everything could be written",
    INTERRUPTED: "Ctrl-C; the same command goes on",
}


class Command(ScrapyCrawl):
    """Runs a spider."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, and what its help lacks: spider arguments, examples, exit codes."""
        super().add_options(parser)
        say_errors_in_one_line(parser)
        parser.add_argument_group("spider arguments", as_lines(ARGUMENTS))
        complete(parser, EXAMPLES, EXIT_CODES, ScrapyHelp)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check settings and arguments before the log begins, so that an error is the first and only line.

        Log only warnings to a terminal, which has the live table, unless another level is given.
        """
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it reads the options
        if _has_live_table(self.settings):
            # At the priority of the project's settings, which this replaces; `-L` and `-s` take precedence.
            self.settings.set("LOG_LEVEL", "WARNING", "project")
        _check(args, opts, self.settings.copy())

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit code."""
        crawler = self._create_crawler(args[0])
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        interrupts = CrawlInterrupts(crawler).listen()
        collect_rarely()
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        is_interrupted = interrupts.heard_at is not None
        failed = int(self.crawler_process.bootstrap_failed)
        self.exitcode = INTERRUPTED if is_interrupted else failed or exit_code(crawler)
        with whole_or_piped("scrapy crawl"), tolerant_errors():
            for line in (*unwritten(crawler), *([interrupts.line] if is_interrupted else ())):
                print(line, file=sys.stderr)


def unwritten(crawler: Crawler) -> Iterator[str]:
    """Yield a line for each place that could not be written to."""
    for name, count in (crawler.stats.get_stats() if crawler.stats is not None else {}).items():
        if name == FAILED and count:
            yield f"newsextract: {count} operations failed in the database: not all is stored, see the log"
        elif (name == FAILED_LINES or name.startswith(_FAILED_FEED)) and count:
            yield "newsextract: a file of articles could not be written to its end, see the log"


def exit_code(crawler: Crawler) -> int:
    """Return the exit code: 0 if anything could be read or was not due, and no site has problems or is out of reach.

    Failed writes take precedence, then degraded sites, then a crawl that could read nothing, then a site out of reach.
    """
    stats = crawler.stats
    if stats is None or not issubclass(crawler.spidercls, NewsSpider):
        return 0
    bad = sum(stats.get_value(f"newsextract/state/{state}", 0) for state in FAILED_STATES)
    if stats.get_value("finish_reason") == STILL_RUNNING:
        return IS_RUNNING
    if any(unwritten(crawler)):
        return NOT_WRITTEN
    if stats.get_value(DEGRADED, 0):
        return SITES_DEGRADED
    pages = stats.get_value("newsextract/pages", 0)
    # Feeds and sitemaps may be all that is due, and have nothing new.
    quiet = sum(
        stats.get_value(f"newsextract/{name}", 0) for name in ("sites/quiet", "sites/other_shards", "sources/read")
    )
    if pages <= bad and (pages or not quiet):
        return NOTHING_READ
    failed = stats.get_value("newsextract/candidates/failed", 0)
    is_vain = failed > _DEAD_LINKS and failed == stats.get_value("newsextract/candidates")
    return SITES_UNREACHED if stats.get_value(UNREACHED, 0) else NOTHING_READ if is_vain else 0


def _check(args: list[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Raise `UsageError` for invalid arguments or settings; checks the settings that the spider will have."""
    if len(args) > 1:
        named = " ".join(each if "=" in each else f"sites={each}" for each in args[1:])
        raise UsageError(f"arguments of a spider stand behind -a: scrapy crawl {args[0]} -a {named}", print_help=False)
    if not args:
        raise UsageError(f"name a spider: {EXAMPLE}", print_help=False)
    spiders = get_spider_loader(settings)
    if args[0] not in (known := spiders.list()):
        raise UsageError(f"no spider is called {args[0]!r}; there is {', '.join(known)}: {EXAMPLE}", print_help=False)
    spider = spiders.load(args[0])
    spider.update_settings(settings)
    arguments = _check_arguments(opts.spargs) if issubclass(spider, NewsSpider) else None
    check_settings(settings)
    if arguments is not None:
        check_sites(arguments.sites, settings)
        check_secrets(arguments.sites, settings)


def _has_live_table(settings: BaseSettings) -> bool:
    is_terminal = sys.stdout.isatty() and sys.stderr.isatty()
    return is_terminal and PROGRESS.of(settings) and not settings["LOG_FILE"]


def _check_arguments(arguments: dict[str, str]) -> SpiderArguments:
    unknown = sorted(set(arguments) - set(NAMES) - set(SCRAPYD_ARGUMENTS))
    if unknown:
        meant = "".join(f"did you mean {name}? " for name in get_close_matches(unknown[0], NAMES, 1))
        raise UsageError(f"-a {unknown[0]}: {meant}the spider knows {', '.join(NAMES)}", print_help=False)
    if not arguments.get("sites"):
        raise UsageError(f"which sites? {EXAMPLE}, or a file: sites.yml, .txt, .csv, .opml", print_help=False)
    with refusing(ArgumentError, prefix="-a "):
        return SpiderArguments.parse(**{name: arguments[name] for name in NAMES if name in arguments})
