"""The subscriptions of a crawl: which site has one, how its session fares, and what requests get of it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary

from form2request import form2request
from lxml.etree import ParserError
from lxml.html import document_fromstring
from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.outcome import Stopped, why_unreached
from newsextract.crawl.requests import RENDER_KEY, WITH_SUBSCRIPTION, is_for_article, is_for_page
from newsextract.crawl.scrapy_versions import UNREACHABLE, download
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.subscription import subscriptions_of
from newsextract.settings import SECRETS, BadSetting
from newsextract.sites.site import SiteIndex
from newsextract.sites.subscriptions import SecretError, Secrets, SignKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from lxml.html import FormElement, HtmlElement
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.subscription import Subscription
    from newsextract.sites.subscriptions import Login, Sign


# Signs on pages: that a login worked, or that a paywall stands.

MAX_ELEMENTS = 20_000
"""Larger pages show no sign: all pages of a crawl wait while one is searched, and some searches take quadratic time."""


def shows(sign: Sign, response: Response) -> bool:
    """Return whether the page of a response shows a sign; a cookie is on no page."""
    if not isinstance(response, TextResponse) or sign.kind is SignKind.COOKIE:
        return False
    if sign.kind is SignKind.TEXT:
        return " ".join(sign.value.split()) in " ".join(response.text.split())
    from newsextract.reading.rules import elements, texts  # noqa: PLC0415 - it loads numpy, for few sites

    tree = tree_of(response)
    if tree is None or next(islice(tree.iter(), MAX_ELEMENTS, None), None) is not None:
        return False
    return bool(elements(sign.value, tree) or texts(sign.value, tree))


def tree_of(response: TextResponse) -> HtmlElement | None:
    """Return the tree of a page; `None` if there is nothing in it."""
    try:
        return document_fromstring(response.body.decode(response.encoding, "replace") or " ", base_url=response.url)
    except (ParserError, ValueError, LookupError):
        return None


# Fills in the form of a login page: the fields that are given, and what the form has in the others.


class LoginFailed(Exception):  # noqa: N818 - reads as what happened
    """A login did not work; the message is a reason without secrets."""


class LoginBroken(LoginFailed):
    """The connection was lost, so another try may work."""


def filled_form(page: Response, fields: Mapping[str, str], selector: str | None) -> Request:
    """Return the request that sends a page's form, filled in; raises `LoginFailed` if it has none that can be sent."""
    tree = tree_of(page) if isinstance(page, TextResponse) else None
    if tree is None:
        raise LoginFailed("the login page is not HTML")
    form = _form_of(tree, tuple(fields), selector)
    try:
        if action := form.get("action"):
            form.set("action", urljoin(tree.base or page.url, action.strip()))
        asked = form2request(form, dict(fields))
        request = Request(asked.url, method=asked.method, headers=dict(asked.headers), body=asked.body)
    except NotImplementedError:
        raise LoginFailed("the form has an encoding or a method that is not supported") from None
    except ValueError:  # brackets without an IPv6 address, or no scheme of the web
        raise LoginFailed("the form is sent to what is no URL") from None
    if request.method != "POST":
        raise LoginFailed("the form sends its fields in the URL, which logs would show")
    return request


def _form_of(tree: HtmlElement, names: Sequence[str], selector: str | None) -> FormElement:
    if selector is not None:
        from newsextract.reading.rules import elements  # noqa: PLC0415 - likewise

        found = [each for each in elements(selector, tree) if each.tag == "form"]
        if not found:
            raise LoginFailed("login.form finds no form on the login page")
        return found[0]  # type: ignore[return-value] # a form's element is a FormElement
    forms: Sequence[FormElement] = tree.forms
    missing = [set(names) - {each.get("name") for each in form.iter("input", "select", "textarea")} for form in forms]
    for form, lacking in zip(forms, missing, strict=True):
        if not lacking:
            return form
    if not forms:
        raise LoginFailed("the login page has no form: it may need JavaScript; use cookies instead")
    raise LoginFailed(f"no form of the login page has the fields {', '.join(names)}")


LOGIN = "newsextract_login"
"""Key of a request's meta: the name of the site that it logs in to."""

MAX_REDIRECTS = 6
"""Redirects followed after the form; a login that passes a host for accounts takes about three."""

MAX_BYTES = 5 * 1024 * 1024
"""A larger page is no login's."""

_MOVED, _MOVED_WITH_BODY = (301, 302, 303), (307, 308)


