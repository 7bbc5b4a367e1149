"""`scrapy crawl` with checks before it starts, so that a mistake is one line, and an exit code that says how it went.

`COMMANDS_MODULE` names this module, and Scrapy takes the command's name from it.
"""

from __future__ import annotations

import logging
import signal
import sys
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, iter_default_settings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.reactor import is_reactor_installed

from newsextract.crawl.database import FAILED, STILL_RUNNING
from newsextract.crawl.feeds_export import FAILED_LINES
from newsextract.crawl.health import DEGRADED
from newsextract.crawl.outcome import FAILED_STATES
from newsextract.crawl.spider import UNREACHED, WAITING, NewsSpider
from newsextract.crawl.spider_arguments import NAMES, SpiderArguments
from newsextract.crawl.subscription import subscriptions_of
from newsextract.newsroom.health.report import SITES_DEGRADED
from newsextract.processes.limits import collect_rarely
from newsextract.settings import DATABASE, PRIVATE_ADDRESSES, PROGRESS, SECRETS, BadSetting, check, check_file
from newsextract.sites.subscriptions import Secrets
from newsextract.storage.database import StorageError, open_engine
from newsextract.terminal import INTERRUPTED, drop_the_rest, say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings

    from newsextract.sites.site import Site

NOTHING_READ = 1
"""Exit code of a crawl that fetched pages and could read none of them, or fetched none though some were due.

Also of one that could read listings, but of three candidates or more none.
"""

IS_RUNNING = 4
"""Exit code if the crawl is not started because the same one is still running."""

SITES_UNREACHED = 5
"""Exit code of a crawl in which a site could not be reached at all."""

NOT_WRITTEN = 6
"""Exit code of a crawl that could not write all its results: the disk is full, or the database was away."""

EXIT_CODES = {
    0: "pages could be read, or nothing was due",
    NOTHING_READ: "no page could be read",
    2: "a wrong argument or setting",
    SITES_DEGRADED: "a site is degraded or failing, see newsextract health",
    IS_RUNNING: "the same crawl is still running",
    SITES_UNREACHED: "a site could not be reached at all",
    NOT_WRITTEN: "not everything could be written",
    INTERRUPTED: "Ctrl-C; the same command goes on",
}

EXAMPLE = "scrapy crawl news -a sites=https://example.com"
GOES_ON = "the same command goes on from here"

SCRAPYD_ARGUMENTS = ("_job", "_version")
"""Arguments that scrapyd gives to every spider; `FEEDS` may use them."""

_DEAD_LINKS = 2
"""So many candidates may fail, and none be read: a listing has dead links, and little else may be due."""

_FAILED_FEED = "feedexport/failed_count/"
"""Prefix of Scrapy's stats that count failed feeds, by the kind of storage."""

_STANDARD_OUTPUT = ("-", "stdout:")


