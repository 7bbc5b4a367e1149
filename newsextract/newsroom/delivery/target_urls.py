"""URLs from the settings, which may contain passwords, and JSON posted to them: error messages never quote a URL.

A post has a time limit, and never goes on to another URL.
"""

from __future__ import annotations

import http.client
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

WEB = ("http", "https")

_SECONDS = 10.0
"""For the connection, and for each part of the answer; a crawl's end waits for it."""


def host_of(url: str) -> str:
    """Return the part of a URL that is not secret.

    >>> host_of("https://chat.example/hooks/0f3c?token=1")
    'https://chat.example'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}"


def trouble_with(url: Any, schemes: Collection[str] = WEB) -> str | None:
    """Return why a URL cannot be used, without quoting it; `None` if it can be used.

    >>> trouble_with("https://me:hush@chat.example/")
    'it names a user, which is sent to nobody'
    """
    if not isinstance(url, str) or any(sign.isspace() or not sign.isprintable() for sign in url):
        return "it is no text without white space"
    try:
        parts = urlsplit(url)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_place = False
    if not url.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        return f"it is no {' or '.join(schemes)} URL"
    if not has_place:
        return "its host and port cannot be read; in a password, signs such as / # @ are written %2F %23 %40"
    return _web_trouble(url) if schemes == WEB else _broker_trouble(url)


def _web_trouble(url: str) -> str | None:
    if not url.isascii():
        return "it has signs that are not ASCII"
    return "it names a user, which is sent to nobody" if "@" in urlsplit(url).netloc else None


def _broker_trouble(url: str) -> str | None:
    parts = urlsplit(url)
    if "#" in url or "@" in parts.path + parts.query or "@" in parts.netloc.rpartition("@")[0]:
        return "it has a # or a second @; in a password, signs such as / # @ are written %2F %23 %40"
    return None


class NotTaken(OSError):  # noqa: N818 - what became of the message
    """The message did not arrive, or was refused."""

    def __init__(self, reason: str, status: int | None = None, retry_after: str = "") -> None:
        super().__init__(reason)
        self.status = status
        """What the server answered, `None` where it did not."""
        self.retry_after = retry_after
        """The header `Retry-After` of that answer."""


def post_json(url: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    """Post a message; raises `NotTaken` unless the answer is 2xx."""
    if trouble := trouble_with(url):
        raise NotTaken(f"it is no web address: {trouble}")
    all_headers = {"Content-Type": "application/json", "User-Agent": "newsextract", **(headers or {})}
    request = Request(url, body, all_headers, method="POST")  # noqa: S310 - http and https only, as was checked
    try:
        with _opener().open(request, timeout=_SECONDS):
            return  # the opener raises for everything but 2xx
    except HTTPError as error:
        with error:
            raise NotTaken(f"answered {error.code}", error.code, error.headers.get("Retry-After", "")) from error
    except URLError as error:
        raise NotTaken(str(error.reason)) from error
    except (OSError, http.client.HTTPException) as error:
        raise NotTaken(f"{type(error).__name__}: {error}") from error


@cache
def _opener() -> OpenerDirector:
    """Return the opener; it is made once, since it may read all certificates of the system."""
    return build_opener(_NoRedirects)


class _NoRedirects(HTTPRedirectHandler):
    """A message that follows a redirect would lose its body on the way."""

    def redirect_request(self, *_: object) -> None:
        """Follow none: the answer is an error then."""
