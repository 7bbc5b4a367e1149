"""Webhooks: each message is posted to an address, which answers 2xx when it has it."""

from __future__ import annotations

import hashlib
import hmac
import http.client
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from newsextract.newsroom.delivery.target import Away, Refused, deliver_each

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from newsextract.storage.outbox.message_store import Letter

SIGNATURE = "X-Newsextract-Signature"
_SECONDS = 10.0
"""For the connection, and for each part of the answer."""
_LATER = frozenset({408, 425, 429})
"""Answers of the 400s that say: not now."""
_LONGEST_WAIT_SECONDS = 300.0
"""What is granted to a `Retry-After`."""


class Webhook:
    """An address, the kinds of messages it gets, and the secret that its messages are signed with."""

    most = 50

    def __init__(self, url: str, kinds: Collection[str], secret: str | None = None) -> None:
        self.url = url
        self.kinds = frozenset(kinds)
        self.secret = secret
        # The whole address may be a secret, as with chat services: the hash tells two of one host apart.
        short = hashlib.blake2b(url.encode(), digest_size=4).hexdigest()
        self.name = f"webhook {(urlsplit(url).hostname or '')[:200]} {short}"
        self._opener = build_opener(_NoRedirects)

    def wants(self, kind: str) -> bool:
        """Tell whether the address gets messages of a kind."""
        return kind in self.kinds

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Post messages one by one."""
        return deliver_each(letters, self._post)

    def close(self) -> None:
        """Do nothing: each message has its own connection."""

    def _post(self, letter: Letter) -> None:
        body = letter.payload.encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "newsextract",
            "X-Newsextract-Id": letter.id,
            "X-Newsextract-Kind": letter.kind,
        }
        if self.secret:
            headers[SIGNATURE] = signature(self.secret, body)
        request = Request(self.url, body, headers, method="POST")  # noqa: S310 - the settings allow http and https only
        try:
            with self._opener.open(request, timeout=_SECONDS):
                return  # the opener raises for everything but 2xx
        except HTTPError as error:
            with error:
                _raise_for(error)
        except URLError as error:
            raise Away(str(error.reason)) from error
        except (OSError, http.client.HTTPException) as error:
            raise Away(f"{type(error).__name__}: {error}") from error


def signature(secret: str, body: bytes) -> str:
    """Return what the header `X-Newsextract-Signature` has: the HMAC of the body.

    >>> signature("s", b"{}")[:20]
    'sha256=143ca8d517ba1'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class _NoRedirects(HTTPRedirectHandler):
    """A message that follows a redirect would lose its body on the way."""

    def redirect_request(self, *_: object) -> None:
        """Follow none: the answer is an error then."""


def _raise_for(error: HTTPError) -> None:
    reason = f"answered {error.code}"
    if error.code >= http.client.INTERNAL_SERVER_ERROR or error.code in _LATER:
        raise Away(reason, _wait_seconds(error.headers.get("Retry-After", ""))) from error
    raise Refused(reason) from error


def _wait_seconds(retry_after: str) -> float | None:
    """Return the seconds of a `Retry-After`, if it has some; a date is none.

    >>> _wait_seconds("120"), _wait_seconds("86400"), _wait_seconds("Fri, 31 Dec 1999 23:59:59 GMT")
    (120.0, 300.0, None)
    """
    return min(float(retry_after), _LONGEST_WAIT_SECONDS) if retry_after.strip().isdecimal() else None