class LoggingIn:
    """Logs in with a subscription. The requests take the site's delays, and none is scheduled, cached or kept."""

    def __init__(self, own: Subscription, login: Login, download: Callable[[Request], Awaitable[Response]]) -> None:
        self.own = own
        self.login = login
        self.download = download

    async def run(self) -> None:
        """Log in, twice if the connection is lost: servers close one just when a form comes; raises `LoginFailed`."""
        try:
            await self._run()
        except LoginBroken:
            await self._run()

    async def _run(self) -> None:
        self.own.forget_session()
        page = await self._get(self.login.url)
        if page.status != 200:
            raise LoginFailed(f"the login page: http {page.status}")
        form = filled_form(page, self.own.fields, self.login.form)
        form.headers["Referer"] = page.url
        form.meta["dont_retry"] = True  # a form that is sent again belongs to the old page
        answer = await self._send(form)
        await self._check(await self._follow(answer))

    async def _get(self, url: str) -> Response:
        return await self._follow(await self._send(Request(url)))

    async def _follow(self, answer: Response) -> Response:
        for _ in range(MAX_REDIRECTS):
            location = (answer.headers.get("Location") or b"").decode("latin-1").strip()
            if answer.status in _MOVED_WITH_BODY and getattr(answer.request, "method", "GET") == "POST":
                raise LoginFailed(f"the form's address redirects with its fields: http {answer.status}")
            if answer.status not in (*_MOVED, *_MOVED_WITH_BODY) or not location:
                return answer
            answer = await self._send(Request(_joined(answer.url, location)))
        raise LoginFailed("too many redirects")

    async def _send(self, request: Request) -> Response:
        parts = urlsplit(request.url)
        if not self.own.is_trusted(request.url):
            where = f"{parts.scheme}://{parts.netloc}"
            raise LoginFailed(f"leads to {where}, which gets nothing: it is neither the site's nor in login.hosts")
        meta = {**_META, **request.meta, LOGIN: self.own.site.name, "download_slot": parts.netloc}
        asked = request.replace(meta=meta, callback=NO_CALLBACK, dont_filter=True)
        try:
            answer = await self.download(asked)
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the site is read without the login then
            is_broken = isinstance(error, tuple(UNREACHABLE))
            raise (LoginBroken if is_broken else LoginFailed)(_reason_of(error, asked)) from None
        answer.request = asked
        return answer

    async def _check(self, answer: Response) -> None:
        """Look for the sign; raises `LoginFailed` if it is missing."""
        if answer.status >= 400:
            raise LoginFailed(f"http {answer.status} after the form was sent")
        sign = self.login.sign
        if sign.kind is SignKind.COOKIE:
            if not self.own.has_cookie(sign):
                raise LoginFailed("the cookie that is its sign was not set")
        elif not shows(sign, answer) and not shows(sign, await self._get(self.own.site.home)):
            raise LoginFailed("its sign is neither on the page after the form nor on the first start page")


_META: dict[str, Any] = {
    "dont_redirect": True,
    "handle_httpstatus_all": True,
    # The person whose account it is named this page; robots.txt is about what crawlers find.
    "dont_obey_robotstxt": True,
    "dont_cache": True,
    "allow_offsite": True,
    "newsextract": False,
    "download_maxsize": MAX_BYTES,
}


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:  # from urllib: brackets without an IPv6 address
        raise LoginFailed("redirects to what is no URL") from None


def _reason_of(error: Exception, asked: Request) -> str:
    """Return a reason without the error's own text, which may quote what was sent."""
    if isinstance(error, IgnoreRequest):
        return "its host is private, or left to the next run"
    return why_unreached(error, asked) or type(error).__name__


logger = logging.getLogger(__name__)

SESSION = "newsextract_session"
"""Key of a request's meta: the number of the session in which it was sent."""

RETRIED = "newsextract_session_retried"
"""Key of a request's meta: it is sent for the second time, in a newer session."""

MAX_LOGINS = 3
"""Of a run at a site: a session may end once by chance; sessions that end often are a server's answer to a crawl."""

REFUSALS = (401, 402, 403)


