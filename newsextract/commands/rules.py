"""`scrapy rules`: tries the rules in a list of sites on kept or test pages, and at test addresses."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import closing_database, stored_database
from newsextract.settings import DATABASE, KEEP_PAGES, PRIVATE_ADDRESSES, BadSetting
from newsextract.sites.site import SiteIndex, SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.storage.kept_pages import PageFiles

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.sites.site import Site
    from newsextract.tools.site_rules.rule_checks import RuleCheck

LEAST_PAUSE = 1.0
"""Seconds between two pages that `--live` fetches; a longer DOWNLOAD_DELAY holds."""

WIDE = 100
"""Columns from which the table also says which rules matched."""

MOST_NAMES = 10
"""Sites that are listed where a name is wrong."""

NOTHING = 1
"""Exit code if no file holds a rule, or rules are not followed everywhere."""


class Command(Described, ScrapyCommand):
    """Checks and imports rules."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] check <SITES>"
    summary = "Try the rules in sites.yml on pages"
    details = (
        "check reads the newest kept pages of the sites that have rules, with NEWSEXTRACT_DATABASE and "
        "NEWSEXTRACT_KEEP_PAGES; with --live it fetches test_urls, one at a time, as robots.txt and Crawl-delay "
        "allow, of sites that are enabled or named. Names or hosts of sites may follow the list. "
        "F1 is between body rule and general reading."
    )
    examples = (
        "scrapy rules check sites.yml",
        "scrapy rules check sites.yml --live",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "the rules are followed on every page",
        NOTHING: "no page, or rules are not followed",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("--live", action="store_true", help="fetch the test_urls of the list")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the folder, write the list, print the counts."""
        action, *others = args or [""]
        if action == "check" and others:
            sites, *names = others
            self.exitcode = self._check_live(sites, names) if opts.live else self._check(sites, names)
        else:
            raise UsageError(
                "name the list: scrapy rules check sites.yml",
                print_help=False,
            )

    def _check(self, sites: str, names: Sequence[str]) -> int:
        settings = self.settings or BaseSettings()
        kept = KEEP_PAGES.of(settings)
        if kept is None:
            raise UsageError('NEWSEXTRACT_KEEP_PAGES is not set: no page is kept; set it to "pages"', print_help=False)
        ruled = SiteIndex(_ruled(sites, names))
        from newsextract.tools.site_rules.page_checks import kept_checks  # noqa: PLC0415 - brings all readers

        engine = stored_database(settings, "there are no kept pages", is_told=False)
        with closing_database(engine), engine.connect() as connection:
            checks = list(kept_checks(connection, PageFiles(kept), ruled))
        return _report(checks)

    def _check_live(self, sites: str, names: Sequence[str]) -> int:
        settings = self.settings or BaseSettings()
        tested = _tested(sites, names)
        from newsextract.sites.fetching import USER_AGENT, PageFetcher  # noqa: PLC0415 - as above
        from newsextract.tools.site_rules.page_checks import live_checks  # noqa: PLC0415

        with refusing(BadSetting):
            agent = settings["USER_AGENT"] if settings.getpriority("USER_AGENT") else USER_AGENT
            fetcher = PageFetcher(PRIVATE_ADDRESSES.of(settings), agent)
        pause = max(settings.getfloat("DOWNLOAD_DELAY"), LEAST_PAUSE)
        checks = []
        for each in live_checks(tested, fetcher, pause):
            print(f"{'read' if each.is_fetched else 'not fetched'}: {each.url}", file=sys.stderr)
            checks.append(each)
        return _report(self._with_kept(checks, SiteIndex(tested)))

    def _with_kept(self, checks: Sequence[RuleCheck], ruled: SiteIndex) -> list[RuleCheck]:
        """Return the checks, with those of kept pages where a page cannot be fetched; say so on standard error."""
        settings = self.settings or BaseSettings()
        missing = [each.url for each in checks if not each.is_fetched]
        kept = KEEP_PAGES.of(settings)
        if not missing or kept is None or not DATABASE.of(settings):
            return list(checks)
        from newsextract.tools.site_rules.page_checks import kept_instead  # noqa: PLC0415 - brings all readers

        try:
            engine = stored_database(settings, "there are no kept pages", is_told=False)
        except UsageError as error:  # what was fetched is of use without it
            print(f"no kept page is read instead: {error}", file=sys.stderr)
            return list(checks)
        with closing_database(engine), engine.connect() as connection:
            found = kept_instead(connection, PageFiles(kept), ruled, missing)
        for each in checks:
            if instead := found.get(each.url):
                which = "its kept page" if instead.url == each.url else f"the kept page {instead.url}"
                print(f"{each.url} {each.verdict}; {which} is read instead", file=sys.stderr)
        return [found.get(each.url, each) for each in checks]


def _ruled(sites: str, names: Sequence[str]) -> list[Site]:
    """Return the sites of a list that have rules: those that are named, or all."""
    with refusing(SiteListError):
        ruled = [site for site in read_sites(sites) if site.rules]
    if not ruled:
        raise UsageError(f"{sites}: no site has rules; write rules: {{body: div.story}}", print_help=False)
    known = {name.casefold(): site for site in ruled for name in (*site.hosts, site.name)}
    for name in names:
        if name.casefold() not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(islice(known, MOST_NAMES))}"
            raise UsageError(f"{sites}: {name!r} is no site with rules; {meant}", print_help=False)
    return list(dict.fromkeys(known[name.casefold()] for name in names)) if names else ruled


def _tested(sites: str, names: Sequence[str]) -> list[Site]:
    """Return the sites whose test pages are fetched: those that are named, or all that are enabled."""
    tested = [site for site in _ruled(sites, names) if site.test_urls]
    if not tested:
        which = "no site that is named" if names else "no site"
        raise UsageError(
            f"{sites}: {which} has both rules and test_urls; write test_urls: https://example.com/a-story",
            print_help=False,
        )
    wanted = [site for site in tested if names or site.enabled]
    if not wanted:
        raise UsageError(
            f"{sites}: every site with rules and test_urls is disabled; name those to fetch, such as "
            f"scrapy rules check {sites} {tested[0].hosts[0]} --live",
            print_help=False,
        )
    if left := len(tested) - len(wanted):
        them = "1 disabled site is" if left == 1 else f"{left} disabled sites are"
        print(f"{them} not fetched unless named", file=sys.stderr)
    return wanted


def _report(checks: Sequence[RuleCheck]) -> int:
    """Print the checks and return the exit code."""
    _print_checks(checks)
    return 0 if checks and all(each.is_fine for each in checks) else NOTHING


def _print_checks(checks: Sequence[RuleCheck]) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    if not checks:
        print("no kept page is of a site with rules; --live fetches the test_urls of the list")
        return
    shown = console()
    is_wide = shown.width >= WIDE
    matched = ["matched"] if is_wide else []
    table = Table(Column("page", overflow="fold"), *matched, "missed", "F1", "verdict", box=SIMPLE)
    for each in checks:
        f1 = "-" if each.f1 is None else f"{each.f1:.3f}"
        found = [", ".join(each.matched)] if is_wide else []
        table.add_row(each.url, *found, ", ".join(each.missed), f1, each.verdict)
    shown.print(table)
    fine = sum(each.is_fine for each in checks)
    print(f"rules hold on {fine} of {'1 page' if len(checks) == 1 else f'{len(checks)} pages'}")
