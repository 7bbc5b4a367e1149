"""`scrapy rules`: tries the rules in a list of sites on kept or test pages, and imports those of another program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import closing_database, opened_database
from newsextract.setting_types import BadSetting
from newsextract.settings import KEEP_PAGES, PRIVATE_ADDRESSES
from newsextract.sites.site_list.site import SiteIndex, SiteListError
from newsextract.sites.site_list.site_list import read_sites
from newsextract.storage.articles.page_files import PageFiles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.sites.site_list.site import Site
    from newsextract.tools.site_rules.rule_checks import RuleCheck
    from newsextract.tools.site_rules.rules_import import RulesImport

LEAST_PAUSE = 1.0
"""Seconds between two pages that `--live` fetches; a longer DOWNLOAD_DELAY holds."""

NOTHING = 1
"""Exit code if no file holds a rule, or rules are not followed everywhere."""


class Command(Described, ScrapyCommand):
    """Checks and imports rules."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] check <SITES> | import <FOLDER>"
    summary = "Try the rules in sites.yml on pages, or import those of Full-Text RSS"
    details = (
        "check reads the newest kept pages of the sites that have rules, with NEWSEXTRACT_DATABASE and "
        "NEWSEXTRACT_KEEP_PAGES; with --live it fetches test_urls, one at a time, as robots.txt allows. "
        "F1 is between body rule and general reading.\n\n"
        "FOLDER holds a .txt file per host. The list goes to -o FILE and the counts of what was taken over to standard "
        "output; without -o, the list goes there, and the counts to standard error. No site of it is enabled."
    )
    examples = (
        "scrapy rules check sites.yml",
        "scrapy rules check sites.yml --live",
        "scrapy rules import ftr-site-config -o rules.yml",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "the rules are written, or followed on every page",
        NOTHING: "no page or no rule, or rules are not followed",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the list there")
        parser.add_argument("--live", action="store_true", help="fetch the test_urls of the list")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the folder, write the list, print the counts."""
        if len(args) != 2 or args[0] not in ("check", "import"):
            raise UsageError("name the list or the folder: scrapy rules check sites.yml, scrapy rules import FOLDER")
        if args[0] == "check":
            self.exitcode = self._check_live(args[1]) if opts.live else self._check(args[1])
        else:
            self._import(args[1], opts)

    def _check(self, sites: str) -> int:
        settings = self.settings or BaseSettings()
        kept = KEEP_PAGES.of(settings)
        if kept is None:
            raise UsageError('NEWSEXTRACT_KEEP_PAGES is not set: no page is kept; set it to "pages"', print_help=False)
        ruled = SiteIndex(_ruled(sites))
        from newsextract.tools.site_rules.page_checks import kept_checks  # noqa: PLC0415 - brings all readers

        engine = opened_database(settings, "there are no kept pages")
        with closing_database(engine), engine.connect() as connection:
            checks = list(kept_checks(connection, PageFiles(kept), ruled))
        return _report(checks)

    def _check_live(self, sites: str) -> int:
        settings = self.settings or BaseSettings()
        tested = [site for site in _ruled(sites) if site.test_urls]
        if not tested:
            raise UsageError(
                f"{sites}: no site has both rules and test_urls; write test_urls: https://example.com/a-story",
                print_help=False,
            )
        from newsextract.sites.fetching.page_fetcher import USER_AGENT, PageFetcher  # noqa: PLC0415 - as above
        from newsextract.tools.site_rules.page_checks import live_checks  # noqa: PLC0415

        with refusing(BadSetting):
            agent = settings["USER_AGENT"] if settings.getpriority("USER_AGENT") else USER_AGENT
            fetcher = PageFetcher(PRIVATE_ADDRESSES.of(settings), agent)
        pause = max(settings.getfloat("DOWNLOAD_DELAY"), LEAST_PAUSE)
        return _report(list(live_checks(tested, fetcher, pause)))

    def _import(self, named: str, opts: argparse.Namespace) -> None:
        folder = Path(named)
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder", print_help=False)
        if opts.output and opts.output.is_file():
            raise UsageError(f"-o: {opts.output} is there already; name another file", print_help=False)
        from newsextract.tools.site_rules.rules_import import as_yaml, read_folder  # noqa: PLC0415 - Scrapy imports every command

        with refusing(OSError):
            found = read_folder(folder)
            if not found.sites:
                print(f"{folder}: no .txt file there holds a rule", file=sys.stderr)
                self.exitcode = NOTHING
                return
            text = as_yaml(found.sites.values())
            if opts.output:
                opts.output.write_text(text, "utf-8")
            else:
                print(text, end="")
        _print(found, is_piped=not opts.output)


def _ruled(sites: str) -> list[Site]:
    with refusing(SiteListError):
        return [site for site in read_sites(sites) if site.rules]


def _report(checks: Sequence[RuleCheck]) -> int:
    """Print the checks and return the exit code."""
    _print_checks(checks)
    return 0 if checks and all(each.is_fine for each in checks) else NOTHING


def _print_checks(checks: Sequence[RuleCheck]) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    table = Table(Column("page", overflow="fold"), "matched", "missed", "F1", "verdict", box=SIMPLE)
    for each in checks:
        f1 = "-" if each.f1 is None else f"{each.f1:.3f}"
        table.add_row(each.url, ", ".join(each.matched), ", ".join(each.missed), f1, each.verdict)
    if checks:
        console().print(table)
    fine = sum(each.is_fine for each in checks)
    print(f"{len(checks)} pages of sites with rules: {fine} follow all of them, {len(checks) - fine} do not")


def _print(found: RulesImport, *, is_piped: bool) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    from newsextract.tools.site_rules.ftr_files import LEFT_BECAUSE  # noqa: PLC0415 - Scrapy imports every command

    headings = ("taken over", "not needed", "not taken over", "broken")
    columns = (Column(name, justify="right", min_width=6, max_width=6) for name in headings)
    table = Table(Column("directive", no_wrap=True), *columns, box=SIMPLE)
    tally = found.tally
    for name in tally.names():
        counts = (each[name] for each in (tally.taken, tally.needless, tally.left, tally.broken))
        table.add_row(name, *(str(count or "") for count in counts))
    shown = console(stderr=is_piped)
    shown.print(table)
    for names, why in LEFT_BECAUSE.items():
        if left := [name for name in names if tally.left[name]]:
            shown.print(f"Not taken over: {', '.join(left)}: {why}.", markup=False, highlight=False)
    shown.print(
        f"{found.files} files: {len(found.sites)} sites, {found.empty} without a rule, {found.refused} too large, of "
        f"no host or of one met before; {found.with_body_rule} of {found.with_body} with a body have their body rule"
    )
