"""Ask a host's robots.txt about one URL, by RFC 9309."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from protego import Protego

from newsextract.sites.fetching.guarded_connections import FetchError

if TYPE_CHECKING:
    from newsextract.sites.fetching.guarded_connections import Answer, Line

MAX_PARSED_BYTES = 512 * 1024
"""RFC 9309 asks for at least 500 KiB; the rest is ignored."""
MAX_DOWNLOADED_BYTES = 5 * 1024 * 1024
"""A larger file is no robots.txt, and counts as missing."""
MAX_REDIRECTS = 5
"""Redirects followed; a file behind more counts as missing."""


@dataclass(frozen=True, slots=True)
class RobotsFiles:
    """The robots.txt of each host, fetched when a URL there is first asked about."""

    known: dict[str, Protego] = field(default_factory=dict)

    def require_allowed(self, line: Line, url: str) -> None:
        """Raise `FetchError` if the rules of the URL's host forbid it, or are not known."""
        if not self._of(line, url).can_fetch(url, line.user_agent):
            raise FetchError("forbidden by robots.txt", url)

    def crawl_delay(self, line: Line, url: str) -> float:
        """Return the seconds that the URL's host wants between two requests, 0 if it does not say.

        Raises:
            FetchError: the rules are not known.
        """
        asked = self._of(line, url).crawl_delay(line.user_agent) or 0.0
        return asked if math.isfinite(asked) else 0.0  # "inf" is parsed as a number

    def _of(self, line: Line, url: str) -> Protego:
        parts = urlsplit(url)
        host = f"{parts.scheme}://{parts.netloc}"
        if host not in self.known:
            self.known[host] = Protego.parse(_rules(line, f"{host}/robots.txt"))
        return self.known[host]


def _rules(line: Line, url: str) -> str:
    """Return the file, empty if it is missing."""
    try:
        answer = _followed(line, url)
    except FetchError as error:
        if error.reason == "too large":
            return ""
        if error.reason in ("private address", "host not found"):
            raise  # which is true of the page, too
        raise FetchError("robots.txt is not known", str(error)) from error
    except ValueError as error:
        raise FetchError("robots.txt is not known", f"{url} has moved to no URL: {error}") from error
    if answer.status >= 500:
        raise FetchError("robots.txt is not known", f"{url} answered {answer.status}", answer.status)
    body = answer.body if 200 <= answer.status < 300 else b""
    if len(body) > MAX_PARSED_BYTES:
        body = body[:MAX_PARSED_BYTES].rpartition(b"\n")[0]
    return body.decode("utf-8", "ignore")


def _followed(line: Line, url: str) -> Answer:
    answer = line.get(url, MAX_DOWNLOADED_BYTES)
    for _ in range(MAX_REDIRECTS):
        if not 300 <= answer.status < 400 or urlsplit(answer.target).scheme not in ("http", "https"):
            break
        answer = line.get(answer.target, MAX_DOWNLOADED_BYTES)
    return answer
