"""Tries the rules of sites on pages: kept ones, and those at test addresses, fetched one by one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from newsextract.page.page import PageError
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.reading_defaults import DEFAULT_EXTRACTOR
from newsextract.sites.fetching.guarded_connections import FetchError
from newsextract.storage.articles.kept_pages import newest_pages, read_kept_pages
from newsextract.storage.articles.page_files import UnreadablePage
from newsextract.tools.site_rules.rule_checks import RuleCheck, check_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection

    from newsextract.page.page import Page
    from newsextract.sites.fetching.page_fetcher import PageFetcher
    from newsextract.sites.site_list.site import Site, SiteIndex
    from newsextract.storage.articles.page_files import PageFiles

MOST_PAGES = 1_000
"""The newest kept pages that are looked through."""

MOST_TESTS = 20
"""Test addresses of a site that are fetched; a site's templates are fewer."""


def kept_checks(connection: Connection, files: PageFiles, ruled: SiteIndex) -> Iterator[RuleCheck]:
    """Yield what became of the rules on each of the newest kept pages whose site has some."""
    for kept in read_kept_pages(connection, newest_pages(connection, limit=MOST_PAGES)):
        site = ruled.find(kept.url)
        if site and site.rules:
            yield _check(site, kept.url, lambda kept=kept: kept.page(files))  # type: ignore[misc]


def live_checks(sites: Iterable[Site], fetcher: PageFetcher, seconds: float) -> Iterator[RuleCheck]:
    """Yield what became of the rules on the test addresses of each site.

    At least `seconds` pass between two requests, or the delay of the site's own limits.
    """
    for site in sites:
        pause = max(seconds, site.limits.delay or 0)
        for url in site.test_urls[:MOST_TESTS]:
            yield _check(site, url, lambda url=url: fetcher.fetch(url))  # type: ignore[misc]
            time.sleep(pause)


def _check(site: Site, url: str, load: Callable[[], Page]) -> RuleCheck:
    chosen = site.extractor
    name, options = (chosen.name, chosen.options) if chosen else (DEFAULT_EXTRACTOR, {})
    assert site.rules  # noqa: S101 - only sites with rules are checked
    try:
        return check_page(load(), site.rules, create_extractor(name, **options))
    except FetchError as error:
        return RuleCheck(url, (), (), None, f"cannot be fetched: {error}")
    except (UnreadablePage, PageError) as error:
        return RuleCheck(url, (), (), None, f"cannot be read: {error}")
