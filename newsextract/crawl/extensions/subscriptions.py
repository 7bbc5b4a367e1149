"""The subscriptions of a crawl: which site has one, how its session fares, and what is told of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.page_states import page_ended
from newsextract.crawl.extensions.progress import Progress
from newsextract.crawl.page_end import WALLED
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.subscriptions.logging_in import LOGIN
from newsextract.crawl.subscriptions.session import SESSION, Session
from newsextract.crawl.subscriptions.subscription import subscriptions_of
from newsextract.settings import DATABASE, SECRETS, BadSetting
from newsextract.sites.site import SiteIndex
from newsextract.sites.subscriptions import SecretError, Secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.page_end import PageEnd
    from newsextract.crawl.subscriptions.subscription import Subscription

logger = logging.getLogger(__name__)


class Subscriptions:
    """The sessions of the sites that have a subscription, by the names of the sites."""

    def __init__(self, crawler: Crawler, own: Mapping[str, Subscription]) -> None:
        self.crawler = crawler
        self.index = SiteIndex(sites_of(crawler.spider))
        self.sessions = {name: Session(each, self._download) for name, each in own.items()}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the secrets that the list of sites names; raises `BadSetting` if one is missing."""
        sites = [site for site in sites_of(crawler.spider) if site.access]
        if not sites:
            raise NotConfigured
        try:
            own = subscriptions_of(sites, Secrets.read(SECRETS.of(crawler.settings)))
        except SecretError as error:
            raise BadSetting(str(error)) from None
        self = cls(crawler, own)
        crawler.signals.connect(self.page_ended, signal=page_ended)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def of(self, request: Request) -> Session | None:
        """Return the session of a request's site; `None` if its host belongs to no site with a subscription."""
        if name := request.meta.get(LOGIN):
            return self.sessions.get(name)
        return self.of_url(request.url)

    def of_url(self, url: str) -> Session | None:
        """Return the session of a URL's site, as `of` does."""
        site = self.index.find(url)
        return self.sessions.get(site.name) if site else None

    def page_ended(self, site: str, request: Request | None, end: PageEnd) -> None:
        """Suspect that the session has ended if pages turn out to have one text under many headlines."""
        session = self.sessions.get(site)
        if session is not None and end == WALLED and session.is_open:
            session.note_wall(request.meta.get(SESSION, session.number) if request else session.number)

    def spider_closed(self) -> None:
        """Count the sessions in the stats, and tell how they fared."""
        for session in self.sessions.values():
            for name, count in session.counts().items():
                self.count(name, count)
        progress = self.crawler.get_extension(Progress)
        for line in self.lines():
            logger.warning("%s", line)
            if progress is not None:
                progress.console.print(line, soft_wrap=True, highlight=False, markup=False)

    def count(self, name: str, count: int = 1) -> None:
        """Add to a count in the stats."""
        stats: Any = self.crawler.stats
        if count:
            stats.inc_value(f"newsextract/subscriptions/{name}", count)

    def lines(self) -> Iterator[str]:
        """Yield a line about each site whose session did not last."""
        for name, session in self.sessions.items():
            if session.ends and not session.trouble:
                why = ", then ".join(session.ends.values())
                yield f"site {name}: the session ended, and a login opened it again: {why}"
            if session.trouble and not self._has_health:
                yield f"site {name}: subscription: {session.trouble}"

    @property
    def _has_health(self) -> bool:
        """Whether the health of the sites is told, and their troubles with it."""
        return bool(DATABASE.of(self.crawler.settings))

    async def _download(self, request: Request) -> Response:
        return await self.crawler.engine.download_async(request)


def subscription_for(crawler: Crawler, url: str) -> Subscription | None:
    """Return the subscription of a URL's site, whose `headers_for` says what may be sent there now.

    The headers belong into one request and not into what is scheduled, logged or cached; each address that the request
    is redirected to has to be asked for anew.
    """
    subscriptions: Subscriptions | None = crawler.get_extension(Subscriptions)
    session = subscriptions.of_url(url) if subscriptions is not None else None
    return session.own if session is not None else None
