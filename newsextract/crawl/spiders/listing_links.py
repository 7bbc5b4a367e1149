"""The links of home and section pages: those in the HTML, or, where none leads to an article, those of its scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request

    from newsextract.crawl.readers import Readers, Survey
    from newsextract.crawl.rendering.second_reading import SecondReading
    from newsextract.crawl.spiders.fetched_pages import FetchedPages
    from newsextract.page.links import Link
    from newsextract.page.page import Page
    from newsextract.sites.frontier import Frontier


@dataclass(frozen=True)
class ListingLinks:
    """Asks workers for the links of pages, and a browser for pages whose scripts put them in."""

    fetched: FetchedPages
    readers: Readers
    second: SecondReading | None

    async def of_page(self, page: Page, request: Request, frontier: Frontier) -> tuple[Page, Survey] | None:
        """Return the page, perhaps as a browser shows it, with its links; `None` if no worker answers: that ends it."""
        survey = await self.fetched.answer(request, self.readers.survey(page))
        if survey is None:
            return None
        if self.second is None or not frontier.uses("links") or likely_articles(survey.links, frontier):
            return page, survey
        shown = await self.second.of_listing(page, request)
        if shown is None:
            return page, survey
        found = await self.fetched.answer(request, self.readers.survey(shown))
        if found is not None and not likely_articles(found.links, frontier):
            self.second.note_in_vain(page.url)
        return (shown, found) if found is not None else None


def likely_articles(links: Iterable[Link], frontier: Frontier) -> set[str]:
    """Return the URLs of the site that look like articles."""
    return {
        link.url
        for link in links
        if frontier.holds(link.url) and article_likeness(link.url, link.text) >= ARTICLE_THRESHOLD
    }
