"""Ends the visits of pages: each is counted, recorded and released by one call.

Stats: `newsextract/pages` counts the pages that were fetched, `newsextract/state/<state>` and
`newsextract/reason/<state>/<reason>` how they ended; `newsextract/candidates` counts pages that may be articles, so no
listings, and `newsextract/candidates/failed` those that could not be read. Where a feed's text stands in for a page,
the page's state and reason are counted as they are; `newsextract/feed_texts/<state>` counts what became of the text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrapy import signals

from newsextract.article import Article
from newsextract.crawl.feeds_export import FAILED_LINES
from newsextract.crawl.outcome import FAILED_STATES, UNWRITTEN, Outcome, PageDropped, ShowsNoArticle, Stopped
from newsextract.crawl.requests import Visit, find_visit
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.page.page import Page
from newsextract.page.urls import site_of, url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.feed_entry import Instead
from newsextract.reading.notices import NoticeCode, PageState, noticed
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.ledger import RENDERED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from newsextract.crawl.readers import Readers


logger = logging.getLogger(__name__)

# Articles from the texts of feeds, where pages refuse us or are empty.
#
# The texts wait in memory until the visits of their pages have ended. They are kept only for pages that this run is to
# visit, and only up to a limit; after a crash there are none, and a page that refuses us has no fallback then.

MAX_BYTES = 32 * 1024 * 1024
"""Compressed; an entry of 600 words takes about 3 kB, so that ten thousand fit."""

NOT_KEPT = "newsextract/feed_texts/not_kept"
"""The stat that counts the texts beyond the limit."""

Reserved: TypeAlias = Callable[[str], Mapping[str, str]]
"""Returns what the tdmrep.json of a URL's host reserves."""


@dataclass
class Fallbacks:
    """Keeps packed entries by the URLs of their pages, `FeedEntry` has the packing, and makes articles from them."""

    stats: StatsCollector
    readers: Readers
    max_bytes: int = MAX_BYTES
    size: int = 0
    _packed: dict[str, bytes] = field(default_factory=dict)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)
    """How the pages have ended whose fallback is on its way through the pipelines."""

    def keep(self, url: str, packed: bytes) -> None:
        """Keep the entry of a page, unless there is no room left; the first of several is kept."""
        key = url_key(url)
        if key in self._packed:
            return
        if self.size + len(packed) > self.max_bytes:
            self.stats.inc_value(NOT_KEPT)
            return
        self._packed[key] = packed
        self.size += len(packed)

    def move(self, url: str, to: str) -> None:
        """Note where the page was found at last, after redirects."""
        packed = self.take(url)
        if packed is not None and url_key(to) not in self._packed:
            self._packed[url_key(to)] = packed
            self.size += len(packed)

    def take(self, url: str) -> bytes | None:
        """Remove and return the entry of a page; `None` if there is none."""
        packed = self._packed.pop(url_key(url), None) if self._packed else None
        self.size -= len(packed or b"")
        return packed

    def release(self, url: str, asked: str | None, outcome: Outcome) -> Outcome:
        """Return the outcome of a page: its own, if what went through the pipelines was its feed's text.

        Its entry is not needed any more; `asked` is the URL before redirects.
        """
        page_outcome = self._outcomes.pop(url_key(url), None) if self._outcomes else None
        if asked is not None:
            self.take(asked)
            self.take(url)
        if page_outcome is None:
            return outcome
        self.stats.inc_value(f"newsextract/feed_texts/{outcome.state}")
        return replace(page_outcome, fallback=outcome.article)

    async def of_failed(self, url: str, last_url: str, outcome: Outcome, reserved: Reserved) -> Article | None:
        """Return the article in place of a page that could not be fetched; `last_url` is where redirects led.

        It is `None` if the feed has no text of it, or the page is gone: then its text was perhaps taken back.
        """
        packed = self.take(url)
        if packed is None or not _may_come_back(outcome):
            return None
        # A refused article is at its last address; but a page to log in, where redirects may lead, is none.
        is_article = article_likeness(last_url) >= ARTICLE_THRESHOLD
        own = last_url if is_article or last_url == url else url
        return await self._made(packed, last_url, Instead(own, outcome.state, outcome.reason, reserved(own)), outcome)

    async def of_page(self, page: Page, outcome: Outcome) -> Article | None:
        """Return the article in place of a page that is empty, or neither article nor listing and shows little."""
        if outcome.state not in (PageState.EMPTY, PageState.OTHER) or not page.url:
            return None
        instead = Instead(page.url, outcome.state, outcome.reason, page.hints.site_rights, page)
        return await self._made(self.take(page.url), page.url, instead, outcome)

    async def of_interstitial(self, article: Article, outcome: Outcome) -> Article | None:
        """Return the article in place of one that was read, and is the text of a paywall."""
        url = article.url or ""
        found = await self._made(self.take(url), url, Instead(url, outcome.state, outcome.reason, {}), outcome)
        return replace(found, usageRights=article.usageRights) if found else None

    async def _made(self, packed: bytes | None, asked: str, instead: Instead, outcome: Outcome) -> Article | None:
        if packed is None:
            return None
        try:
            article = await answer_of(self.readers.read_entry(packed, instead))
        except Unanswered as error:
            logger.info("the feed's text of %s is not read: %s", instead.url, error.reason)
            return None
        except Stopped:
            return None
        if article is not None:
            self._outcomes[url_key(asked)] = outcome
        return article