class Session:
    """Whether the site knows us as a reader: a login before the first page, and again when a page shows its end."""

    def __init__(self, own: Subscription, download: Callable[[Request], Awaitable[Response]]) -> None:
        self.own = own
        self.number = 0
        """Counts the logins that worked."""
        self.failure = ""
        """Why no login works any more; an empty text while one may."""
        self.ends: dict[int, str] = {}
        """The sessions that have ended, with what showed it."""
        self.refused = 0
        """Pages that showed the paywall in spite of the subscription."""
        self.retried = 0
        """Pages that were asked for again in a newer session."""
        self.has_signed_articles = False
        """Whether articles show the sign of the login, so that one without it shows that the session has ended."""
        self.sign_is_unsteady = False
        """Whether some articles are without the sign in any session."""
        self._lock = asyncio.Lock()
        login = own.access.login
        self._logging_in = LoggingIn(own, login, download) if login else None

    @property
    def is_open(self) -> bool:
        """Whether a request goes out as a subscriber's."""
        return self.own.opens_by_itself or (self.number > 0 and not self.failure)

    @property
    def problem(self) -> str:
        """What a person has to see to; an empty text if there is nothing."""
        if self.failure:
            return f"the login failed: {self.failure}; the site is read without it"
        if self.refused:
            what = "the login is no longer enough" if self._logging_in else "the cookies or headers may have expired"
            return f"{self.refused} pages refuse it or show the paywall: {what}"
        return ""

    def counts(self) -> dict[str, int]:
        """Return the counts for the stats, by name."""
        return {
            "logins": self.number,
            "failed": int(bool(self.failure)),
            "ended": len(self.ends),
            "retried": self.retried,
            "refused": self.refused,
        }

    async def ready(self) -> None:
        """Log in if this has not been tried."""
        if self._logging_in is not None and not self.number:
            await self._renew(self.number)

    async def repeated(self, request: Request, why: str) -> Request | None:
        """Return the request to send in a newer session, after an answer that shows the end; `None` if there is none.

        Each request is repeated once: what it shows then is counted as a page that refuses the subscription.
        """
        if not request.meta.get(RETRIED) and await self._ended(request.meta.get(SESSION, 0), why):
            self.retried += 1
            return request.replace(dont_filter=True, meta={**request.meta, RETRIED: True})
        self.refused += 1
        return None

    async def _ended(self, seen: int, why: str) -> bool:
        """Note that an answer to session `seen` shows its end; return whether a newer session is open."""
        if seen not in self.ends:
            self.ends[seen] = why
            logger.warning("site %s: the session has ended: %s", self.own.site.name, why)
        return self._logging_in is not None and await self._renew(seen)

    async def _renew(self, seen: int) -> bool:
        """Log in, unless it was done since session `seen`; return whether a newer session is open."""
        async with self._lock:
            if self.number == seen and not self.failure:
                await self._log_in()
            return self.number > seen and not self.failure

    async def _log_in(self) -> None:
        assert self._logging_in is not None  # noqa: S101 - who has no login is never renewed
        if self.number >= MAX_LOGINS:
            self._fail(f"the session has ended after each of {self.number} logins")
            return
        try:
            await self._logging_in.run()
        except LoginFailed as error:
            self._fail(str(error))
        else:
            self.number += 1
            logger.info("site %s: logged in", self.own.site.name)

    def _fail(self, reason: str) -> None:
        # A server may put what it was sent into the address of a redirect.
        self.failure = self.own.hidden.without_in(reason)
        self.own.forget_session()
        logger.warning("site %s: the login failed: %s; the site is read without it", self.own.site.name, self.failure)


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

    def without_secrets(self, text: str) -> str:
        """Return a text without any secret and any session's cookie."""
        for session in self.sessions.values():
            text = session.own.hidden.without_in(text)
        return text

    def of(self, request: Request) -> Session | None:
        """Return the session of a request's site; `None` if its host belongs to no site with a subscription."""
        if name := request.meta.get(LOGIN):
            return self.sessions.get(name)
        return self.of_url(request.url)

    def of_url(self, url: str) -> Session | None:
        """Return the session of a URL's site, as `of` does."""
        site = self.index.find(url)
        return self.sessions.get(site.name) if site else None

    def close(self, *, reports_problems: bool) -> Iterator[str]:
        """Count the sessions in the stats, and yield a line about each site whose session did not last.

        What is wrong at the end is part of the site's health, unless `reports_problems`.
        """
        for name, session in self.sessions.items():
            for count_name, count in session.counts().items():
                self.count(count_name, count)
            if session.ends and not session.problem:
                why = ", then ".join(session.ends.values())
                yield f"site {name}: the session ended, and a login opened it again: {why}"
            if session.problem and reports_problems:
                yield f"site {name}: subscription: {session.problem}"

    def count(self, name: str, count: int = 1) -> None:
        """Add to a count in the stats."""
        stats: Any = self.crawler.stats
        if count:
            stats.inc_value(f"newsextract/subscriptions/{name}", count)

    async def _download(self, request: Request) -> Response:
        return await download(self.crawler, request)


