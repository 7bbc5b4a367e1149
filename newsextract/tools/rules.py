"""The verb `rules`: tries the rules of a list of sites on its `test_urls`, fetched one at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

import click

from newsextract.terminal import DONE, NOTHING, Refusal, console, say, show, verb
from newsextract.tools.project import fetcher_of, settings_of, why_unfetched, with_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.page import Page
    from newsextract.sites.fetching import PageFetcher
    from newsextract.sites.site import Site

LEAST_PAUSE = 1.0
"""Seconds between two pages; a longer DOWNLOAD_DELAY, delay of the site or Crawl-delay holds."""

MOST_TESTS = 20
"""Test addresses of a site that are fetched; a site's templates are fewer."""

MOST_NAMES = 10
"""Sites that are listed where a name is wrong."""

_NOT_ON_EVERY_PAGE = ("strip", "strip_text", "next_page", "single_page")

FOLLOWED, NO_BODY = "followed", "no body rule"


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What became of the rules on one page."""

    url: str
    verdict: str
    missed: tuple[str, ...] = ()
    """The rules that find nothing, without `strip`, `strip_text` and links to pages, which not every page has."""
    f1: float | None = None
    """Token F1 between the body by rule and the general reading; `None` where the body is not read by rule."""

    @property
    def is_fine(self) -> bool:
        """Whether every rule matched."""
        return not self.missed and self.verdict in (FOLLOWED, NO_BODY)


@verb("newsextract rules sites.yml", "newsextract rules sites.yml example.com", nothing="rules are not followed")
@click.argument("sites", metavar="SITES", help="the list of sites")
@click.argument("names", nargs=-1, metavar="[NAME ...]", help="names or hosts of sites (default: all)")
@with_settings
def rules(sites: str, names: tuple[str, ...], given: tuple[str, ...]) -> int:
    """Try the rules of a list of sites on its test_urls.

    They are fetched one at a time, as robots.txt and Crawl-delay allow, of sites that are enabled or named. F1 is
    between body rule and general reading. Where pages are kept, newsextract replay --sites SITES tries them, too.
    """
    from rich.padding import Padding
    from rich.text import Text

    fetcher = fetcher_of(given)
    pause = max(settings_of(given).getfloat("DOWNLOAD_DELAY"), LEAST_PAUSE)
    checks: list[RuleCheck] = []
    wait = 0.0
    for site in _tested(sites, names):
        for url in site.test_urls[:MOST_TESTS]:
            time.sleep(wait)
            checks.append(_check(site, url, fetcher))
            wait = max(pause, site.limits.delay or 0, fetcher.delay(url))
    terminal = console(highlight=False)
    for each in checks:
        score = "" if each.f1 is None else f", F1 {each.f1:.3f}"
        missed = f"; missed: {', '.join(each.missed)}" if each.missed else ""
        told = Text(f"{each.verdict}{score}{missed}", "green" if each.is_fine else "red")
        show(terminal, Text(each.url, "bold"), Padding(told, (0, 0, 0, 2)))
    fine = sum(each.is_fine for each in checks)
    print(f"rules hold on {fine} of {'1 page' if len(checks) == 1 else f'{len(checks)} pages'}")
    return DONE if fine == len(checks) else NOTHING


def _tested(sites: str, names: Sequence[str]) -> list[Site]:
    """Return the sites whose test pages are fetched: those that are named, or all that are enabled."""
    from newsextract.sites.site_list import read_sites

    tested = [site for site in read_sites(sites) if site.rules and site.test_urls]
    if not tested:
        raise Refusal(f"{sites}: no site has both rules and test_urls; write test_urls: https://example.com/a-story")
    known = {name.casefold(): site for site in tested for name in (*site.hosts, site.name)}
    for name in names:
        if name.casefold() not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(islice(known, MOST_NAMES))}"
            raise Refusal(f"{sites}: {name!r} is no site with rules and test_urls; {meant}")
    if names:
        return list(dict.fromkeys(known[name.casefold()] for name in names))
    wanted = [site for site in tested if site.enabled]
    if not wanted:
        first = tested[0].hosts[0]
        raise Refusal(f"{sites}: every such site is disabled; name those to fetch: newsextract rules {sites} {first}")
    if left := len(tested) - len(wanted):
        say(f"disabled sites are not fetched unless named: {left}")
    return wanted


def _check(site: Site, url: str, fetcher: PageFetcher) -> RuleCheck:
    from newsextract.page.page import PageError
    from newsextract.sites.fetching import FetchError

    try:
        return check_page(fetcher.fetch(url), site)
    except (FetchError, PageError) as error:
        return RuleCheck(url, f"cannot be fetched: {why_unfetched(error, url)}")


def check_page(page: Page, site: Site) -> RuleCheck:
    """Return what became of the rules on a page."""
    from newsextract.evaluation.measures import Text, token_scores
    from newsextract.reading.extraction.contract import create_reader
    from newsextract.reading.notices import Notice, NoticeCode
    from newsextract.reading.rules import RULE, RuledExtractor, texts

    assert site.rules  # noqa: S101 - only sites with rules are checked
    general = create_reader(site.extractor or "auto")
    missed = tuple(
        name
        for name, written in site.rules.expressions().items()
        if written and name not in _NOT_ON_EVERY_PAGE and not any(texts(each, page.tree) for each in written)
    )
    found = RuledExtractor(general, site.rules).extract(page)
    warnings = [each for each in found.warnings if isinstance(each, Notice) and each.code is NoticeCode.RULE_MISSED]
    if not site.rules.body:
        return RuleCheck(page.url or "", NO_BODY, missed)
    if found.sources.get("articleBody") != RULE:
        return RuleCheck(page.url or "", str(warnings[0]) if warnings else "not followed", missed)
    f1 = token_scores(Text(found.text), Text(general.extract(page).text))["token_f1"]
    return RuleCheck(page.url or "", FOLLOWED, missed, f1)
