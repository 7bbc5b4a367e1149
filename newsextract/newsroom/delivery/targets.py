"""What messages are delivered to: webhooks and brokers."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import time
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from kombu import Producer

    from newsextract.storage.outbox import Letter


BATCH_SECONDS = 20.0
"""Time limit of a batch, so that its sender keeps its hold on the target: a third of `HOLD_SECONDS`."""


class Away(Exception):  # noqa: N818 - a state of the target
    """The target cannot be reached or is busy; retry the same message later."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds
        """How long the target asks to wait, for example by `Retry-After`; `None` if it does not say."""


class Refused(Exception):  # noqa: N818 - an answer of the target
    """The target has rejected the first of the messages it was given; retrying does not help."""


class Target:
    """A place that messages are sent to, in order, by one thread."""

    name: str
    """Its key in the database: at most 255 characters, without passwords."""
    most: int
    """The largest batch that it is given."""
    use: str | None = None
    """It gets no messages of articles of which this use is reserved, see `newsextract.reading.usage_rights`."""

    def wants(self, kind: str) -> bool:
        """Return whether it takes messages of this kind: all of articles, unless a target says otherwise."""
        return kind != "site"

    def due(self, letters: Sequence[Letter], now: datetime) -> Sequence[Letter]:  # noqa: ARG002 - for targets that wait
        """Return the first of some messages that it takes now; the others wait for their time."""
        return letters

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Deliver messages in order, and return how many the target has confirmed, at least one.

        Raises:
            Away: none could be delivered now.
            Refused: the target rejects the first message.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close connections and files, where any stay open."""


def deliver_each(letters: Sequence[Letter], deliver: Callable[[Letter], None]) -> int:
    """Deliver messages one by one until one fails or time is up, and return how many; raises the first one's error."""
    end = time.monotonic() + BATCH_SECONDS
    for done, letter in enumerate(letters):
        if done and time.monotonic() > end:
            return done
        try:
            deliver(letter)
        except (Away, Refused):
            if not done:
                raise
            return done
    return len(letters)


WEB = ("http", "https")

_SECONDS = 10.0
"""Timeout for a connection and for each part of an answer; the end of a crawl waits for it."""


