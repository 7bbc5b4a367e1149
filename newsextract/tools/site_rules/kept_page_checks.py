"""Tries the rules of sites on their kept pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.page.page import PageError
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.reading_defaults import DEFAULT_EXTRACTOR
from newsextract.storage.articles.kept_pages import newest_pages, read_kept_pages
from newsextract.storage.articles.page_files import UnreadablePage
from newsextract.tools.site_rules.rule_checks import RuleCheck, check_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from newsextract.sites.site_list.site import SiteIndex
    from newsextract.storage.articles.page_files import PageFiles

MOST_PAGES = 1_000
"""The newest kept pages that are looked through."""


def checked_pages(connection: Connection, files: PageFiles, ruled: SiteIndex) -> Iterator[RuleCheck]:
    """Yield what became of the rules on each of the newest kept pages whose site has some."""
    for kept in read_kept_pages(connection, newest_pages(connection, limit=MOST_PAGES)):
        site = ruled.find(kept.url)
        if site is None or not site.rules:
            continue
        chosen = site.extractor
        name, options = (chosen.name, chosen.options) if chosen else (DEFAULT_EXTRACTOR, {})
        try:
            yield check_page(kept.page(files), site.rules, create_extractor(name, **options))
        except (UnreadablePage, PageError) as error:
            yield RuleCheck(kept.url, (), (), None, f"cannot be read: {error}")
