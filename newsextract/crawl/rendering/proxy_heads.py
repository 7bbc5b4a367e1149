"""The heads of requests to a proxy, and of the answers that it passes on."""

from __future__ import annotations

from asyncio import IncompleteReadError, LimitOverrunError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from asyncio import StreamReader

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