def host_of(url: str) -> str:
    """Return the part of a URL that is not secret.

    >>> host_of("https://chat.example/hooks/0f3c?token=1")
    'https://chat.example'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}"


def url_error(url: Any, schemes: Collection[str] = WEB) -> str | None:
    """Return why a URL cannot be used, without quoting it, as it may contain a password; `None` if it can.

    >>> url_error("https://me:hush@chat.example/")
    'it names a user, which is not sent'
    """
    starts = tuple(f"{scheme}://" for scheme in schemes)
    if not isinstance(url, str) or not url.startswith(starts):
        return f"it does not begin with {' or '.join(starts)}"
    try:
        parts = urlsplit(url)
        is_plain = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
        # The path of a webhook may have an @; that of a broker is the rest of a password.
        others = parts.netloc.rpartition("@")[0] + ("" if schemes == WEB else parts.path + parts.query)
    except ValueError:
        is_plain, others = False, ""
    if not is_plain or "#" in url or "@" in others:
        return "its host and port cannot be read; in a password, write / # @ as %2F %23 %40"
    if schemes == WEB and (not url.isascii() or "@" in parts.netloc):
        return "it names a user, which is not sent" if url.isascii() else "it has characters that are not ASCII"
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
    if reason := url_error(url):
        raise NotTaken(f"not a usable webhook URL: {reason}")
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


SIGNATURE = "X-Newsextract-Signature"
_LATER = frozenset({408, 425, 429})
"""The 4xx answers after which a message is retried."""
_LONGEST_WAIT_SECONDS = 300.0
"""The longest `Retry-After` that is obeyed."""

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

    def _post(self, letter: Letter) -> None:
        body = letter.payload.encode()
        headers = {"X-Newsextract-Id": letter.id, "X-Newsextract-Kind": letter.kind}
        if self.secret:
            headers[SIGNATURE] = signature(self.secret, body)
        try:
            post_json(self.url, body, headers)
        except NotTaken as error:
            if error.status is None or error.status >= http.client.INTERNAL_SERVER_ERROR or error.status in _LATER:
                raise Away(str(error), _wait_seconds(error.retry_after)) from error
            raise Refused(str(error)) from error


def signature(secret: str, body: bytes) -> str:
    """Return the value of the header `X-Newsextract-Signature`: the HMAC of the body.

    >>> signature("s", b"{}")[:20]
    'sha256=143ca8d517ba1'
    """
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


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
    from newsextract.newsroom.delivery.messages import KINDS  # noqa: PLC0415 - brings SQLAlchemy

    example = '{"url": "https://example.com/news", "kinds": ["match"], "secret": "…"}'
    if not isinstance(table, dict) or set(table) - set(_FIELDS):
        raise ValueError(f"{place}: it is neither a URL nor a table such as {example}")
    url: Any = table.get("url")
    kinds, secret = table.get("kinds", KINDS), table.get("secret")
    if reason := url_error(url):
        raise ValueError(f"{place}: cannot use its URL: {reason}; try https://example.com/news")
    if not isinstance(kinds, list | tuple) or not kinds or any(kind not in KINDS for kind in kinds):
        raise ValueError(f"{place}: its kinds must be a list of some of {', '.join(KINDS)}")
    if secret is not None and (not isinstance(secret, str) or not secret):
        raise ValueError(f"{place}: its secret is not text; leave it out to sign nothing")
    return Webhook(url, kinds, secret)


# A message broker through kombu: Redis, RabbitMQ and others.
#
# Messages go to a durable topic exchange with their kind as routing key, and on to a durable queue that gets all
# of them. Consumers that want some bind their own queue, for instance to `match`.

QUEUE = "newsextract"
SCHEMES = ("redis", "rediss", "amqp", "amqps")

# RabbitMQ confirms each message, which for a durable queue means that it is on disk.
_AMQP: dict[str, Any] = {
    "confirm_publish": True,
    "read_timeout": _SECONDS,
    "write_timeout": _SECONDS,
}
_REDIS: dict[str, Any] = {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}


class Broker(Target):
    """One broker, by its URL; all messages go to one durable queue there.

    A batch has a connection of its own and declares the queue, as both may be gone since the last one.
    """

    most = 50

    def __init__(self, url: str, queue: str = QUEUE) -> None:
        self.url = url
        self.queue = queue
        self.name = f"broker {_shown(url)} {queue}"[:255]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Publish messages one by one, each confirmed."""
        from kombu import Connection, Exchange, Producer, Queue  # noqa: PLC0415 - an extra
        from kombu.exceptions import KombuError  # noqa: PLC0415 - likewise

        is_amqp = self.url.startswith("amqp")
        connection = Connection(self.url, connect_timeout=_SECONDS, transport_options=_AMQP if is_amqp else _REDIS)
        done, end = 0, time.monotonic() + BATCH_SECONDS
        try:
            # By itself kombu waits for two seconds before its second attempt; the sender makes pauses enough.
            connection.ensure_connection(max_retries=1, interval_start=0, interval_max=0)
            channel = connection.channel()
            if not is_amqp:
                channel.connection.state.clear()  # where kombu caches its declarations
            exchange = Exchange(self.queue, "topic", durable=True)
            Queue(self.queue, exchange, routing_key="#", durable=True)(channel).declare()
            producer = Producer(channel, exchange)
            while done < len(letters) and time.monotonic() < end:
                _publish(producer, letters[done])
                done += 1
            connection.release()
        except (*connection.connection_errors, *connection.channel_errors, KombuError, OSError) as error:
            connection.collect(_SECONDS)  # closing politely would wait for the broker that is away
            if not done:
                raise Away(f"{type(error).__name__}: {error}") from error
        return done


def _publish(producer: Producer, letter: Letter) -> None:
    producer.publish(
        letter.payload,
        routing_key=letter.kind,
        content_type="application/json",
        content_encoding="utf-8",
        delivery_mode="persistent",
        mandatory=True,  # else RabbitMQ would silently drop a message whose queue was deleted
        message_id=letter.id,
        retry=False,
        confirm_timeout=_SECONDS,
    )


def _shown(url: str) -> str:
    """Return a URL without user and password.

    >>> _shown("amqp://me:secret@broker.example:5672/news")
    'amqp://broker.example:5672/news'
    """
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
