"""A message broker through kombu: Redis, RabbitMQ and others.

Messages go to a durable topic exchange with their kind as routing key, and on to a durable queue that gets all
of them. Consumers that want some bind their own queue, for instance to `match`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.newsroom.delivery.target import Away, Target, deliver_each

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kombu import Connection, Exchange, Producer

    from newsextract.storage.outbox.message_store import Letter

DEFAULT_QUEUE = "newsextract"
SCHEMES = ("redis", "rediss", "amqp", "amqps")

_SECONDS = 10.0
"""Timeout for a connection, and for the broker to confirm a message."""
# RabbitMQ confirms each message, which for a durable queue means that it is on disk.
_AMQP: dict[str, Any] = {"confirm_publish": True, "read_timeout": _SECONDS, "write_timeout": _SECONDS}
_REDIS: dict[str, Any] = {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS}


class Broker(Target):
    """One broker, by its URL, and the queue there."""

    most = 50

    def __init__(self, url: str, queue: str = DEFAULT_QUEUE) -> None:
        self.url = url
        self.queue = queue
        self.name = f"broker {_shown(url)} {queue}"[:255]
        self._connection: Connection | None = None
        self._producer: Producer | None = None

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Publish messages one by one, each confirmed."""
        if self._producer is not None:
            self._guarded(self._declare_again)
        done = deliver_each(letters, lambda letter: self._guarded(lambda: self._publish(letter)))
        if not self._has_confirms:
            self._guarded(self._check_binding)
        return done

    def reach(self) -> None:
        """Connect, and declare the queue."""
        self._guarded(self._declare_again if self._producer is not None else self._open)

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.release()

    @property
    def _has_confirms(self) -> bool:
        return self.url.startswith("amqp")

    def _guarded(self, act: Callable[[], None]) -> None:
        """Run an action on the broker; after any error, the next attempt opens a new connection."""
        from kombu.exceptions import KombuError  # noqa: PLC0415 - an extra

        connection = self._connected()
        try:
            act()
        except (*connection.connection_errors, *connection.channel_errors, KombuError, OSError) as error:
            self._hang_up()
            raise Away(f"{type(error).__name__}: {error}") from error

    def _publish(self, letter: Letter) -> None:
        if self._producer is None:
            self._open()
        producer = self._producer
        assert producer is not None  # noqa: S101 - it was opened
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

    def _connected(self) -> Connection:
        if self._connection is None:
            from kombu import Connection  # noqa: PLC0415 - an extra

            options = _AMQP if self._has_confirms else _REDIS
            self._connection = Connection(self.url, connect_timeout=_SECONDS, transport_options=options)
        return self._connection

    def _open(self) -> None:
        from kombu import Producer  # noqa: PLC0415 - an extra

        connection = self._connected()
        # By itself kombu waits for two seconds before its second attempt; the sender makes pauses enough.
        connection.ensure_connection(max_retries=1, interval_start=0, interval_max=0)
        channel = connection.channel()
        self._producer = Producer(channel, self._declared(channel))

    def _declared(self, channel: Any) -> Exchange:
        """Declare exchange and queue, which the broker may have lost, and return the exchange."""
        from kombu import Exchange, Queue  # noqa: PLC0415 - an extra

        exchange = Exchange(self.queue, "topic", durable=True)
        Queue(self.queue, exchange, routing_key="#", durable=True)(channel).declare()
        return exchange

    def _declare_again(self) -> None:
        """Declare the queue again: it may have been deleted, and Redis without persistence loses it."""
        assert self._producer is not None  # noqa: S101 - the caller has checked
        channel = self._producer.channel
        if not self._has_confirms:
            channel.connection.state.clear()  # where kombu caches its declarations
        self._declared(channel)

    def _check_binding(self) -> None:
        """Raise `Away` if Redis has lost the binding to the queue: kombu silently drops messages without one."""
        if self._producer is not None:
            bindings = self._producer.channel.get_table(self.queue)
            if self.queue not in {binding[-1] for binding in bindings}:
                raise Away(f"the queue {self.queue} was deleted meanwhile")

    def _hang_up(self) -> None:
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.collect(_SECONDS)  # closing politely would wait for the broker that is away


def _shown(url: str) -> str:
    """Return a URL without user and password.

    >>> _shown("amqp://me:secret@broker.example:5672/news")
    'amqp://broker.example:5672/news'
    """
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
