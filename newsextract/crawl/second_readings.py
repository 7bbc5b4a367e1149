"""Second readings of pages that show no article: the AMP or print version that a page links, then a browser.

The spider sends their requests; this decides which are worth it, and what is made of the answers.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.outcome import Outcome, OverBudget, RenderFailed, Stopped
from newsextract.crawl.rendering.rendering import REMEMBERED_DAYS
from newsextract.crawl.requests import (
    RENDER_KEY,
    RENDERED_FLAG,
    Again,
    Received,
    note,
    page_of,
    request_of,
    visit_of,
)
from newsextract.crawl.scrapy_versions import answer_of, download
from newsextract.page.page import Page, PageError
from newsextract.page.urls import same_owner, site_of, url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState
from newsextract.settings import AUTO
from newsextract.storage.ledger import NO_RESULT, rendered_visits
from newsextract.storage.rows import content_hash

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.crawl.database import Database
    from newsextract.crawl.readers import Readers
    from newsextract.crawl.rendering.rendering import Rendering
    from newsextract.crawl.requests import RequestMaker, Visit

logger = logging.getLogger(__name__)

MOST_WITHOUT_ARTICLE = 8
"""Versions of a site's pages without a single article after which the run asks for no more of them."""

_VERSIONS, _RENDER = "newsextract/linked_versions", "newsextract/render"


