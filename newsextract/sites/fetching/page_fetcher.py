"""Fetch one page by its URL, politely, safely and in bounded time."""

from __future__ import annotations

from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from w3lib.encoding import http_content_type_encoding
from w3lib.url import safe_url_string

from newsextract.page.page import KEPT_HEADERS, MAX_BYTES, Hints, NotHtml, Page
from newsextract.sites.addresses.private_addresses import AddressPolicy
from newsextract.sites.fetching.guarded_connections import FetchError, Line
from newsextract.sites.fetching.robots_file import RobotsFiles
from newsextract.sites.site_list.site import HAS_USER, has_user

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.sites.fetching.guarded_connections import Answer

_T = TypeVar("_T")

USER_AGENT = "newsextract (+https://pypi.org/project/newsextract/)"
"""Names the software; whoever fetches often should name themselves."""
SECONDS = 30.0
"""Time for all: robots.txt, redirects and the page."""
MAX_SECONDS = 86_400.0
"""Longer times overflow what sockets take."""
MAX_REDIRECTS = 10

_NEVER_TEXT = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/octet-stream")


@dataclass(frozen=True, slots=True)
class PageFetcher:
    """Fetches pages, one after another; safe in threads, and where an event loop runs."""

    policy: AddressPolicy = field(default_factory=AddressPolicy)
    """The private addresses that may be fetched; by default none."""
    user_agent: str = USER_AGENT
    seconds: float = SECONDS
    """Time for one page with its redirects and their robots.txt."""
    max_bytes: int = MAX_BYTES
    """Most bytes of a page, decompressed."""
    robots: RobotsFiles = field(default_factory=RobotsFiles, repr=False, compare=False)
    """Those that were met: each is fetched once."""

    def fetch(self, url: str) -> Page:
        """Return the page at a URL, after redirects.

        Raises:
            FetchError: it may not or cannot be fetched, or not in time.
            PageError: what was fetched is no HTML page.
        """
        return self._in_time(url, self._fetch)

    def crawl_delay(self, url: str) -> float:
        """Return the seconds that the robots.txt of a URL's host wants between two requests, 0 if it does not say.

        Raises:
            FetchError: robots.txt is not known.
        """
        return self._in_time(url, self.robots.crawl_delay)

    def _in_time(self, url: str, work: Callable[[Line, str], _T]) -> _T:
        line = Line(self.policy, self.user_agent, self.seconds)
        results: Queue[_T | Exception] = Queue()

        def run() -> None:
            try:
                results.put(work(line, _address(url)))
            except Exception as error:  # noqa: BLE001 - raised again below, in the caller's thread
                results.put(error)

        # In a thread of its own, as nothing else bounds the lookup of a name, or an answer of a byte a second.
        Thread(target=run, name="newsextract-fetch", daemon=True).start()
        try:
            found = results.get(timeout=self.seconds)
        except Empty:
            raise FetchError("timeout", f"{url} was not there within {self.seconds:g} seconds") from None
        finally:
            line.cut()
        if isinstance(found, Exception):
            raise found
        return found

    def _fetch(self, line: Line, url: str) -> Page:
        for _ in range(MAX_REDIRECTS + 1):
            self.robots.require_allowed(line, url)
            answer = line.get(url, self.max_bytes)
            if not 300 <= answer.status < 400:
                return self._page(answer)
            if not answer.target:
                raise FetchError(f"the site answered {answer.status}", "without saying where to", answer.status)
            url = _address(answer.target)
        raise FetchError("too many redirects", f"more than {MAX_REDIRECTS}")

    def _page(self, answer: Answer) -> Page:
        if not 200 <= answer.status < 300:
            raise FetchError(f"the site answered {answer.status}", answer.url, answer.status)
        content_type = answer.headers.get("content-type", "")
        if content_type.strip().lower().startswith(_NEVER_TEXT):
            raise NotHtml("not HTML", content_type[:80])
        hints = Hints(headers={name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers})
        charset = http_content_type_encoding(content_type)
        return Page(answer.body, answer.url, charset=charset, max_bytes=self.max_bytes, hints=hints)


def _address(url: str) -> str:
    """Return a URL as it is requested; raises `FetchError` if it is not one of the web."""
    try:
        url = url.strip()
        if has_user(url):
            raise FetchError("not a URL", HAS_USER)
        safe = safe_url_string(url).partition("#")[0]
        parts = urlsplit(safe)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise FetchError("not a URL", f"{url[:200]}: {error}") from error
    if not is_web:
        raise FetchError("not a URL", f"{url[:200]!r}; one begins with https:// or http:// and a host")
    return safe
