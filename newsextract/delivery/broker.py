"""A message broker through kombu: Redis, RabbitMQ, and what else it speaks.

Messages go to a durable topic exchange, by their kind, and from there to a durable queue of the same name that gets all
of them. Whoever wants a part binds a queue of their own, for instance to `match`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.delivery.target import Away, deliver_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kombu import Connection, Producer

    from newsextract.storage.outbox import Letter

DEFAULT_QUEUE = "newsextract"
SCHEMES = ("redis", "rediss", "amqp", "amqps")

_SECONDS = 10.0
"""For a connection, and for the broker to confirm a message."""
_OPTIONS: dict[str, dict[str, Any]] = {
    # RabbitMQ says of each message that it has it, which for a durable queue means: on disk.
    "amqp": {"confirm_publish": True, "read_timeout": _SECONDS, "write_timeout": _SECONDS},
    "redis": {"socket_timeout": _SECONDS, "socket_connect_timeout": _SECONDS},
}


class Broker:
    """One broker, by its URL, and the queue there."""

    most = 50

    def __init__(self, url: str, queue: str = DEFAULT_QUEUE) -> None:
        self.url = url
        self.queue = queue
        self.name = f"broker {_shown(url)} {queue}"[:255]
        self._connection: Connection | None = None
        self._producer: Producer | None = None

    def wants(self, _kind: str) -> bool:
        """Tell that it gets messages of each kind."""
        return True

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Publish messages one by one, each confirmed."""
        return deliver_each(letters, self._publish)

    def close(self) -> None:
        """Hang up."""
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.release()

    def _publish(self, letter: Letter) -> None:
        from kombu.exceptions import KombuError  # noqa: PLC0415 - an extra

        connection = self._connected()
        try:
            producer = self._producer or self._opened(connection)
            producer.publish(
                letter.payload,
                routing_key=letter.kind,
                content_type="application/json",
                content_encoding="utf-8",
                delivery_mode="persistent",
                mandatory=True,  # a queue that someone has deleted is an error, where RabbitMQ would drop the message
                message_id=letter.id,
                retry=False,
                confirm_timeout=_SECONDS,
            )
        except (*connection.connection_errors, *connection.channel_errors, KombuError, OSError) as error:
            self._hang_up()
            raise Away(f"{type(error).__name__}: {error}") from error

    def _connected(self) -> Connection:
        if self._connection is None:
            from kombu import Connection  # noqa: PLC0415 - an extra

            options = _OPTIONS["amqp" if self.url.startswith("amqp") else "redis"]
            self._connection = Connection(self.url, connect_timeout=_SECONDS, transport_options=options)
        return self._connection

    def _opened(self, connection: Connection) -> Producer:
        """Declare exchange and queue, which a broker may have lost since, and return what publishes to them."""
        from kombu import Exchange, Producer, Queue  # noqa: PLC0415 - an extra

        exchange = Exchange(self.queue, "topic", durable=True)
        channel = connection.channel()
        Queue(self.queue, exchange, routing_key="#", durable=True)(channel).declare()
        self._producer = Producer(channel, exchange)
        return self._producer

    def _hang_up(self) -> None:
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.collect(_SECONDS)  # a farewell would wait for the one who is away


def _shown(url: str) -> str:
    """Return a URL without user and password.

    >>> _shown("amqp://me:secret@broker.example:5672/news")
    'amqp://broker.example:5672/news'
    """
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
