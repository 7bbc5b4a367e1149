"""The only way by which the browser reaches the network: a proxy on loopback that connects to public addresses alone.

A page's scripts may ask for anything: by fetch, frames, redirects, WebSockets. Whatever the browser asks for arrives
here as a host and a port. The host is resolved once, all its addresses are judged, and one of them is connected to: a
name that points elsewhere a moment later gains nothing. The browser resolves no names itself.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import socket
from asyncio import IncompleteReadError, LimitOverrunError
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Self, TypeAlias
from urllib.parse import urlsplit

from newsextract.sites.private_addresses import fold_host

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Awaitable, Callable, Iterator

    from newsextract.sites.private_addresses import AddressPolicy

    Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]


_HOP = frozenset((b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te", b"upgrade"))
"""Headers that are about one connection, of which a proxy has two."""

_END = b"\r\n\r\n"


class BadHead(ValueError):  # noqa: N818 - what the browser sent, not a failure of ours
    """What arrived is not the head of an HTTP message."""


async def read_head(reader: StreamReader) -> bytes:
    """Return the head of a message, 64 KiB at most; raises `BadHead`."""
    try:
        return await reader.readuntil(_END)
    except (IncompleteReadError, LimitOverrunError) as error:
        raise BadHead(str(error)) from error


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """What a request to a proxy asks for."""

    host: str
    port: int
    is_tunnel: bool
    """Whether the bytes that follow are not for the proxy to read: `CONNECT`."""
    authorization: str
    forwarded: bytes
    """The head as the host gets it; empty for a tunnel."""

    @classmethod
    def parse(cls, head: bytes) -> Self:
        r"""Read a head; raises `BadHead`.

        >>> ProxyRequest.parse(b"CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n").host
        '2001:db8::1'
        >>> ProxyRequest.parse(b"GET http://a.example/b?c HTTP/1.1\r\nProxy-Connection: x\r\n\r\n").forwarded
        b'GET /b?c HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n'
        """
        first, *lines = head.removesuffix(_END).split(b"\r\n")
        try:
            method, target, version = first.decode("ascii").split(" ")
            is_tunnel = method == "CONNECT"
            parts = urlsplit(f"//{target}" if is_tunnel else target)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise BadHead(repr(first[:80])) from error
        if not host or (not is_tunnel and parts.scheme != "http") or not version.startswith("HTTP/1."):
            raise BadHead(repr(first[:80]))
        known = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        kept = [line for line in lines if _name(line) not in _HOP | {b"host"}]
        own = [f"{method} {path} HTTP/1.1".encode(), f"Host: {parts.netloc.rpartition('@')[2]}".encode()]
        return cls(
            host,
            port or (443 if is_tunnel else 80),
            is_tunnel,
            known.get(b"proxy-authorization", b"").decode("latin-1"),
            b"" if is_tunnel else b"\r\n".join([*own, *kept, b"Connection: close"]) + _END,
        )


def answer_head(head: bytes) -> bytes:
    r"""Return the head of an answer as the browser gets it: it ends the connection.

    >>> answer_head(b"HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\nAge: 1\r\n\r\n")
    b'HTTP/1.1 200 OK\r\nAge: 1\r\nConnection: close\r\n\r\n'
    """
    first, *lines = head.removesuffix(_END).split(b"\r\n")
    if not first.startswith(b"HTTP/"):
        raise BadHead(repr(first[:80]))
    if is_interim(head):
        return head
    kept = [line for line in lines if _name(line) not in _HOP]
    return b"\r\n".join([first, *kept, b"Connection: close"]) + _END


def is_interim(head: bytes) -> bool:
    """Return whether this is an answer before the real one.

    >>> is_interim(b"HTTP/1.1 103 Early Hints"), is_interim(b"HTTP/1.1 200 OK")
    (True, False)
    """
    return head[8:10] == b" 1"


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()


CONNECT_SECONDS = 10.0
"""Time for one address of a host, of which there may be several."""

MAX_ADDRESSES = 4
"""Addresses of a host that are tried."""

IDLE_SECONDS = 60.0
"""A connection that is silent for longer is closed."""

MAX_CONNECTIONS = 64
"""Of one page at a time, twice as many as a browser opens for all but WebSockets; more are refused."""

MAX_BYTES = 64 * 1024 * 1024
"""What one connection may bring: HTTP/2 sends all of a host's files over one."""

MAX_HEADS = 10
"""Heads of one answer, of which all but the last are interim ones, such as `103 Early Hints`."""

REFUSAL = "X-Proxy-Refusal"
"""The header that tells the proxy's answer from one of the host's; a host that sends it refuses itself."""

