"""Puts what a subscription needs into a request just before it is sent, and takes it out when the answer is there.

A request that is scheduled, retried, redirected, cached or logged never has it: a redirect is a request of its own, and
gets what its own host may have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary

from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.subscriptions import Subscriptions
from newsextract.crawl.page_responses import RENDER_KEY, WITH_SUBSCRIPTION
from newsextract.crawl.subscriptions.logging_in import LOGIN
from newsextract.crawl.subscriptions.session import SESSION
from newsextract.crawl.visit import is_for_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.subscriptions.session import Session

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
    """Sits next to the downloader, below Scrapy's cache."""

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