class Command(ScrapyCrawl):
    """Runs a spider."""

    is_interrupted = False
    is_quiet = False
    """Whether Scrapy's banner, the dump of its stats and its other notes are left out."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, and the names of the spider's arguments; errors take one line."""
        super().add_options(parser)
        parser.print_usage = lambda file=None: None  # type: ignore[method-assign]  # noqa: ARG005 - it hides what is wrong
        parser.epilog = f"Arguments of the spider, as in -a sites=FILE: {', '.join(NAMES)}. Example: {EXAMPLE}"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check settings and arguments before the log begins, so that an error is the first and only line.

        Unless a level is given, a terminal, which has the live table, gets only warnings; a stream only our notes.
        """
        super().process_options(args, opts)
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it reads the options
        is_given = (self.settings.getpriority("LOG_LEVEL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
        self.is_quiet = PROGRESS.of(self.settings) and not self.settings["LOG_FILE"] and not is_given
        if self.is_quiet and sys.stdout.isatty() and sys.stderr.isatty():
            # At the priority of the project's settings, which this replaces.
            self.settings.set("LOG_LEVEL", "WARNING", "project")
        if self.is_quiet:  # the banner comes before `run`, and behind what sets the levels of Scrapy's loggers
            logging.getLogger("scrapy.utils.log").addFilter(lambda record: record.levelno >= logging.WARNING)
        with _refusing():
            _check(args, opts.spargs, self.settings.copy())

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit code."""
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        crawler = self.crawler_process.create_crawler(args[0])
        collect_rarely()
        if self.is_quiet:
            logging.getLogger("scrapy").setLevel(logging.WARNING)
            logging.getLogger("newsextract.crawl.robots").setLevel(logging.WARNING)  # the report names what failed
        self.crawler_process.crawl(crawler, **opts.spargs)
        if is_reactor_installed():
            # What a trigger adds to its own phase runs behind all others, and so behind Scrapy's handlers of signals.
            add = import_module("twisted.internet.reactor").addSystemEventTrigger
            add("after", "startup", lambda: add("after", "startup", self._notice_interrupts))
        self.crawler_process.start()
        self.exitcode = int(self.crawler_process.bootstrap_failed) or exit_code(crawler)
        for line in unwritten(crawler):
            say(line)
        if self.is_interrupted:
            self.exitcode = INTERRUPTED
            say(interrupted(crawler))
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:  # its reader has gone; what was crawled is stored
                drop_the_rest(stream)

    def _notice_interrupts(self) -> None:
        scrapys = signal.getsignal(signal.SIGINT)

        def heard(number: int, frame: Any) -> None:
            self.is_interrupted = True
            if callable(scrapys):
                scrapys(number, frame)

        signal.signal(signal.SIGINT, heard)


def interrupted(crawler: Crawler) -> str:
    """Return what is said of a crawl that Ctrl-C has ended."""
    if not DATABASE.of(crawler.settings):
        return "interrupted"
    stats = crawler.stats.get_stats() if crawler.stats is not None else {}
    stored = "" if stats.get(FAILED) else ": what was read is stored"
    waiting = stats.get(WAITING)
    left = "" if waiting is None else f"; {waiting:,} {'page waits' if waiting == 1 else 'pages wait'} for the next run"
    return f"interrupted{stored}{left}; {GOES_ON}"


def unwritten(crawler: Crawler) -> Iterator[str]:
    """Yield a line for each place that could not be written to."""
    for name, count in (crawler.stats.get_stats() if crawler.stats is not None else {}).items():
        if name == FAILED and count:
            yield f"newsextract: {count} operations failed in the database: not all is stored, see the log"
        elif (name == FAILED_LINES or name.startswith(_FAILED_FEED)) and count:
            yield "newsextract: a file of articles could not be written to its end, see the log"


def exit_code(crawler: Crawler) -> int:
    """Return the exit code: 0 if anything could be read or nothing was due, and no site fails or is out of reach.

    Failed writes take precedence, then failing sites, then a crawl that could read nothing, then a site out of reach.
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
    nothing_due = sum(
        stats.get_value(f"newsextract/{name}", 0) for name in ("sites/quiet", "sites/other_shards", "sources/read")
    )
    if pages <= bad and (pages or not nothing_due):
        return NOTHING_READ
    failed = stats.get_value("newsextract/candidates/failed", 0)
    all_failed = failed > _DEAD_LINKS and failed == stats.get_value("newsextract/candidates")
    return SITES_UNREACHED if stats.get_value(UNREACHED, 0) else NOTHING_READ if all_failed else 0


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise errors of ours as `UsageError`, which Scrapy prints in one line."""
    try:
        yield
    except (ValueError, StorageError) as error:
        raise UsageError(str(error), print_help=False) from error


