"""One site's subscription: its secrets are put into a request just before it is sent, and hidden where they return."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.cookies import CookieJar

from newsextract.page.urls import site_of
from newsextract.sites.subscriptions import SecretError, SignKind, cookies_of_header, names_in, read_cookie_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from http.cookiejar import Cookie

    from scrapy.http import Response

    from newsextract.sites.site import Site
    from newsextract.sites.subscriptions import Access, Secrets, Sign


# Secrets that a server sends back, as in `Hello me@example.com`, are replaced before anyone keeps the page.

MIN_CHARS = 6
"""A shorter value is a word of many pages."""

HIDDEN = b"***"

MIN_HIDDEN_COOKIE_CHARS = 16
"""A shorter cookie is a choice, such as `fr`, and its text is on many pages."""

MAX_HIDDEN_COOKIES = 500
"""Of a site in a run, the newest: some sites set another with every page, and each is looked for in all that follow."""


@dataclass(frozen=True)
class HiddenValues:
    """Texts that are replaced in what a server sends and in the log: plain, escaped for HTML or JSON, or URL-quoted."""

    values: frozenset[str] = field(repr=False)

    @cached_property
    def _patterns(self) -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
        """What all spellings of a value have in them, which is found much faster than they are, and the spellings."""
        longest_first = sorted((each for each in self.values if len(each) >= MIN_CHARS), key=len, reverse=True)
        return tuple((_core_of(value), _pattern_of(value)) for value in longest_first)

    def without(self, body: bytes) -> bytes:
        r"""Return bytes without the secrets; the same object if there is none in them.

        >>> HiddenValues(frozenset({"me@a.example"})).without(rb"me@a.example Me%40A.example me\u0040a.example")
        b'*** *** ***'
        """
        lowered = body.lower()
        spans = [
            match.span() for core, pattern in self._patterns if core in lowered for match in pattern.finditer(lowered)
        ]
        return b"".join(_replaced(body, sorted(spans))) if spans else body

    def without_in(self, text: str) -> str:
        """Return a text without the secrets."""
        return self.without(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def hide_in(self, response: Response) -> Response:
        """Return a response without the secrets in its URL, headers and body, and without the cookies that it sets."""
        for name in list(response.headers):
            values = response.headers.getlist(name)
            hidden = [self.without(value) for value in values]
            if hidden != values:
                response.headers.setlist(name, hidden)
        response.headers.pop("Set-Cookie", None)
        changed: dict[str, Any] = {}
        if (body := self.without(response.body)) is not response.body:
            changed["body"] = body
        # Redirects are requests of their own; a script may put what it knows into the address of a page.
        if (url := self.without(response.url.encode())) != response.url.encode():
            changed["url"] = url.decode("utf-8", "replace")
        return response.replace(**changed) if changed else response


@lru_cache(2 * MAX_HIDDEN_COOKIES)
def _pattern_of(value: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_spellings, value)))


def _core_of(value: str) -> bytes:
    return max(re.findall("[a-z0-9]+", value.lower()), key=len, default="").encode()


@cache
def _spellings(char: str) -> bytes:
    """Return a pattern of the spellings of a character, in lower case: servers put addresses and escapes into it."""
    if char.isascii() and char.isalnum():
        return char.lower().encode()
    raw, number = char.encode(), ord(char)
    found = [
        b"".join(b"%%%02x" % byte for byte in raw),
        rb"&#0{0,6}(?:%d|x0{0,6}%x);?" % (number, number),
        *(re.escape(b"&%s;" % name.encode()) for name in sorted(_names_of(char))),
        re.escape(json.dumps(char)[1:-1].lower().encode()),
        rb"\\u%04x" % number,
        *([b"[+]"] if char == " " else [rb"\\/"] if char == "/" else []),
        re.escape(char.lower().encode()),  # last: `&`, `%` and `\` begin what else may stand for them
    ]
    return rb"(?:%s)" % b"|".join(found)


def _names_of(char: str) -> set[str]:
    return {name.rstrip(";").lower() for name, value in html5.items() if value == char}


def _replaced(body: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Yield the parts of a body outside of sorted spans, which may overlap, and a mark for what they hold."""
    end = 0
    for start, stop in spans:
        if start >= end:
            yield body[end:start]
            yield HIDDEN
        end = max(end, stop)
    yield body[end:]