@dataclass(frozen=True, slots=True)
class _Sent:
    session: Session
    was_open: bool
    before: Mapping[str, list[bytes]]
    """The headers that were replaced, as they were."""


class _WithSubscriptions:
    """A middleware that is there where a crawl has subscriptions."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self.subscriptions = subscriptions

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's subscriptions; raises `NotConfigured` if it has none."""
        subscriptions = crawler.get_extension(Subscriptions)
        if subscriptions is None:
            raise NotConfigured
        return cls(subscriptions)


class SubscriptionHeaders(_WithSubscriptions):
    """Puts what a subscription needs into a request just before it is sent, and takes it out when the answer is there.

    It sits next to the downloader, below Scrapy's cache: a request that is scheduled, retried, redirected, cached or
    logged never has it. A redirect is a request of its own, and gets what its own host may have.
    """

    def __init__(self, subscriptions: Subscriptions) -> None:
        super().__init__(subscriptions)
        self._sent: WeakKeyDictionary[Request, _Sent] = WeakKeyDictionary()

    def process_request(self, request: Request, **_: Any) -> None:
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

    async def process_response(self, request: Request, response: Response, **_: Any) -> Request | Response:
        """Keep the cookies, and leave no secret in the response; ask again if it shows that the session has ended."""
        sent = self._restore(request)
        if sent is None:
            return response
        sent.session.own.take_cookies(response, request)
        if LOGIN in request.meta:  # not kept, and its form may need what is a cookie too
            response.headers.pop("Set-Cookie", None)
            return response
        why = _refusal(sent.session, response) if sent.was_open and is_for_page(request) else ""
        if why and (again := await sent.session.repeated(request, why)):
            return again
        response = sent.session.own.hidden.hide_in(response)
        if sent.was_open and not why:
            response.flags.append(WITH_SUBSCRIPTION)
        return response

    def process_exception(self, request: Request, **_: Any) -> None:
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


def _refusal(session: Session, response: Response) -> str:
    """Return what in the head of a response shows that the session has ended; an empty string if nothing does."""
    login = session.own.access.login
    if response.status in REFUSALS:
        return f"http {response.status}"
    location = (response.headers.get("Location") or b"").decode("latin-1")
    if login and 300 <= response.status < 400 and location and _is_same(response.url, location, login.url):
        return "redirects to the login"
    return ""


def _is_same(base: str, location: str, other: str) -> bool:
    """Return whether a redirect leads to a page, whatever the queries say."""
    try:
        one, two = urlsplit(urljoin(base, location)), urlsplit(other)
    except ValueError:  # no URL, see `Redirects`
        return False
    return (one.netloc, one.path.rstrip("/")) == (two.netloc, two.path.rstrip("/"))


class Sessions(_WithSubscriptions):
    """Sits where bodies are unpacked, and after robots.txt: what that forbids needs no login."""

    async def process_request(self, request: Request, **_: Any) -> None:
        """Hold a page back until the login has worked or failed."""
        session = self.subscriptions.of(request)
        if session is not None and is_for_page(request):
            await session.ready()

    async def process_response(self, request: Request, response: Response, **_: Any) -> Request | Response:
        """Return the response without secrets, or the request to send again if it shows that the session has ended."""
        session = self.subscriptions.of(request)
        if session is None or LOGIN in request.meta:
            return response
        if WITH_SUBSCRIPTION in response.flags and response.status == 200 and is_for_article(request):
            paywall = session.own.access.paywall
            if paywall and shows(paywall, response):
                if again := await session.repeated(request, "a page shows the paywall"):
                    return again
                response.flags.remove(WITH_SUBSCRIPTION)  # it was not read with it
            elif not _is_signed(session, response, is_second=bool(request.meta.get(RETRIED))) and (
                again := await session.repeated(request, "a page is without the sign of the login")
            ):
                return again
        if WITH_SUBSCRIPTION in response.flags:
            self.subscriptions.count("pages")
        return session.own.hidden.hide_in(response)


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
