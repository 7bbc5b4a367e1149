"""Webhooks: each message is posted to an address, which answers 2xx when it has it."""

from __future__ import annotations

import hashlib
import hmac
import http.client
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.newsroom.delivery.json_post import NotTaken, post_json
from newsextract.newsroom.delivery.target import Away, Refused, deliver_each

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from newsextract.storage.outbox.message_store import Letter

SIGNATURE = "X-Newsextract-Signature"
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
        headers = {"X-Newsextract-Id": letter.id, "X-Newsextract-Kind": letter.kind}
        if self.secret:
            headers[SIGNATURE] = signature(self.secret, body)
        try:
            post_json(self.url, body, headers)
        except NotTaken as error:
            _raise_for(error)


def signature(secret: str, body: bytes) -> str:
    """Return what the header `X-Newsextract-Signature` has: the HMAC of the body.

    >>> signature("s", b"{}")[:20]
    'sha256=143ca8d517ba1'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _raise_for(error: NotTaken) -> None:
    if error.status is None or error.status >= http.client.INTERNAL_SERVER_ERROR or error.status in _LATER:
        raise Away(str(error), _wait_seconds(error.retry_after)) from error
    raise Refused(str(error)) from error


def _wait_seconds(retry_after: str) -> float | None:
    """Return the seconds of a `Retry-After`, if it has some; a date is none.

    >>> _wait_seconds("120"), _wait_seconds("86400"), _wait_seconds("Fri, 31 Dec 1999 23:59:59 GMT")
    (120.0, 300.0, None)
    """
    return min(float(retry_after), _LONGEST_WAIT_SECONDS) if retry_after.strip().isdecimal() else None
