"""Logs in before the first page of a site, and notices by its pages that the session has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.subscriptions import Subscriptions
from newsextract.crawl.middlewares.subscription_headers import RETRIED, repeated
from newsextract.crawl.page_responses import WITH_SUBSCRIPTION
from newsextract.crawl.subscriptions.logging_in import LOGIN
from newsextract.crawl.subscriptions.page_signs import shows
from newsextract.crawl.visit import is_for_article, is_for_page
from newsextract.sites.subscriptions import SignKind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.subscriptions.session import Session


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
