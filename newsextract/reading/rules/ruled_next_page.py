"""The next page of an article by the rules of its site, where its URL does not tell."""

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
    return next(_links(page, first, rules), general)


def _links(page: Page, first: str, rules: SiteRules) -> Iterator[str]:
    known = {url_key(page.url or ""), url_key(first)}
    for expression in rules.next_page:
        for href in islice(addresses(expression, page.tree), _MOST):
            found = clean_url(href, page.base_url or "")
            if found and site_of(found) == site_of(page.url or "") and url_key(found) not in known:
                yield found