def _may_come_back(outcome: Outcome) -> bool:
    """Return whether a page refused us, or could not be reached for now."""
    if outcome.state is PageState.BLOCKED:
        return outcome.reason != "private address"
    retry = outcome.retry or RetryPolicy.of_state(outcome.state)
    return outcome.state is PageState.ERROR and retry is RetryPolicy.TRANSIENT


# The ends of visits.

MAX_REASON_CHARS = 60
"""Characters kept of the message with which a user's pipeline drops an item."""

_ORIGINS = ((NoticeCode.FROM_BROWSER, RENDERED), (NoticeCode.FROM_VERSION, "from a linked version"))
"""The reasons of articles that are not from the page as it was fetched."""


class PageVisitor(Protocol):
    """The spider, as visits need it."""

    async def page_dropped(self, page: Page, request: Request, outcome: Outcome) -> Outcome | None:
        """Return how a page ends that shows no article; `None` if it is asked for again."""

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Record the end of a visit, and go on."""


Note: TypeAlias = Callable[[str, "Request | None", Outcome], Any]
"""Is called with the site, the request and the outcome of a page that has ended."""


class Visits:
    """Ends the visits of pages: those that never become an item by a call, the others when their item has ended."""

    def __init__(self, crawler: Crawler, fallbacks: Fallbacks) -> None:
        self.stats: Any = crawler.stats
        self.fallbacks = fallbacks
        self.notes: list[Note] = []
        """What else wants to know: progress, health, subscriptions."""
        self.failed_lines = 0
        """How many lines could not be written when the last item had been exported."""
        self.visitor: PageVisitor | None = None
        """The `news` spider; `None` in other people's."""
        for handler, signal in (
            (self.item_scraped, signals.item_scraped),
            (self.item_dropped, signals.item_dropped),
            (self.item_error, signals.item_error),
            (self.spider_error, signals.spider_error),
        ):
            crawler.signals.connect(handler, signal=signal)

    def end(self, request: Request | None, outcome: Outcome, url: str | None = None) -> None:
        """End the visit of a page with its outcome."""
        visit = find_visit(request)
        if request is not None:
            outcome = self.fallbacks.release(request.url, visit.url if visit else None, outcome)
        if outcome.is_counted:
            count = self.stats.inc_value
            count("newsextract/pages")
            count(f"newsextract/state/{outcome.state}")
            if outcome.reason:
                count(f"newsextract/reason/{outcome.state}/{outcome.reason}")
            if visit and visit.is_for_article and outcome.state is not PageState.LISTING:
                count("newsextract/candidates")
                if outcome.state in FAILED_STATES:
                    count("newsextract/candidates/failed")
            site = visit.site if visit else site_of(url or (request.url if request else ""))
            for note in self.notes:
                note(site, request, outcome)
        if visit is not None and self.visitor is not None:
            self.visitor.visit_ended(visit, outcome)

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """An article went through all pipelines."""
        request = getattr(response, "request", None)
        # Scrapy's feeds listen before these visits do.
        before, self.failed_lines = self.failed_lines, self.stats.get_value(FAILED_LINES, 0)
        if isinstance(item, Article) and self.failed_lines > before:
            self.end(request, UNWRITTEN, item.url)
        elif isinstance(item, Article):
            warnings = item.extraction.noticed if item.extraction else ()
            reason = next((reason for code, reason in _ORIGINS if any(noticed(code, warnings))), "")
            self.end(request, Outcome(PageState.ARTICLE, reason, article=item), item.url)
        elif request is not None and _is_page(request):
            # A pipeline of the user's has replaced the article by another item.
            self.end(request, Outcome(PageState.ARTICLE))

    async def item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        """A pipeline refused a page or an article."""
        if not isinstance(item, Page | Article):
            return
        request = getattr(response, "request", None)
        outcome: Outcome | None = Outcome(PageState.DROPPED, _reason(exception))
        if isinstance(exception, PageDropped):
            outcome = exception.outcome
        if isinstance(exception, ShowsNoArticle) and isinstance(item, Page) and self.visitor and find_visit(request):
            outcome = None  # where the crawl was stopped meanwhile
            with suppress(Stopped):
                outcome = await self.visitor.page_dropped(item, request, exception.outcome)  # type: ignore[arg-type]
        if outcome is not None:
            self.end(request, outcome, item.url)

    def item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        """A pipeline failed on a page or an article."""
        if isinstance(item, Page | Article):
            outcome = Outcome(PageState.ERROR, f"pipeline: {type(failure.value).__name__}")
            self.end(getattr(response, "request", None), outcome, item.url)

    def spider_error(self, failure: Failure, response: Any) -> None:
        """The spider failed on a page before it became an item."""
        request = getattr(response, "request", None)
        if request is not None and _is_page(request):
            self.end(request, Outcome(PageState.ERROR, f"spider: {type(failure.value).__name__}"))


def _is_page(request: Request) -> bool:
    visit = find_visit(request)
    return visit is not None and visit.is_page


def _reason(exception: Exception) -> str:
    # The text after a colon is about one item; with it, each item would get its own stat.
    return str(exception).partition(":")[0][:MAX_REASON_CHARS].strip() or type(exception).__name__
