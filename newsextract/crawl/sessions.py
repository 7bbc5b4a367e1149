"""The subscriptions of a crawl: which site has one, how its session fares, and what requests get of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary

from scrapy.exceptions import NotConfigured

from newsextract.crawl.outcome import SAME_UNDER_HEADLINES
from newsextract.crawl.requests import RENDER_KEY, WITH_SUBSCRIPTION, is_for_article, is_for_page
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.subscriptions.logging_in import LOGIN
from newsextract.crawl.subscriptions.page_signs import shows
from newsextract.crawl.subscriptions.session import SESSION, Session
from newsextract.crawl.subscriptions.subscription import subscriptions_of
from newsextract.settings import SECRETS, BadSetting
from newsextract.sites.site import SiteIndex
from newsextract.sites.subscriptions import SecretError, Secrets, SignKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.outcome import Outcome
    from newsextract.crawl.subscriptions.subscription import Subscription


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
        return cls(crawler, own)

    def of(self, request: Request) -> Session | None:
        """Return the session of a request's site; `None` if its host belongs to no site with a subscription."""
        if name := request.meta.get(LOGIN):
            return self.sessions.get(name)
        return self.of_url(request.url)

    def of_url(self, url: str) -> Session | None:
        """Return the session of a URL's site, as `of` does."""
        site = self.index.find(url)
        return self.sessions.get(site.name) if site else None

    def subscription_of(self, url: str) -> Subscription | None:
        """Return the subscription of a URL's site, whose `headers_for` says what may be sent there now.

        The headers belong into one request and not into what is scheduled, logged or cached; each URL that the request
        is redirected to has to be asked for anew.
        """
        session = self.of_url(url)
        return session.own if session is not None else None

    def page_ended(self, site: str, request: Request | None, outcome: Outcome) -> None:
        """Suspect that the session has ended if pages turn out to have one text under many headlines."""
        session = self.sessions.get(site)
        if session is not None and outcome == SAME_UNDER_HEADLINES and session.is_open:
            session.note_wall(request.meta.get(SESSION, session.number) if request else session.number)

    def close(self, *, tells_trouble: bool) -> Iterator[str]:
        """Count the sessions in the stats, and yield a line about each site whose session did not last.

        What is wrong at the end is part of the site's health, unless `tells_trouble`.
        """
        for name, session in self.sessions.items():
            for count_name, count in session.counts().items():
                self.count(count_name, count)
            if session.ends and not session.trouble:
                why = ", then ".join(session.ends.values())
                yield f"site {name}: the session ended, and a login opened it again: {why}"
            if session.trouble and tells_trouble:
                yield f"site {name}: subscription: {session.trouble}"

    def count(self, name: str, count: int = 1) -> None:
        """Add to a count in the stats."""
        stats: Any = self.crawler.stats
        if count:
            stats.inc_value(f"newsextract/subscriptions/{name}", count)

    async def _download(self, request: Request) -> Response:
        return await self.crawler.engine.download_async(request)


RETRIED = "newsextract_session_retried"
"""Key of a request's meta: it is sent for the second time, in a newer session."""

REFUSALS = (401, 402, 403)


@dataclass(frozen=True, slots=True)
class _Sent:
    session: Session
    was_open: bool
    before: Mapping[str, list[bytes]]
    """The headers that were replaced, as they were."""


