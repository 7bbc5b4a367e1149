"""Logs in to a site: fetches the page of the form, sends the form, follows the redirects, and looks for the sign."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from form2request import form2request
from lxml.etree import ParserError
from lxml.html import document_fromstring
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.outcome import UNREACHABLE
from newsextract.reading.rules import elements, texts
from newsextract.sites.subscriptions import SignKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from lxml.html import FormElement, HtmlElement
    from scrapy.http import Response

    from newsextract.crawl.subscription import Subscription
    from newsextract.sites.subscriptions import Login, Sign


# Signs on pages: that a login worked, or that a wall stands.

MAX_ELEMENTS = 20_000
"""Larger pages show no sign: all pages of a crawl wait while one is searched, and some searches take quadratic time."""


def shows(sign: Sign, response: Response) -> bool:
    """Return whether the page of a response shows a sign; a cookie is on no page."""
    if not isinstance(response, TextResponse) or sign.kind is SignKind.COOKIE:
        return False
    if sign.kind is SignKind.TEXT:
        return " ".join(sign.value.split()) in " ".join(response.text.split())
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
    """The server or the network broke a login off, so another may work."""


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

TOO_MANY, SERVER_ERROR = 429, 500
"""The status of what may work later, and the first of those of servers' errors."""

_MOVED, _MOVED_WITH_BODY = (301, 302, 303), (307, 308)


class LoggingIn:
    """Logs in with a subscription. The requests take the site's delays, and none is scheduled, cached or kept."""

    def __init__(self, own: Subscription, login: Login, download: Callable[[Request], Awaitable[Response]]) -> None:
        self.own = own
        self.login = login
        self.download = download

    async def run(self) -> None:
        """Log in; raises `LoginFailed`, and `LoginBroken` if it may work a moment later."""
        self.own.forget_session()
        page = await self._get(self.login.url)
        if page.status != 200:
            raise _of_status(page.status)(f"the login page: http {page.status}")
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
        if not self.own.may_log_in_at(request.url):
            where = f"{parts.scheme}://{parts.netloc}"
            raise LoginFailed(f"leads to {where}, which gets nothing: it is neither the site's nor in login.hosts")
        meta = {**_META, **request.meta, LOGIN: self.own.site.name, "download_slot": parts.netloc}
        asked = request.replace(meta=meta, callback=NO_CALLBACK, dont_filter=True)
        try:
            answer = await self.download(asked)
        except Exception as error:  # noqa: BLE001 - whatever it is, the site is read without the login then
            is_broken = isinstance(error, tuple(UNREACHABLE))
            raise (LoginBroken if is_broken else LoginFailed)(_reason_of(error)) from None
        answer.request = asked
        return answer

    async def _check(self, answer: Response) -> None:
        """Look for the sign; raises `LoginFailed` if it is missing."""
        if answer.status >= 400:
            raise _of_status(answer.status)(f"http {answer.status} after the form was sent")
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


def _of_status(status: int) -> type[LoginFailed]:
    return LoginBroken if status == TOO_MANY or status >= SERVER_ERROR else LoginFailed


def _joined(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:  # from urllib: brackets without an IPv6 address
        raise LoginFailed("redirects to what is no URL") from None


def _reason_of(error: Exception) -> str:
    """Return a reason without the error's own text, which may quote what was sent."""
    if isinstance(error, IgnoreRequest):
        return "its host is private, or left to the next run"
    return next((reason for kind, reason in UNREACHABLE.items() if isinstance(error, kind)), type(error).__name__)
