"""`scrapy health`: the state of the sites, judged by their last runs."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import closing_database, stored_database
from newsextract.crawl.health import SITES_DEGRADED
from newsextract.newsroom.health.report import (
    GIVEN_UP,
    RUNS,
    examine,
    examine_all,
    lines_of,
    statement_of,
    write_exposition,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.newsroom.health.report import SiteHealth

WIDTH = 160
"""Columns of the table if there is no terminal to ask."""


class Command(Described, ScrapyCommand):
    """Prints the state of the sites."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    summary = "Show the state of each site: silent, blocked, changed layout"
    details = (
        "Judges the newest run of each site by the runs before it, as the crawl did when it ended. The database is the "
        "one of NEWSEXTRACT_DATABASE."
    )
    examples = (
        "scrapy health",
        "scrapy health --runs 10 --json",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "no site is degraded or failing",
        SITES_DEGRADED: "a site is degraded or failing",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("--site", metavar="SITE", help="only this one, as the table of a crawl names it")
        parser.add_argument(
            "--runs", type=int, default=RUNS, metavar="N", help="runs to look back on (default: %(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, one site per line")
        parser.add_argument("--prometheus", metavar="FILE", help="write a file for node_exporter's textfile collector")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Examine the sites, and print the result."""
        if args:
            raise UsageError(f"{args[0]!r} is not an option: name a site with --site", print_help=False)
        if opts.runs < 1:
            raise UsageError(f"--runs: {opts.runs} is not a number of runs", print_help=False)
        engine = stored_database(self.settings, "nothing is known of any site", is_told=not opts.json)
        with closing_database(engine), engine.connect() as connection:
            sites = _examined(connection, opts.site, opts.runs)
        if opts.prometheus:
            with refusing(OSError, prefix=f"--prometheus: cannot write {opts.prometheus}: "):
                write_exposition(Path(opts.prometheus), sites)
        if any(health.problems for health in sites):
            self.exitcode = SITES_DEGRADED
        if opts.json:
            for health in sites:
                print(json.dumps(statement_of(health), ensure_ascii=False))
        else:
            _print(sites)


def _examined(connection: Connection, site: str | None, runs: int) -> list[SiteHealth]:
    if site is None:
        return examine_all(connection, datetime.now(UTC), runs)
    health = examine(connection, site, runs)
    if health is None:
        raise UsageError(f"--site: no run has seen {site!r}", print_help=False)
    return [health]


def _print(sites: Sequence[SiteHealth]) -> None:
    from newsextract.newsroom.health.report import health_table  # noqa: PLC0415 - brings rich

    if not sites:
        print(f"no run has seen a site in the last {GIVEN_UP.days} days", file=sys.stderr)
        return
    terminal = console(WIDTH)
    terminal.print(health_table(sites, datetime.now(UTC), terminal.width))
    for line in (line for health in sites for line in lines_of(health)):
        terminal.print(line, style="red", soft_wrap=True, highlight=False, markup=False)
