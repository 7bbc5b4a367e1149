"""Webhooks, listed in `NEWSEXTRACT_WEBHOOKS`: each message is posted to a URL, which accepts it with 2xx."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.newsroom.delivery.target import Away, Refused, Target, deliver_each
from newsextract.newsroom.delivery.target_urls import NotTaken, host_of, post_json, trouble_with

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from newsextract.storage.outbox.message_store import Letter

SIGNATURE = "X-Newsextract-Signature"
_LATER = frozenset({408, 425, 429})
"""The 4xx answers after which a message is retried."""
_LONGEST_WAIT_SECONDS = 300.0
"""The longest `Retry-After` that is obeyed."""

_REACH_SECONDS = 10.0
"""For a connection."""

_FIELDS = ("url", "kinds", "secret")


class Webhook(Target):
    """A URL, the kinds of messages it gets, and the secret that signs them."""

    most = 50

    def __init__(self, url: str, kinds: Collection[str], secret: str | None = None) -> None:
        self.url = url
        self.kinds = frozenset(kinds)
        self.secret = secret
        # The whole URL may be a secret, as with chat services: the hash tells two of one host apart.
        short = hashlib.blake2b(url.encode(), digest_size=4).hexdigest()
        self.name = f"webhook {(urlsplit(url).hostname or '')[:200]} {short}"

    def wants(self, kind: str) -> bool:
        """Tell whether the URL gets messages of this kind."""
        return kind in self.kinds

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Post messages one by one."""
        return deliver_each(letters, self._post)

    def reach(self) -> None:
        """Connect to the server, which is told nothing."""
        parts = urlsplit(self.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), _REACH_SECONDS).close()
        except OSError as error:
            raise Away(str(error)) from error

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
    """Return the value of the header `X-Newsextract-Signature`: the HMAC of the body.

    >>> signature("s", b"{}")[:20]
    'sha256=143ca8d517ba1'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _raise_for(error: NotTaken) -> None:
    if error.status is None or error.status >= http.client.INTERNAL_SERVER_ERROR or error.status in _LATER:
        raise Away(str(error), _wait_seconds(error.retry_after)) from error
    raise Refused(str(error)) from error


def _wait_seconds(retry_after: str) -> float | None:
    """Return the seconds in a `Retry-After`, or `None` if it is a date or empty.

    >>> _wait_seconds("120"), _wait_seconds("86400"), _wait_seconds("Fri, 31 Dec 1999 23:59:59 GMT")
    (120.0, 300.0, None)
    """
    return min(float(retry_after), _LONGEST_WAIT_SECONDS) if retry_after.strip().isdecimal() else None


def webhooks_of(value: Any) -> list[Webhook]:
    """Return the webhooks from a list of URLs and tables, from a single one, or from JSON of these.

    Raises:
        ValueError: an entry cannot work; the message quotes nothing of it, as all of it may be secret.
    """
    if not value:
        return []
    if isinstance(value, str):  # from a command line
        try:
            value = json.loads(value) if value.lstrip()[:1] in ("[", "{") else [value]
        except ValueError as error:
            raise ValueError(f"it is not JSON: {error}") from error
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"{type(value).__name__} is not a list of URLs and tables")
    hooks = {}
    for place, entry in enumerate(value, 1):
        hook = _webhook({"url": entry} if isinstance(entry, str) else entry, f"entry {place}")
        if hook.url in hooks:
            told = f"{host_of(hook.url)} is there twice with the same address; give it all its kinds in one table"
            raise ValueError(told)
        hooks[hook.url] = hook
    return list(hooks.values())


def _webhook(table: Any, place: str) -> Webhook:
    from newsextract.newsroom.delivery.envelope import KINDS  # noqa: PLC0415 - brings SQLAlchemy

    example = '{"url": "https://example.com/news", "kinds": ["match"], "secret": "…"}'
    if not isinstance(table, dict) or set(table) - set(_FIELDS):
        raise ValueError(f"{place}: it is neither a URL nor a table such as {example}")
    url: Any = table.get("url")
    kinds, secret = table.get("kinds", KINDS), table.get("secret")
    if trouble := trouble_with(url):
        raise ValueError(f"{place}: cannot use its URL: {trouble}; try https://example.com/news")
    if not isinstance(kinds, list | tuple) or not kinds or any(kind not in KINDS for kind in kinds):
        raise ValueError(f"{place}: its kinds must be a list of some of {', '.join(KINDS)}")
    if secret is not None and (not isinstance(secret, str) or not secret):
        raise ValueError(f"{place}: its secret is not text; leave it out to sign nothing")
    return Webhook(url, kinds, secret)