def _check_scrapys(settings: BaseSettings) -> None:
    """Raise `ValueError` for settings of Scrapy's with which it would end in a traceback."""
    if (level := settings["LOG_LEVEL"]) not in (known := logging.getLevelNamesMapping()):
        raise ValueError(f"LOG_LEVEL: {level!r} is not among {', '.join(known)}")
    if file := settings["LOG_FILE"]:
        _check_output(file, "LOG_FILE")
    for name, usual in iter_default_settings():
        if type(usual) in (int, float) and settings[name] is not None:
            try:
                settings.getfloat(name)
            except (TypeError, ValueError):
                raise ValueError(f"{name}: {settings[name]!r} is not a number; try {usual}") from None


def _check(args: list[str], spider_arguments: dict[str, str], settings: Settings) -> None:
    """Raise `ValueError` for invalid arguments or settings; checks the settings that the spider will have."""
    if len(args) > 1:
        named = " ".join(each if "=" in each else f"sites={each}" for each in args[1:])
        raise ValueError(f"arguments of a spider stand behind -a: scrapy crawl {args[0]} -a {named}")
    if not args:
        raise ValueError(f"name a spider: {EXAMPLE}")
    spiders = SpiderLoader.from_settings(settings)
    if args[0] not in (known := spiders.list()):
        raise ValueError(f"no spider is called {args[0]!r}; there is {', '.join(known)}")
    spider = spiders.load(args[0])
    spider.update_settings(settings)
    arguments = _checked_arguments(spider_arguments) if issubclass(spider, NewsSpider) else None
    check_settings(settings)
    if arguments is not None:
        check_sites(arguments.sites, settings)
        subscriptions_of(arguments.sites, Secrets.read(SECRETS.of(settings)))


def _checked_arguments(arguments: dict[str, str]) -> SpiderArguments:
    unknown = sorted(set(arguments) - set(NAMES) - set(SCRAPYD_ARGUMENTS))
    if unknown:
        meant = "".join(f"did you mean {name}? " for name in get_close_matches(unknown[0], NAMES, 1))
        raise ValueError(f"-a {unknown[0]}: {meant}the spider knows {', '.join(NAMES)}")
    if not arguments.get("sites"):
        raise ValueError(f"which sites? {EXAMPLE}, or a file: sites.yml, .txt, .csv, .opml")
    try:
        return SpiderArguments.parse(**{name: arguments[name] for name in NAMES if name in arguments})
    except ValueError as error:
        raise ValueError(f"-a {error}") from error


def check_settings(settings: BaseSettings) -> None:
    """Raise `ValueError` for a setting with which no crawl can succeed."""
    check(settings)
    _check_scrapys(settings)
    for target in settings.getdict("FEEDS"):
        _check_output(str(target))
    url = DATABASE.of(settings)
    if not url:
        return
    if settings["JOBDIR"]:
        raise BadSetting(
            "JOBDIR: the ledger in the database knows what is left of a crawl, and Scrapy's own record of it would keep"
            " requests away that a crash has lost; leave JOBDIR out, or set NEWSEXTRACT_DATABASE to nothing"
        )
    try:
        open_engine(url).dispose()
    except StorageError as error:
        raise BadSetting(f"{DATABASE.name}: {error}") from error


def _check_output(target: str, setting: str = "FEEDS") -> None:
    if target in _STANDARD_OUTPUT or "%(" in target or ("://" in target and not target.startswith("file://")):
        return  # always there; known only when Scrapy fills in a name; or a storage that answers for itself
    try:
        check_file(Path(target.removeprefix("file://")), {})
    except ValueError as error:
        raise BadSetting(f"{setting}: {error}{'; -O names another' if setting == 'FEEDS' else ''}") from error


def check_sites(sites: Iterable[Site], settings: BaseSettings) -> None:
    """Raise `ValueError` for a site that may not be visited because its address is private."""
    policy = PRIVATE_ADDRESSES.of(settings)
    for site in sites:
        host = urlsplit(site.home).hostname or ""
        if policy.refuses_host(host):
            raise ValueError(
                f"-a sites: {site.home} is a private address; "
                f"if it is meant, allow it: -s {PRIVATE_ADDRESSES.name}={host}"
            )
