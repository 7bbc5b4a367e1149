"""Tries the rules of sites on pages: kept ones, and those at test addresses, fetched one by one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.page import PageError
from newsextract.page.urls import url_key
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import DEFAULT_EXTRACTOR
from newsextract.sites.fetching import FetchError
from newsextract.storage.kept_pages import UnreadablePage, newest_pages, read_kept_pages
from newsextract.tools.site_rules.rule_checks import RuleCheck, check_page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from sqlalchemy import Connection

    from newsextract.page.page import Page
    from newsextract.sites.fetching import PageFetcher
    from newsextract.sites.site import Site, SiteIndex
    from newsextract.storage.kept_pages import KeptPage, PageFiles

MOST_PAGES = 1_000
"""The newest kept pages that are looked through."""

MOST_TESTS = 20
"""Test addresses of a site that are fetched; a site's templates are fewer."""

MOST_SECONDS = 60.0
"""A host that wants more between two requests is not waited for."""


def kept_checks(connection: Connection, files: PageFiles, ruled: SiteIndex) -> Iterator[RuleCheck]:
    """Yield what became of the rules on each of the newest kept pages whose site has some."""
    for site, kept in _kept(connection, ruled):
        yield _check(site, kept.url, lambda kept=kept: kept.page(files))  # type: ignore[misc]


def kept_instead(
    connection: Connection, files: PageFiles, ruled: SiteIndex, urls: Collection[str]
) -> dict[str, RuleCheck]:
    """Return, by URLs that cannot be fetched, the check of the page kept of each, else of one of its site."""
    pages: dict[str, tuple[Site, KeptPage]] = {}
    for site, kept in _kept(connection, ruled):
        pages.setdefault(url_key(kept.url), (site, kept))
        pages.setdefault(site.name, (site, kept))
    found = {}
    for url in urls:
        of_site = ruled.find(url)
        if known := pages.get(url_key(url)) or (pages.get(of_site.name) if of_site else None):
            site, kept = known
            found[url] = _check(site, kept.url, lambda kept=kept: kept.page(files))  # type: ignore[misc]
    return found


def _kept(connection: Connection, ruled: SiteIndex) -> Iterator[tuple[Site, KeptPage]]:
    for kept in read_kept_pages(connection, newest_pages(connection, limit=MOST_PAGES)):
        site = ruled.find(kept.url)
        if site and site.rules:
            yield site, kept


def live_checks(sites: Iterable[Site], fetcher: PageFetcher, seconds: float) -> Iterator[RuleCheck]:
    """Yield what became of the rules on the test addresses of each site.

    At least `seconds` pass between two requests to a host, or the delay of the site's own limits or of robots.txt.
    """
    turns = _Turns(fetcher)
    for site in sites:
        pause = max(seconds, site.limits.delay or 0)
        for url in site.test_urls[:MOST_TESTS]:
            yield _check(site, url, lambda url=url, pause=pause: turns.page(url, pause))  # type: ignore[misc]


@dataclass(frozen=True)
class _Turns:
    """Fetches pages, each when its host is due."""

    fetcher: PageFetcher
    due: dict[str, float] = field(default_factory=dict)
    """When the next request may be sent to a host, on the monotonic clock."""

    def page(self, url: str, seconds: float) -> Page:
        """Return the page at a URL; raises what `PageFetcher.fetch` raises."""
        host = urlsplit(url).netloc
        is_new = host not in self.due
        asked = self.fetcher.crawl_delay(url)
        if asked > MOST_SECONDS:
            raise FetchError("too slow", f"robots.txt wants {asked:g} seconds between two requests")
        pause = max(seconds, asked)
        if is_new:  # robots.txt was the first request
            self.due[host] = time.monotonic() + pause
        time.sleep(max(0.0, self.due[host] - time.monotonic()))
        try:
            return self.fetcher.fetch(url)
        finally:
            self.due[host] = time.monotonic() + pause


def _check(site: Site, url: str, load: Callable[[], Page]) -> RuleCheck:
    chosen = site.extractor
    name, options = (chosen.name, chosen.options) if chosen else (DEFAULT_EXTRACTOR, {})
    assert site.rules  # noqa: S101 - only sites with rules are checked
    try:
        return check_page(load(), site.rules, create_extractor(name, **options))
    except FetchError as error:
        why = str(error).replace(f"{url}: ", "").removesuffix(f": {url}")  # the check names it
        return RuleCheck(url, (), (), None, f"cannot be fetched: {why}", is_fetched=False)
    except (UnreadablePage, PageError) as error:
        return RuleCheck(url, (), (), None, f"cannot be read: {error}")