class SecondReadings:
    """Plans the second readings of pages, and learns from their results whether they are worth it."""

    def __init__(
        self,
        crawler: Crawler,
        make: RequestMaker,
        readers: Readers,
        rendering: Rendering | None,
        database: Database | None,
    ) -> None:
        self.crawler = crawler
        self.stats: Any = crawler.stats
        self.make = make
        self.readers = readers
        self.rendering = rendering
        self.database = database
        self.asked: set[str] = set()
        """The versions that were asked for: one that several pages link is of neither."""
        self.without: Counter[str] = Counter()
        """Versions without an article by site; those under way count as neither."""
        self.useful: set[str] = set()
        self._remembered: set[str] = set()
        self._asking = asyncio.Lock()

    async def after(self, page: Page, request: Request, outcome: Outcome) -> Request | Outcome:
        """Return the request for another reading of a page that shows no article, else how its visit ends."""
        visit = visit_of(request)
        if (again := visit.again) is None:
            if outcome.state not in (PageState.EMPTY, PageState.OTHER) or not page.url or page.hints.is_rendered:
                return outcome
            return await self._next(visit, await self._plan(page, outcome))
        if again.is_rendered and outcome.state is PageState.ERROR:
            return outcome  # a worker's failure says nothing of what rendering is worth
        self._count_without_article(again)
        if again.is_rendered:
            return replace(outcome, reason=f"{outcome.reason}{NO_RESULT}")
        return await self._next(visit, again)

    async def after_failure(self, failure: Failure, request: Request) -> Request | Outcome:
        """Return the request for another reading after one that could not be fetched, else how the visit ends."""
        visit, error = visit_of(request), failure.value
        again = visit.again
        assert again is not None  # noqa: S101 - else it was no second reading
        if again.is_rendered and isinstance(error, RenderFailed):
            if isinstance(error, OverBudget):
                return again.first
            self._count_without_article(again)
            return Outcome(PageState.ERROR, error.reason)
        prefix = _RENDER if again.is_rendered else _VERSIONS
        self.stats.inc_value(f"{prefix}/failed/{type(error).__name__}")
        logger.debug("%s, a version of %s, is not read: %s", request.url, again.url, error)
        if not again.is_rendered:
            self._count_without_article(again)
        return await self._next(visit, again)

    async def page(self, response: Response) -> Page | Request | Outcome:
        """Return the page of a response to a second reading; else what follows, as `after` does."""
        visit = visit_of(request_of(response))
        again = visit.again
        assert again is not None  # noqa: S101 - as above
        page = self._rendered(response, again) if again.is_rendered else self._version(response, again)
        if page is None:
            self._count_without_article(again)
            return await self._next(visit, again)
        return page

    async def listing(self, page: Page, request: Request) -> Page | None:
        """Return a home or section page as the browser shows it, if signs say that its scripts put in its links.

        What its request's visit has received is then what the browser shows: if the site sends the same shell the next
        time, that is no unchanged page.
        """
        if self.rendering is None or page.hints.is_rendered or not await self._may_render(page):
            return None
        if not await self._is_worth_rendering(site := self._site_of(page.url)):
            return None
        note(request, received=Received())
        again = Again(Outcome(PageState.LISTING), page.url or "", page.hints, page.extractor, is_rendered=True)
        asked = self._render_request(again, visit_of(request), site, callback=NO_CALLBACK)
        try:
            shown = self._rendered(await download(self.crawler, asked), again)
        except RenderFailed as error:  # counted; the page is read as it was fetched
            if not isinstance(error, OverBudget):
                self._count_without_article(again)
            return None
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - any middleware's; likewise
            self.stats.inc_value(f"{_RENDER}/failed/{type(error).__name__}")
            return None
        if shown is None:
            self._count_without_article(again)
        else:
            note(request, received=Received(HTTPStatus.OK, content_hash(shown.decoded.text.encode())))
        return shown

    def note_article(self, again: Again) -> None:
        """Note that a second reading led to an article."""
        if again.is_rendered and self.rendering is not None:
            self.rendering.budgets[self._site_of(again.url)].articles += 1
            self.stats.inc_value(f"{_RENDER}/articles")
        else:
            self.useful.add(site_of(again.url))
            self.stats.inc_value(f"{_VERSIONS}/articles")

    def note_no_result(self, url: str | None) -> None:
        """Note that a page was rendered and brought nothing; before, it counts as neither."""
        if self.rendering is not None:
            self.rendering.budgets[self._site_of(url)].tried += 1

    async def _plan(self, page: Page, outcome: Outcome) -> Again:
        """Return what may be tried for a page."""
        again = Again(outcome, page.url or "", page.hints, page.extractor, may_render=await self._may_render(page))
        if not self._is_worth_asking(site_of(again.url)):
            return again
        try:
            found = await answer_of(self.readers.linked_versions(page))
        except Unanswered:  # the page has been read, and ends as it did
            return again
        return replace(again, versions=found.addresses, originals=found.originals)

    async def _next(self, visit: Visit, again: Again) -> Request | Outcome:
        site = site_of(again.url)
        while again.versions:
            url, again = again.versions[0], replace(again, versions=again.versions[1:])
            if url_key(url) not in self.asked and self._is_worth_asking(site):
                self.asked.add(url_key(url))
                self.stats.inc_value(f"{_VERSIONS}/asked")
                return self.make.again(url, replace(visit, again=again))
        if again.is_rendered or not again.may_render or not await self._is_worth_rendering(self._site_of(again.url)):
            return again.first
        return self._render_request(replace(again, is_rendered=True), visit, self._site_of(again.url))

    def _render_request(self, again: Again, visit: Visit, site: str, callback: Any = None) -> Request:
        meta = {RENDER_KEY: site, "dont_cache": True, "dont_retry": True}
        return self.make.again(again.url, replace(visit, again=again), callback=callback, **meta)

    def _rendered(self, response: Response, again: Again) -> Page | None:
        if RENDERED_FLAG not in response.flags or not 200 <= response.status < 300:
            return None
        hints = replace(again.hints, headers={})
        try:
            return page_of(response, self.make.max_page_bytes, extractor=again.extractor, hints=hints)
        except PageError:
            return None

    def _version(self, response: Response, again: Again) -> Page | None:
        """Return the page of a version; `None` if it is refused, or led back to the page itself or to another owner."""
        is_other = url_key(response.url) not in again.originals and same_owner(response.url, again.url)
        if not 200 <= response.status < 300 or not is_other:
            return None
        # What the page itself reserves counts.
        hints = replace(again.hints, version_address=response.url, originals=again.originals)
        try:
            found = page_of(response, self.make.max_page_bytes, extractor=again.extractor, hints=hints)
        except PageError:
            return None
        return Page(found.html, **{**found.arguments, "url": again.url, "hints": found.hints})

    async def _may_render(self, page: Page) -> bool:
        """Return whether signs say that a browser may show more of a page."""
        if self.rendering is None or self.rendering.mode_of(self._site_of(page.url)) != AUTO:
            return False
        try:
            signs = await answer_of(self.readers.script_signs(page))
        except Unanswered:
            return False
        return bool(signs)

    async def _is_worth_rendering(self, site: str) -> bool:
        if self.rendering is None:
            return False
        async with self._asking:  # pages that come together wait for the answer to the first
            await self._remember(site, self.rendering)
        is_worth_it = self.rendering.budgets[site].is_worth_it
        if not is_worth_it:
            self.stats.inc_value(f"{_RENDER}/not_worth_it")
        return is_worth_it

    async def _remember(self, site: str, rendering: Rendering) -> None:
        """Count what rendering led to on the days before, once for each site."""
        if self.database is None or site in self._remembered:
            return
        since = datetime.now(UTC) - timedelta(days=REMEMBERED_DAYS)
        tried, articles = await self.database.run(rendered_visits, (site, since))
        budget = rendering.budgets[site]
        budget.tried += tried
        budget.articles += articles
        self._remembered.add(site)

    def _count_without_article(self, again: Again) -> None:
        if again.is_rendered:
            self.note_no_result(again.url)
        else:
            self.without[site_of(again.url)] += 1

    def _is_worth_asking(self, site: str) -> bool:
        return site in self.useful or self.without[site] < MOST_WITHOUT_ARTICLE

    def _site_of(self, url: str | None) -> str:
        return self.rendering.site_name(url or "") if self.rendering is not None else site_of(url or "")
