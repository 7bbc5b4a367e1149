"""`scrapy probe`: examines a new site, and prints its lines for `sites.yml`."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import check_urls
from newsextract.interrupts import ending_at_once
from newsextract.reading.notices import DEFAULT_EXTRACTOR
from newsextract.settings import TARGETS, BadSetting, check
from newsextract.sites.site import read_address

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from newsextract.tools.probing.fetched_site import Visit
    from newsextract.tools.probing.probe_report import Report

SECONDS = 25.0
"""Seconds for fetching; reading the pages takes some more."""

MOST_SECONDS = 600.0

WIDTH = 80
"""Columns if there is no terminal to ask."""

NOT_REACHED, NO_ARTICLE = 1, 3
"""Exit codes: the page cannot be fetched; it can, but no article could be read."""

_OFF = ("DATABASE", "HEALTH_WEBHOOK", "PROMETHEUS", "WATCH", "KEEP_PAGES")
_ALONE: dict[str, Any] = {
    "LOG_LEVEL": "CRITICAL",
    "FEEDS": {},
    **dict.fromkeys([*(f"NEWSEXTRACT_{name}" for name in _OFF), *(setting.name for setting in TARGETS)]),
    **dict.fromkeys(("NEWSEXTRACT_PROGRESS", "NEWSEXTRACT_SITE_MEMORY", "RETRY_ENABLED"), False),
    "NEWSEXTRACT_WORKERS": 0,
    "ROBOTSTXT_OBEY": True,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}
"""Nothing is stored, sent or retried, and robots.txt is always read, as the report is about it."""

_ADDON = "newsextract.addon.NewsExtract"


class Command(Described, ScrapyCommand):
    """Examines a site."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "CRITICAL"}
    usage = "[options] <URL>"
    summary = "Examine a site: its sources, five articles, and the lines for sites.yml"
    details = "A few pages are fetched, and nothing is stored."
    examples = (
        "scrapy probe https://example.com",
        "scrapy probe https://example.com --json",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "articles could be read",
        NOT_REACHED: "the page cannot be fetched",
        NO_ARTICLE: "no article could be read",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--seconds", type=float, default=SECONDS, help=f"for what is fetched (default: {SECONDS:.0f})"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Apply settings that make the probe independent of the project; `-s` and `-L` take precedence."""
        if self.settings:
            for name, value in _ALONE.items():
                self.settings.set(name, value, "cmdline")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Fetch, judge and report."""
        check_urls(*args)
        url = read_address(args[0]) if len(args) == 1 else None
        if url is None:
            raise UsageError("name one site: scrapy probe https://example.com/")
        if not 0 < opts.seconds <= MOST_SECONDS:
            raise UsageError(f"--seconds: {opts.seconds:g} is not above 0 and up to {MOST_SECONDS:.0f}")
        from newsextract.tools.probing.fetched_site import Visit  # noqa: PLC0415 - Scrapy imports every command
        from newsextract.tools.probing.probe_report import as_json, assemble  # noqa: PLC0415 - likewise

        visit = Visit(url)
        self._look(visit, opts.seconds)
        report = assemble(visit, datetime.now(UTC))
        if opts.json:
            print(json.dumps(as_json(report), ensure_ascii=False, default=str))
        elif visit.home is not None:
            _print(report)
        if visit.home is None:
            print(f"{url}: {why_not(visit)}", file=sys.stderr)
            self.exitcode = NOT_REACHED
        elif not report.has_article:
            self.exitcode = NO_ARTICLE

    def _look(self, visit: Visit, seconds: float) -> None:
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        settings = self.crawler_process.settings
        settings.set("ADDONS", {**settings.getdict("ADDONS"), _ADDON: 500}, "cmdline")
        with refusing(BadSetting):
            check(settings)
        from newsextract.tools.probing.probe_spider import ProbeSpider  # noqa: PLC0415 - Scrapy imports every command

        self.crawler_process.crawl(ProbeSpider, visit=visit, seconds=seconds, extractor=DEFAULT_EXTRACTOR)
        with ending_at_once():
            self.crawler_process.start(install_signal_handlers=False)


def why_not(visit: Visit) -> str:
    """Return why the home page could not be fetched, and what helps, if anything does."""
    robots = visit.robots_here()
    if visit.error == "private address":
        asked = urlsplit(visit.asked).hostname
        host = visit.refused_host or asked
        what = "a private address" if host == asked else f"it leads to {host}, a private address"
        return f"{what}; if it is meant, allow it: -s NEWSEXTRACT_PRIVATE_ADDRESSES={host}"
    if visit.is_cut and robots is not None and robots.delay:
        return (
            f"robots.txt asks for {robots.delay:g} s between requests: "
            f"not reached in {visit.seconds:.0f} s; give it more: --seconds {robots.delay * 10:.0f}"
        )
    return visit.error or f"not reached in {visit.seconds:.0f} s"


def _print(report: Report) -> None:
    from newsextract.tools.probing.probe_terminal import terminal_report  # noqa: PLC0415 - brings rich

    console(WIDTH, highlight=False).print(terminal_report(report))
    if report.block:
        print(f"\n{report.block}", end="")
