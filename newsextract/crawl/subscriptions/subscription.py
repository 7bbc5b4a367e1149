"""One site's subscription with its secrets, which are kept here only and put into a request just before it is sent."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.cookies import CookieJar

from newsextract.crawl.subscriptions.hidden_values import HiddenValues
from newsextract.page.urls import site_of
from newsextract.sites.subscriptions import SecretError, SignKind, cookies_of_header, names_in, read_cookie_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from http.cookiejar import Cookie

    from scrapy.http import Response

    from newsextract.sites.site import Site
    from newsextract.sites.subscriptions import Access, Secrets, Sign

MIN_HIDDEN_COOKIE_CHARS = 16
"""A shorter cookie is a choice, such as `fr`, and its text is on many pages."""


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
        if not self._is_trusted(url):
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

    def may_log_in_at(self, url: str) -> bool:
        """Return whether a URL may get the fields of the login: on the site, or on a host that the login names."""
        return self._is_trusted(url)

    def take_cookies(self, response: Response, request: Request) -> None:
        """Keep the cookies that a response sets, until the run ends."""
        if self._is_trusted(request.url):
            self._jar.extract_cookies(response, request)
            self._jar.jar.clear_expired_cookies()

    def forget_session(self) -> None:
        """Go back to the cookies that were given."""
        self._jar.clear()
        for cookie in self._given:
            self._jar.set_cookie(cookie)

    def has_cookie(self, sign: Sign) -> bool:
        """Return whether the site's cookies show a sign."""
        return sign.kind is SignKind.COOKIE and any(cookie.name == sign.value for cookie in self._cookies())

    def lacks_cookie(self, sign: Sign) -> bool:
        """Return whether a sign is a cookie that is not there."""
        return sign.kind is SignKind.COOKIE and not self.has_cookie(sign)

    @property
    def hidden(self) -> HiddenValues:
        """What pages may show of the secrets, and must not be kept."""
        sessions = {each.value for each in self._cookies() if each.value and len(each.value) >= MIN_HIDDEN_COOKIE_CHARS}
        values = frozenset(self._values | sessions)
        if values != self._hidden.values:  # their forms are made once, and looked for in every response
            self._hidden = HiddenValues(values)
        return self._hidden

    def _cookies(self) -> Iterable[Cookie]:
        return tuple(self._jar.jar)

    def _is_trusted(self, url: str) -> bool:
        login = self.access.login
        if login and urlsplit(url).netloc in login.hosts:
            return urlsplit(url).scheme == "https" or (self._allows_http and urlsplit(login.url).scheme == "http")
        if login and urlsplit(url).netloc == urlsplit(login.url).netloc:
            return _is_safe(url, (login.url,) if self._allows_http else ())
        return self.site.holds(url) and _is_safe(url, self.site.start if self._allows_http else ())

    def _may_know_agent(self, url: str) -> bool:
        if self.access.user_agent and names_in(self.access.user_agent):
            return site_of(url) in self.site.hosts and self._is_trusted(url)
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
