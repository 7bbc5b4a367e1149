"""Check URLs from the settings and post JSON to them; error messages never quote a URL, which may contain passwords.

A post has a time limit, and follows no redirect.
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
"""Timeout for the connection and for each part of the answer; the end of a crawl waits for it."""


def host_of(url: str) -> str:
    """Return the part of a URL that is not secret.

    >>> host_of("https://chat.example/hooks/0f3c?token=1")
    'https://chat.example'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}"


def trouble_with(url: Any, schemes: Collection[str] = WEB) -> str | None:
    """Return why a URL cannot be used, without quoting it, or `None` if it can.

    >>> trouble_with("https://me:hush@chat.example/")
    'it names a user, which is sent to nobody'
    """
    if not isinstance(url, str) or any(sign.isspace() or not sign.isprintable() for sign in url):
        return "it is not text, or contains white space"
    try:
        parts = urlsplit(url)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_place = False
    if not url.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        return f"it does not begin with {' or '.join(f'{scheme}://' for scheme in schemes)}"
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
    """The message could not be sent, or was refused."""

    def __init__(self, reason: str, status: int | None = None, retry_after: str = "") -> None:
        super().__init__(reason)
        self.status = status
        """The status of the answer, or `None` if there was none."""
        self.retry_after = retry_after
        """The header `Retry-After` of the answer, or an empty string."""


def post_json(url: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    """Post a message; raises `NotTaken` unless the answer is 2xx."""
    if trouble := trouble_with(url):
        raise NotTaken(f"not a usable webhook URL: {trouble}")
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
    """Return the opener; it is made once, because it may read all certificates of the system."""
    return build_opener(_NoRedirects)


class _NoRedirects(HTTPRedirectHandler):
    """Refuses redirects: a post that follows one would lose its body."""

    def redirect_request(self, *_: object) -> None:
        """Return `None`: the redirect is an error then."""