REFUSALS = {
    "not a request to a proxy": 400,
    "private address": 403,
    "a password is needed": 407,
    "the host is not known": 502,
    "the host cannot be reached": 502,
    "too many connections": 503,
}
"""All reasons that are told, each with the status of the answer."""

_CHUNK_BYTES = 64 * 1024


class Refused(Exception):  # noqa: N818 - an answer to the browser, not a failure
    """The proxy does not connect to a host, for one of `REFUSALS`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.status = REFUSALS[reason]


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host; raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(eq=False)
class GuardedProxy:
    """An HTTP proxy with CONNECT. Clients need a password, which is new for each page."""

    policy: AddressPolicy
    resolve: Resolve = resolve
    refused: Counter[str] = field(default_factory=Counter)
    """How often each host was refused because it is private."""
    _server: asyncio.Server | None = None
    _connections: set[asyncio.Task[None]] = field(default_factory=set)
    _pages: dict[str, set[asyncio.Task[None]]] = field(default_factory=dict, repr=False)
    """The connections of each page, by what its requests say for authorization."""

    USER = "newsextract"

    async def open(self) -> str:
        """Listen on a free port of loopback, and return the proxy's URL."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Close all connections, and listen no more."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @contextmanager
    def page(self) -> Iterator[str]:
        """Give the password for one page, and close the page's connections in the end."""
        password = secrets.token_urlsafe(24)
        authorization = f"Basic {base64.b64encode(f'{self.USER}:{password}'.encode()).decode()}"
        self._pages[authorization] = set()
        try:
            yield password
        finally:
            for task in self._pages.pop(authorization):
                task.cancel()

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a server calls it in a task
        self._connections.add(task)
        try:
            await self._serve(reader, writer, task)
        except Refused as refusal:
            await _tell(writer, refusal)
        except BadHead:
            await _tell(writer, Refused("not a request to a proxy"))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # one of the two has hung up, and the browser sees that; or the page is closed
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter, task: asyncio.Task[None]) -> None:
        request = ProxyRequest.parse(await asyncio.wait_for(read_head(reader), IDLE_SECONDS))
        connections = self._pages.get(request.authorization)
        if connections is None:
            raise Refused("a password is needed")
        if len(connections) >= MAX_CONNECTIONS:
            raise Refused("too many connections")
        connections.add(task)
        task.add_done_callback(connections.discard)
        there, back = await self._connected(request.host, request.port)
        try:
            if request.is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                back.write(request.forwarded)
            sending = asyncio.ensure_future(_copy(reader, back))
            try:
                if not request.is_tunnel:
                    await _pass_head(there, writer)
                await _copy(there, writer)
            finally:
                sending.cancel()
                with suppress(asyncio.CancelledError, OSError, TimeoutError):
                    await sending
        finally:
            back.close()

    async def _connected(self, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
        """Return a connection to a host; raises `Refused`."""
        for address in (await self._judged(host, port))[:MAX_ADDRESSES]:
            with suppress(OSError, TimeoutError):
                return await asyncio.wait_for(asyncio.open_connection(address, port), CONNECT_SECONDS)
        raise Refused("the host cannot be reached")

    async def _judged(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, if all of them are allowed: one private among public ones is an attack."""
        is_refused = self.policy.refuses_host(host)
        try:
            addresses = [] if is_refused else await asyncio.wait_for(self.resolve(host, port), CONNECT_SECONDS)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise Refused("the host is not known") from error
        if is_refused or any(self.policy.refuses(ip_address(each.partition("%")[0]), host) for each in addresses):
            self.refused[fold_host(host)] += 1
            raise Refused("private address")
        return addresses


async def _pass_head(there: StreamReader, writer: StreamWriter) -> None:
    """Pass the head of an answer on, and say that the connection ends with it: the next may go to another host."""
    for _ in range(MAX_HEADS):
        head = await asyncio.wait_for(read_head(there), IDLE_SECONDS)
        writer.write(answer_head(head))
        if not is_interim(head):
            return
    raise BadHead("interim answers without end")


async def _copy(source: StreamReader, target: StreamWriter) -> None:
    left = MAX_BYTES
    while left > 0 and (chunk := await asyncio.wait_for(source.read(_CHUNK_BYTES), IDLE_SECONDS)):
        left -= len(chunk)
        target.write(chunk)
        await target.drain()


async def _tell(writer: StreamWriter, refusal: Refused) -> None:
    told = f"{REFUSAL}: {refusal}\r\n" if refusal.status != 407 else ""
    ask = "Proxy-Authenticate: Basic realm=newsextract\r\n" if refusal.status == 407 else ""
    body = f"{refusal}\n"
    head = f"HTTP/1.1 {refusal.status} Refused\r\n{ask}{told}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with suppress(OSError):
        writer.write((head + body).encode())
        await writer.drain()
