"""JSON posted to a URL: within a time limit, never on to another URL, and with errors that keep the URL secret."""

from __future__ import annotations

import http.client
from functools import cache
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from newsextract.newsroom.delivery.target_urls import trouble_with

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = 10.0
"""For the connection, and for each part of the answer; a crawl's end waits for it."""


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
