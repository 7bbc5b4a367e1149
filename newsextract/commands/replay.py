"""`scrapy replay`: reads kept pages again, and shows what would change in the database."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsextract.commands.command_frame import Described, console, option_of, refusing
from newsextract.commands.preflight import closing_database, moment_of, stored_database
from newsextract.crawl.readers import plan_from_settings
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor
from newsextract.settings import KEEP_PAGES, PAGE_SECONDS, BadSetting
from newsextract.sites.site import SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.storage.database import writing
from newsextract.storage.kept_pages import PageFiles, forget_pages, newest_pages, read_kept_pages
from newsextract.tools.replaying.article_comparison import Replay
from newsextract.tools.replaying.replay_summary import as_json, summarize

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Engine

    from newsextract.tools.replaying.article_comparison import Comparison
    from newsextract.tools.replaying.replay_summary import Summary

DIFFERENCES = 10
"""Pages whose differences are shown."""

CHANGES, NOTHING_READ = 1, 3
"""Exit codes: something would change; no page could be read again."""


class Command(Described, ScrapyCommand):
    """Reads kept pages again."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    summary = "Read kept pages again, and show what would change in the database"
    details = (
        "Nothing is written. The pages are those that crawls with NEWSEXTRACT_KEEP_PAGES have kept, the newest of each "
        "article."
    )
    examples = (
        "scrapy replay --since 7d --diff",
        "scrapy replay -x mss --limit 100",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "nothing would change",
        CHANGES: "something would change",
        NOTHING_READ: "there was nothing to read",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        from newsextract.reading.extraction.contract import extractor_names  # noqa: PLC0415 - Scrapy imports every command

        super().add_options(parser)
        parser.add_argument("--since", metavar="WHEN", help="pages fetched since then: 7d, 36h, 2026-11-01")
        parser.add_argument("--site", metavar="SITE", help="pages of this site")
        parser.add_argument("--sites", metavar="FILE", help="read each site with the extractor that this list names")
        parser.add_argument("-x", "--extractor", metavar="NAME", help=f"one of {', '.join(extractor_names())}")
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of that extractor"
        )
        parser.add_argument("--limit", type=int, metavar="N", help="pages at most, the newest")
        parser.add_argument("--diff", action="store_true", help=f"show the words of the {DIFFERENCES} largest changes")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
        parser.add_argument("--prune", metavar="WHEN", help="instead, forget the pages fetched before: 90d, 2026-01-01")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read again and report, or prune."""
        if args or opts.jobs < 1 or (opts.limit is not None and opts.limit < 1):
            raise UsageError("replay takes options only; --jobs and --limit are above 0")
        settings = self.settings or BaseSettings()
        folder = KEEP_PAGES.of(settings)
        if folder is None:
            raise UsageError(
                'NEWSEXTRACT_KEEP_PAGES is not set: no page is kept; set it to a folder, such as "output/pages"',
                print_help=False,
            )
        engine = stored_database(settings, "there is nothing to compare with", is_told=False)
        files = PageFiles(folder)
        with closing_database(engine):
            self.exitcode = (
                _pruned(engine, files, opts.prune) if opts.prune else _replayed(engine, files, settings, opts)
            )


def _replayed(engine: Engine, files: PageFiles, settings: BaseSettings, opts: argparse.Namespace) -> int:
    """Read the pages again and report; return the exit code."""
    since = moment_of("--since", opts.since) if opts.since else None
    replay = _replay(files, settings, opts)
    with engine.connect() as connection:
        ids = newest_pages(connection, since, opts.site, opts.limit)
        if not ids:
            print("no page is kept that is asked for", file=sys.stderr)
            return NOTHING_READ
        summary = summarize(list(_shown(replay.run(read_kept_pages(connection, ids)), len(ids))))
    _print(summary, opts)
    if summary.total.unreadable == summary.total.pages:
        return NOTHING_READ
    return CHANGES if summary.total.changed else 0


def _replay(files: PageFiles, settings: BaseSettings, opts: argparse.Namespace) -> Replay:
    """Return the plan for reading: with the named extractor, else as a crawl with these settings would."""
    options = dict(option_of(written) for written in opts.option)
    if options and not opts.extractor:
        raise UsageError("--option is of an extractor; name it with -x", print_help=False)
    named = "-x: " if opts.extractor else "NEWSEXTRACT_EXTRACTOR: "
    with refusing(SiteListError, BadSetting), refusing(UnknownExtractor, BadExtractorOption, prefix=named):
        plan = plan_from_settings(settings, read_sites(opts.sites) if opts.sites else ())
        if opts.extractor:
            plan = replace(plan, extractor=opts.extractor, options=options, sites={}, listed=())
        plan.create()
        seconds = PAGE_SECONDS.of(settings)
    return Replay(plan, files, opts.jobs, seconds, is_other=bool(opts.extractor))


def _pruned(engine: Engine, files: PageFiles, age: str) -> int:
    before = moment_of("--prune", age)
    with writing(engine) as connection:
        count, names = forget_pages(connection, before)
    freed = sum(files.remove(name) for name in sorted(names))
    print(f"{count} pages forgotten, {freed / 1e6:.1f} MB freed")
    return 0


def _shown(comparisons: Iterator[Comparison], count: int) -> Iterator[Comparison]:
    """Yield the comparisons, showing progress on a terminal."""
    from rich.console import Console  # noqa: PLC0415 - only where something is printed
    from rich.progress import track  # noqa: PLC0415 - likewise

    errors = Console(stderr=True)
    yield from track(comparisons, "pages", count, console=errors, disable=not errors.is_terminal, transient=True)


def _print(summary: Summary, opts: argparse.Namespace) -> None:
    if opts.json:
        print(json.dumps(as_json(summary), ensure_ascii=False))
    else:
        from newsextract.tools.replaying.replay_report import report  # noqa: PLC0415 - brings rich

        console(highlight=False).print(report(summary, DIFFERENCES if opts.diff else 0))
    for comparison in summary.comparisons:
        if comparison.unreadable is not None:
            print(f"cannot be read: {comparison.url}: {comparison.unreadable}", file=sys.stderr)
