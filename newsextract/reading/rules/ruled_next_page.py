"""The next page of an article, or all of it on one page, by the rules of its site."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from newsextract.page.urls.clean_urls import clean_url, site_of, url_key
from newsextract.reading.rules.expressions import MAX_ELEMENTS, addresses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.page import Page
    from newsextract.reading.rules.site_rules import SiteRules

_MOST = 20
"""Links looked at for each expression: what finds more has found a menu."""


def ruled_next_page(page: Page, first: str, rules: SiteRules | None, general: str | None) -> str | None:
    """Return the URL of the next page by rule, else `general`, the one that was found without rules.

    It is on the same site, and neither this page nor `first`, the one on which the article begins. Rules that count
    only where the general reading is unsure are asked only where that finds none.
    """
    if not rules or not rules.next_page or (rules.when_unsure and general):
        return general
    if len(page.outline.elements) > MAX_ELEMENTS:
        return general
    return next(_links(page, first, rules.next_page), general)


def ruled_single_page(page: Page, rules: SiteRules | None, following: str | None) -> str | None:
    """Return the URL of the page that has all of the article which begins here; `None` without a rule that finds it.

    Rules that count only where the general reading is unsure need a page that follows, `following`: where there is
    none, all is here, and another request would be for nothing.
    """
    if not rules or not rules.single_page or (rules.when_unsure and not following):
        return None
    if len(page.outline.elements) > MAX_ELEMENTS:
        return None
    return next(_links(page, page.url or "", rules.single_page), None)


def _links(page: Page, first: str, expressions: tuple[str, ...]) -> Iterator[str]:
    known = {url_key(page.url or ""), url_key(first)}
    for expression in expressions:
        for href in islice(addresses(expression, page.tree), _MOST):
            found = clean_url(href, page.base_url or "")
            if found and site_of(found) == site_of(page.url or "") and url_key(found) not in known:
                yield found
