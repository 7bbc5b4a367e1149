"""One HTTP request at a time, to public addresses only.

A name is resolved once, and the address that was judged is the one that is connected to: a name that points elsewhere
a moment later gains nothing. Proxies of the environment are not used, as what they resolve cannot be judged.
"""

from __future__ import annotations

import socket
import ssl
import zlib
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from newsextract.sites.addresses.private_addresses import AddressPolicy

_CHUNK_BYTES = 64 * 1024
_HEADERS = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": "gzip, deflate"}
_ENCODINGS = {"": 0, "identity": 0, "gzip": 31, "x-gzip": 31, "deflate": 15}
"""The content encodings that are read, with zlib's number for each; 0 is none."""
_MAX_DETAIL_CHARS = 200
"""Of what is wrong with an answer, which may quote all of it."""
_CONNECT_SECONDS = 10.0
"""Time for one address of a host, of which there may be several."""


class FetchError(OSError):
    """A page could not be fetched; `reason` is a short phrase, the same for every page of its kind."""

    def __init__(self, reason: str, detail: str = "", status: int | None = None) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
        self.status = status
        """The HTTP status, if the server answered with an error."""

    def __reduce__(self) -> tuple[type[FetchError], tuple[str, str, int | None]]:
        return type(self), (self.reason, self.detail, self.status)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request."""

    url: str
    status: int
    headers: Mapping[str, str]
    """By lower-cased name; repeated ones joined by a comma."""
    body: bytes = field(repr=False)
    """Decompressed; that of a redirect or an error is not read."""

    @property
    def target(self) -> str:
        """The absolute URL to which a redirect leads; empty if it does not say so.

        Raises:
            FetchError: it leads to no URL.
        """
        written = self.headers.get("location", "")
        with suppress(UnicodeError):  # http.client takes all headers for Latin-1, and browsers this one for UTF-8
            written = written.encode("latin-1").decode("utf-8")
        try:
            return written and safe_url_string(urljoin(self.url, written))
        except ValueError as error:
            raise FetchError("not a URL", f"{written[:_MAX_DETAIL_CHARS]!r}: {error}") from error


@dataclass(eq=False)
class Line:
    """Sends requests and can be cut from another thread, whatever it waits for."""

    policy: AddressPolicy
    user_agent: str
    seconds: float
    """How long the network may be silent."""
    is_cut: bool = False
    _socket: socket.socket | None = None
    """The newest; a connection forgets it where the answer is to end it."""

    def get(self, url: str, max_bytes: int) -> Answer:
        """Return the answer to a GET, with its body if that is the page asked for.

        Raises:
            FetchError: the address is private, the host cannot be reached, or the answer is broken or too large.
        """
        try:
            parts = urlsplit(url)
            with closing(self._connection(parts.scheme, parts.hostname or "", parts.port)) as connection:
                path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
                connection.request("GET", path, headers=_HEADERS | {"User-Agent": self.user_agent})
                response = connection.getresponse()
                found = _headers(response)
                body = _body(response, found, max_bytes) if 200 <= response.status < 300 else b""
                return Answer(url, response.status, found, body)
        except FetchError:
            raise
        except TimeoutError as error:
            raise FetchError("timeout", f"{url} was silent for {self.seconds:g} seconds") from error
        except (OSError, HTTPException, zlib.error, ValueError) as error:
            wrong = str(error)[:_MAX_DETAIL_CHARS].strip() or type(error).__name__
            is_unknown = isinstance(error, socket.gaierror)
            raise FetchError("host not found" if is_unknown else "not fetched", f"{url}: {wrong}") from error

    def cut(self) -> None:
        """End the request under way, and refuse others."""
        self.is_cut = True
        if self._socket is not None:
            with suppress(OSError):  # it has ended by itself
                self._socket.shutdown(socket.SHUT_RDWR)

    def _connection(self, scheme: str, host: str, port: int | None) -> HTTPConnection:
        if self.is_cut:
            raise FetchError("timeout")
        connection: _Plain | _Secure
        if scheme == "https":
            connection = _Secure(host, port or 443, timeout=self.seconds, context=self._tls)
        else:
            connection = _Plain(host, port or 80, timeout=self.seconds)
        connection.line = self
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def wrap(self, plain: socket.socket, host: str) -> ssl.SSLSocket:
        """Return an encrypted socket whose handshake is still to come, so that `cut` can end that too."""
        self._socket = wrapped = self._tls.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
        return wrapped

    def connected(self, host: str, port: int) -> socket.socket:
        """Return a socket to a host; raises `FetchError` if any of its addresses is private."""
        self._socket = connected = _connected(host, port, self.policy, self.seconds)
        if self.is_cut:
            connected.close()
            raise FetchError("timeout")
        return connected


class _Plain(HTTPConnection):
    line: Line

    def connect(self) -> None:
        self.sock = self.line.connected(self.host, self.port)


class _Secure(HTTPSConnection):
    line: Line

    def connect(self) -> None:
        self.sock = self.line.connected(self.host, self.port)
        self.sock = wrapped = self.line.wrap(self.sock, self.host)
        wrapped.do_handshake()


def _connected(host: str, port: int, policy: AddressPolicy, seconds: float) -> socket.socket:
    if policy.refuses_host(host):
        raise FetchError("private address", host)
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # One private address among public ones is an attack, and any of them may be tried first.
    if any(policy.refuses(ip_address(address[0]), host) for *_, address in found):
        raise FetchError("private address", host)
    failure: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in found:
        opened = socket.socket(family, kind, protocol)
        try:
            opened.settimeout(min(seconds, _CONNECT_SECONDS))
            opened.connect(address)
            opened.settimeout(seconds)
        except OSError as error:
            opened.close()
            failure = error
        else:
            return opened
    raise failure


def _headers(response: HTTPResponse) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in response.getheaders():
        known = found.get(name.lower())
        found[name.lower()] = value if known is None else f"{known}, {value}"
    return found


def _body(response: HTTPResponse, headers: Mapping[str, str], max_bytes: int) -> bytes:
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise FetchError("not fetched", f"the body is compressed by {encoding[:40]!r}, which nobody asked for")
    if response.fp is not None:  # else it has ended
        # http.client reads the end of a chunked body without any bound, and so a chunk of -1 bytes.
        response.fp = BufferedReader(_Metered(response.fp, 2 * max_bytes + _CHUNK_BYTES))
    body = bytearray()
    for piece in _unpacked(response, _ENCODINGS[encoding]):
        body += piece
        if len(body) > max_bytes:
            raise FetchError("too large", f"more than {max_bytes:,} bytes")
    return bytes(body)


class _Metered(RawIOBase):
    """A stream that gives no more than a number of bytes."""

    def __init__(self, stream: BufferedReader, most: int) -> None:
        self._stream = stream
        self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto1(buffer)
        self._left -= count
        if self._left < 0:
            raise FetchError("too large", "it does not end")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def _unpacked(response: HTTPResponse, bits: int) -> Iterator[bytes]:
    """Yield the body in pieces, none larger than a chunk: a small answer may unpack to gigabytes."""
    unpack = zlib.decompressobj(bits) if bits else None
    is_begun = False
    while chunk := response.read(_CHUNK_BYTES):
        is_begun = True
        while chunk:
            piece = chunk if unpack is None else unpack.decompress(chunk, _CHUNK_BYTES)
            chunk = b"" if unpack is None else unpack.unconsumed_tail
            yield piece
        if unpack is not None and unpack.eof:
            return  # as browsers do: what follows is thrown away
    # http.client does not mind a body that is shorter than announced. One of no bytes has nothing to unpack.
    if response.length or (unpack is not None and is_begun and not unpack.eof):
        raise FetchError("not fetched", "the body breaks off")
