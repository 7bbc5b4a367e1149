"""Brokers for tests, those named in the environment and a Redis that tests may kill, and a server of a webhook."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message
    from pathlib import Path

REDIS = os.environ.get("NEWSEXTRACT_TEST_REDIS", "redis://127.0.0.1:6379/15")
RABBITMQ = os.environ.get("NEWSEXTRACT_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//")

BROKERS = {"redis": REDIS, "rabbitmq": RABBITMQ}


def require(url: str) -> str:
    """Return the URL of a broker, or skip the test if it does not respond."""
    kombu = pytest.importorskip("kombu", reason="kombu is not installed: pip install 'newsextract[broker]'")
    try:
        with kombu.Connection(url, connect_timeout=3) as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except Exception as error:  # noqa: BLE001 - each broker has errors of its own
        pytest.skip(f"no broker to test with at {url.rpartition('@')[2]}: {type(error).__name__}: {error}")
    return url


def moved(url: str, port: int) -> str:
    """Return a URL with another port on loopback."""
    parts = urlsplit(url)
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return parts._replace(netloc=f"{user}127.0.0.1:{port}").geturl()


def received(url: str, exchange: str, queue: str = "", least: int = 1) -> Iterator[dict[str, Any]]:
    """Yield at least so many messages of the queue named like its exchange, and all that follow."""
    import kombu

    taken: list[dict[str, Any]] = []

    def take(body: dict[str, Any], message: Any) -> None:
        taken.append(body)
        message.ack()

    wanted = kombu.Queue(queue or exchange, no_declare=True)
    with kombu.Connection(url) as connection, connection.Consumer(wanted, callbacks=[take]), suppress(TimeoutError):
        while True:
            connection.drain_events(timeout=60.0 if len(taken) < least else 0.5)
    yield from taken


def remove(url: str, *queues: str) -> None:
    """Delete queues, and the exchanges of the same names."""
    import kombu

    with kombu.Connection(url) as connection:
        for queue in queues:
            channel = connection.channel()
            if url.startswith("redis"):
                channel.client.delete(queue, f"_kombu.binding.{queue}", f"_kombu.binding_permanent.{queue}")
            else:
                channel.queue_delete(queue)
                channel.exchange_delete(queue)


class OwnRedis:
    """A Redis that writes each command to the disk, and may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("redis-server") is None:
            pytest.skip("redis-server is not installed")
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        options = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(self.folder), "save": ""}
        options |= {"appendonly": "yes", "appendfsync": "always"}
        command = ["redis-server", *(part for name, value in options.items() for part in (f"--{name}", value))]
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 100
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        pytest.fail("redis-server did not start")

    def kill(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.wait(100)
            self._server = None


class Hook(ThreadingHTTPServer):
    """Gives the prescribed answers, then 204; records what it accepted."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.asked: list[bytes] = []
        self.taken: list[bytes] = []
        self.headers: list[Message] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?token=secret"


class _Handler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append(body)
        status = self.server.answers.pop(0) if self.server.answers else 204
        if status < 300:
            self.server.taken.append(body)
            self.server.headers.append(self.headers)
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "7")
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep quiet."""