class SubscriptionHeaders:
    """Puts what a subscription needs into a request just before it is sent, and takes it out when the answer is there.

    It sits next to the downloader, below Scrapy's cache: a request that is scheduled, retried, redirected, cached or
    logged never has it. A redirect is a request of its own, and gets what its own host may have.
    """

    def __init__(self, subscriptions: Subscriptions) -> None:
        self.subscriptions = subscriptions
        self._sent: WeakKeyDictionary[Request, _Sent] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's subscriptions; raises `NotConfigured` if it has none."""
        subscriptions = crawler.get_extension(Subscriptions)
        if subscriptions is None:
            raise NotConfigured
        return cls(subscriptions)

    def process_request(self, request: Request) -> None:
        """Add the headers and cookies that its host may have."""
        session = self.subscriptions.of(request)
        if session is None:
            return
        own = session.own
        headers = own.headers_in_browser(request.url) if RENDER_KEY in request.meta else own.headers_for(request.url)
        self._sent[request] = _Sent(session, session.is_open, {name: request.headers.getlist(name) for name in headers})
        request.meta.update({SESSION: session.number, "dont_cache": True})
        for name, value in headers.items():
            request.headers[name] = value

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Keep the cookies, and leave no secret in the response; ask again if it shows that the session has ended."""
        sent = self._restore(request)
        if sent is None:
            return response
        sent.session.own.take_cookies(response, request)
        if LOGIN in request.meta:  # not kept, and its form may need what is a cookie too
            response.headers.pop("Set-Cookie", None)
            return response
        why = _refusal(sent.session, response) if sent.was_open and is_for_page(request) else ""
        if why and (again := await repeated(sent.session, request, why)):
            return again
        response = sent.session.own.hidden.hide_in(response)
        if sent.was_open and not why:
            response.flags.append(WITH_SUBSCRIPTION)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's names
        """Take the headers out of a request that got no answer."""
        self._restore(request)

    def _restore(self, request: Request) -> _Sent | None:
        sent = self._sent.pop(request, None)
        for name, values in (sent.before if sent else {}).items():
            if values:
                request.headers.setlist(name, values)
            else:
                request.headers.pop(name, None)
        return sent


async def repeated(session: Session, request: Request, why: str) -> Request | None:
    """Return the request to send in a newer session, after an answer to an ended one; `None` if there is none.

    Each request is repeated once: what it shows then is counted as a page that refuses the subscription.
    """
    if not request.meta.get(RETRIED) and await session.ended(request.meta.get(SESSION, 0), why):
        session.retried += 1
        return request.replace(dont_filter=True, meta={**request.meta, RETRIED: True})
    session.refused += 1
    return None


def _refusal(session: Session, response: Response) -> str:
    """Return what in the head of a response shows that the session has ended; an empty string if nothing does."""
    login = session.own.access.login
    if response.status in REFUSALS:
        return f"http {response.status}"
    location = (response.headers.get("Location") or b"").decode("latin-1")
    if login and 300 <= response.status < 400 and location and _is_same(response.url, location, login.url):
        return "redirects to the login"
    if login and session.is_logged_in and session.own.lacks_cookie(login.sign):
        return "the cookie that is its sign is gone"
    return ""


def _is_same(base: str, location: str, other: str) -> bool:
    """Return whether a redirect leads to a page, whatever the queries say."""
    try:
        one, two = urlsplit(urljoin(base, location)), urlsplit(other)
    except ValueError:  # no URL, see `Redirects`
        return False
    return (one.netloc, one.path.rstrip("/")) == (two.netloc, two.path.rstrip("/"))


class Sessions:
    """Sits where bodies are unpacked, and after robots.txt: what that forbids needs no login."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self.subscriptions = subscriptions

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's subscriptions; raises `NotConfigured` if it has none."""
        subscriptions = crawler.get_extension(Subscriptions)
        if subscriptions is None:
            raise NotConfigured
        return cls(subscriptions)

    async def process_request(self, request: Request) -> None:
        """Hold a page back until the login has worked or failed."""
        session = self.subscriptions.of(request)
        if session is not None and is_for_page(request):
            await session.ready()

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the response without secrets, or the request to send again if it shows that the session has ended."""
        session = self.subscriptions.of(request)
        if session is None or LOGIN in request.meta:
            return response
        if WITH_SUBSCRIPTION in response.flags and response.status == 200 and is_for_article(request):
            why = _closed(session, response)
            if why and (again := await repeated(session, request, why)):
                return again
            if why:
                response.flags.remove(WITH_SUBSCRIPTION)  # it was not read with it
            elif not _is_signed(session, response, is_second=bool(request.meta.get(RETRIED))) and (
                again := await repeated(session, request, "a page is without the sign of the login")
            ):
                return again
        if WITH_SUBSCRIPTION in response.flags:
            self.subscriptions.count("pages")
        return session.own.hidden.hide_in(response)


def _closed(session: Session, response: Response) -> str:
    wall = session.own.access.paywall
    return "a page shows the wall" if wall and shows(wall, response) else ""


def _is_signed(session: Session, response: Response, *, is_second: bool) -> bool:
    """Return `False` if a page is without the sign of the login, which the articles before it had."""
    login = session.own.access.login
    if login is None or login.sign.kind is SignKind.COOKIE or session.sign_is_unsteady:
        return True
    if shows(login.sign, response):
        session.has_signed_articles = True
        return True
    # Some articles have another frame: where a new login brings no sign either, its absence means nothing.
    session.sign_is_unsteady = session.has_signed_articles and is_second
    return not session.has_signed_articles or is_second