class Subscription:
    """What may be sent to the hosts of a site, and the cookies that they set in this run."""

    def __init__(self, site: Site, access: Access, secrets: Secrets) -> None:
        self.site = site
        self.access = access
        self._headers = {name: secrets.filled(text) for name, text in access.headers.items()}
        self._agent = secrets.filled(access.user_agent) if access.user_agent else None
        fields = access.login.fields if access.login else {}
        self._fields = {name: secrets.filled(text) for name, text in fields.items()}
        self._given = _cookies_of(site, access, secrets)
        self._jar = CookieJar()
        self._values = {secrets.value(name) for name in access.secrets}
        self._values |= {part for text in self._headers.values() for part in _parts_of_basic(text)}
        self._sessions: dict[str, None] = {}
        """The values of the cookies of this run, the newest last."""
        self._hidden = HiddenValues(frozenset())
        self.forget_session()

    def __repr__(self) -> str:
        return f"<Subscription to {self.site.name}>"

    @property
    def fields(self) -> dict[str, str]:
        """The fields to fill in at the login, with their secrets: for the body of that request alone."""
        return dict(self._fields)

    @property
    def opens_by_itself(self) -> bool:
        """Whether it sends secrets without a login."""
        return bool(self._given) or any(map(names_in, self.access.headers.values()))

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the headers to send with a request for a URL; an empty dict for other hosts.

        The user agent goes to the hosts of the site and their subdomains; headers go to the hosts of its start pages;
        cookies go where a browser would send them, if that is on the site. Only https gets secrets, unless a start page
        of the same host is http.
        """
        found = {"User-Agent": self._agent} if self._agent and self._may_know_agent(url) else {}
        if not self.is_trusted(url):
            return found
        if site_of(url) in self.site.hosts:
            found |= self._headers
        # A request of its own: it is not logged, kept or scheduled.
        asked = Request(url)
        self._jar.add_cookie_header(asked)
        if cookie := asked.headers.get("Cookie"):
            found["Cookie"] = cookie.decode("latin-1")
        return found

    def headers_in_browser(self, url: str) -> dict[str, str]:
        """Return what of `headers_for` a browser may have: it sends all but cookies to every host that a page asks."""
        raw = {**self.access.headers, "User-Agent": self.access.user_agent or ""}
        found = self.headers_for(url)
        return {name: value for name, value in found.items() if name == "Cookie" or not names_in(raw.get(name, ""))}

    def take_cookies(self, response: Response, request: Request) -> None:
        """Keep the cookies that a response sets, until the run ends."""
        if self.is_trusted(request.url):
            self._jar.extract_cookies(response, request)
            self._jar.jar.clear_expired_cookies()
            self._note_sessions()

    def forget_session(self) -> None:
        """Go back to the cookies that were given."""
        self._jar.clear()
        for cookie in self._given:
            self._jar.set_cookie(cookie)
        self._note_sessions()

    def _note_sessions(self) -> None:
        for cookie in self._cookies():
            if cookie.value and len(cookie.value) >= MIN_HIDDEN_COOKIE_CHARS:
                self._sessions.pop(cookie.value, None)  # what is still in use is the newest
                self._sessions[cookie.value] = None
        for old in tuple(self._sessions)[:-MAX_HIDDEN_COOKIES]:
            del self._sessions[old]

    def has_cookie(self, sign: Sign) -> bool:
        """Return whether the site's cookies show a sign."""
        return sign.kind is SignKind.COOKIE and any(cookie.name == sign.value for cookie in self._cookies())

    @property
    def hidden(self) -> HiddenValues:
        """What pages may show of the secrets, and must not be kept."""
        values = frozenset(self._values | self._sessions.keys())
        if values != self._hidden.values:  # their forms are made once, and looked for in every response
            self._hidden = HiddenValues(values)
        return self._hidden

    def _cookies(self) -> Iterable[Cookie]:
        return tuple(self._jar.jar)

    def is_trusted(self, url: str) -> bool:
        """Return whether a URL may get secrets: on the site, or on a host that the login names."""
        login = self.access.login
        if login and urlsplit(url).netloc in login.hosts:
            return urlsplit(url).scheme == "https" or (self._allows_http and urlsplit(login.url).scheme == "http")
        if login and urlsplit(url).netloc == urlsplit(login.url).netloc:
            return _is_safe(url, (login.url,) if self._allows_http else ())
        return self.site.holds(url) and _is_safe(url, self.site.start if self._allows_http else ())

    def _may_know_agent(self, url: str) -> bool:
        if self.access.user_agent and names_in(self.access.user_agent):
            return site_of(url) in self.site.hosts and self.is_trusted(url)
        return self.site.holds(url)

    @property
    def _allows_http(self) -> bool:
        return urlsplit(self.site.home).scheme == "http"


def _is_safe(url: str, plain: Iterable[str]) -> bool:
    """Return whether a URL is https, or on the host of a URL that was given as http."""
    if urlsplit(url).scheme == "https":
        return True
    return any(urlsplit(each).scheme == "http" and site_of(each) == site_of(url) for each in plain)


def _parts_of_basic(header: str) -> tuple[str, ...]:
    """Return the user's name and password in the header of HTTP's basic authentication; nothing for another header.

    >>> _parts_of_basic("Basic amFuZTpodXNoLWh1c2g="), _parts_of_basic("Bearer amFuZTpodXNoLWh1c2g=")
    (('jane', 'hush-hush'), ())
    """
    scheme, _, coded = header.partition(" ")
    try:
        decoded = b64decode(coded).decode() if scheme.lower() == "basic" else ""
    except ValueError:
        return ()
    return tuple(decoded.split(":", 1)) if ":" in decoded else ()


def _cookies_of(site: Site, access: Access, secrets: Secrets) -> list[Cookie]:
    if not access.cookies:
        return []
    if not names_in(access.cookies):
        return read_cookie_file(Path(access.cookies))
    cookies = cookies_of_header(secrets.filled(access.cookies), urlsplit(site.home).hostname or "")
    if not cookies:
        raise SecretError(f"{access.cookies} holds no cookie; a Cookie header's text is NAME=VALUE; NAME=VALUE")
    return cookies


def subscriptions_of(sites: Iterable[Site], secrets: Secrets) -> dict[str, Subscription]:
    """Return the subscriptions of sites by their names; raises `SecretError`, which names the site."""
    found = {}
    for site in sites:
        if site.access:
            try:
                found[site.name] = Subscription(site, site.access, secrets)
            except SecretError as error:
                raise SecretError(f"site {site.name}: {error}") from error
    return found
