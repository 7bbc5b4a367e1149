"""Fetches single pages and files: politely, within limits, and from public addresses alone."""

from __future__ import annotations

import math
import socket
import ssl
import time
import zlib
from base64 import b64encode
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from ipaddress import ip_address
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import proxy_bypass

from protego import Protego
from w3lib.encoding import http_content_type_encoding
from w3lib.url import safe_url_string

from newsextract.page.page import KEPT_HEADERS, MAX_BYTES, Hints, NotHtml, Page
from newsextract.sites.private_addresses import AddressPolicy
from newsextract.sites.robots import MAX_DOWNLOADED_BYTES, MAX_RULES_REDIRECTS, rules_of
from newsextract.sites.site import HAS_USER, has_user
from newsextract.terminal import why

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.article import Article


# One HTTP request at a time, to public addresses only.
#
# A name is resolved once, and the address that was judged is the one that is connected to: a name that points elsewhere
# a moment later gains nothing. What a proxy resolves cannot be judged: behind one only names and literal addresses are.

_CHUNK_BYTES = 64 * 1024
_HEADERS = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": "gzip, deflate"}
_ENCODINGS = {"": 0, "identity": 0, "gzip": 31, "x-gzip": 31, "deflate": 15}
"""The content encodings that are read, with zlib's number for each; 0 is none."""
_MAX_DETAIL_CHARS = 200
"""Of what is wrong with an answer, which may quote all of it."""
_CONNECT_SECONDS = 10.0
"""Time for one address of a host, of which there may be several."""


NOT_FOUND, NO_CONNECTION, PRIVATE, PROXY = (
    "host not found", "no connection", "private address", "no way through the proxy",
)  # fmt: skip
"""Reasons why nothing of a host can be fetched."""


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


@dataclass(frozen=True, slots=True)
class Line:
    """Sends requests, until its time is over."""

    policy: AddressPolicy
    user_agent: str
    seconds: float
    """How long the network may be silent."""
    end: float
    """When it is over, on the monotonic clock."""
    proxies: Mapping[str, str] = field(default_factory=dict)
    """The URL of the proxy for each scheme."""

    def get(self, url: str, max_bytes: int) -> Answer:
        """Return the answer to a GET, with its body if that is the page asked for.

        Raises:
            FetchError: the address is private, the host cannot be reached, or the answer is broken or too large.
        """
        try:
            parts = urlsplit(url)
            proxy = "" if proxy_bypass(parts.hostname or "") else self.proxies.get(parts.scheme, "")
            if proxy and "://" not in proxy:
                proxy = f"http://{proxy}"
            with closing(self._connection(parts.scheme, parts.hostname or "", parts.port, proxy)) as connection:
                path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
                own = {"Host": parts.netloc, "User-Agent": self.user_agent}
                if proxy and parts.scheme == "http":  # through a tunnel the proxy would not be who reads it
                    path, own = url, own | _authorization(proxy)
                bounded = partial(_Response, most=2 * max_bytes + _CHUNK_BYTES, end=self.end)
                connection.response_class = bounded  # type: ignore[assignment] # it is only called
                connection.request("GET", path, headers=_HEADERS | own)
                response = connection.getresponse()
                found = _headers(response)
                body = _body(response, found, max_bytes) if 200 <= response.status < 300 else b""
                return Answer(url, response.status, found, body)
        except FetchError:
            raise
        except TimeoutError as error:
            raise FetchError("timeout", f"{url} was not there within {self.seconds:g} seconds") from error
        except socket.gaierror as error:
            raise FetchError(NOT_FOUND, parts.netloc) from error
        except (OSError, HTTPException, zlib.error, ValueError) as error:
            wrong = why(error)[:_MAX_DETAIL_CHARS].strip() or type(error).__name__
            raise FetchError("not fetched", f"{url}: {wrong}") from error

    def _connection(self, scheme: str, host: str, port: int | None, proxy: str) -> HTTPConnection:
        if time.monotonic() > self.end:
            raise TimeoutError
        is_secure = scheme == "https"
        if proxy:
            if self.policy.refuses_host(host):
                raise FetchError(PRIVATE, host)
            via = urlsplit(proxy)
            kind = HTTPSConnection if is_secure else HTTPConnection
            tunnel = kind(via.hostname or "", via.port or 80, timeout=self.seconds)
            if is_secure:
                tunnel.set_tunnel(host, port or 443, _authorization(proxy))
            try:
                tunnel.connect()
            except ssl.SSLError:
                raise  # of the host behind it
            except OSError as error:
                named = f"{via.hostname}:{via.port or 80}, which {scheme}_proxy names"
                raise FetchError(PROXY, f"{named}: {why(error)}") from error
            return tunnel
        connection = HTTPConnection(host, port or (443 if is_secure else 80))
        connection.sock = _connected(connection.host, connection.port, self.policy, self.seconds)
        if is_secure:
            connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=host)
        return connection


def _authorization(proxy: str) -> dict[str, str]:
    """Return the header that lets us use a proxy, if its URL has a user."""
    parts = urlsplit(proxy)
    if not parts.username:
        return {}
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(user.encode()).decode()}"}


def _connected(host: str, port: int, policy: AddressPolicy, seconds: float) -> socket.socket:
    if policy.refuses_host(host):
        raise FetchError(PRIVATE, host)
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # One private address among public ones is an attack, and any of them may be tried first.
    if any(policy.refuses(ip_address(address[0]), host) for *_, address in found):
        raise FetchError(PRIVATE, host)
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
    if isinstance(failure, TimeoutError):
        raise failure
    raise FetchError(NO_CONNECTION, f"{host}:{port}: {why(failure)}") from failure


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
    body = bytearray()
    for piece in _unpacked(response, _ENCODINGS[encoding]):
        body += piece
        if len(body) > max_bytes:
            raise FetchError("too large", f"more than {max_bytes:,} bytes")
    return bytes(body)


class _Response(HTTPResponse):
    """Reads no more than a number of bytes, and none after an end: `100 Continue` may be said without end.

    Nor does http.client bound the end of a chunked body, and a chunk of -1 bytes.
    """

    def __init__(self, *given: Any, most: int, end: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fp = BufferedReader(_Metered(self.fp, most, end))


class _Metered(RawIOBase):
    """A stream that gives no more than a number of bytes, and none after its end on the monotonic clock."""

    def __init__(self, stream: BufferedReader, most: int, end: float) -> None:
        self._stream = stream
        self._left = most
        self._end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto1(buffer)
        self._left -= count
        if self._left < 0:
            raise FetchError("too large", "it does not end")
        if time.monotonic() > self._end:
            raise TimeoutError
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


# The robots.txt of hosts, by RFC 9309.


def _rules_at(line: Line, url: str) -> str:
    """Return the file, empty if it is missing."""
    try:
        answer = _followed(line, url)
    except FetchError as error:
        if error.reason == "too large":
            return ""
        if error.reason in (NOT_FOUND, NO_CONNECTION, PRIVATE, PROXY):
            raise  # which is true of the page, too
        raise FetchError("robots.txt is not known", str(error)) from error
    except ValueError as error:
        raise FetchError("robots.txt is not known", f"{url} has moved to no URL: {error}") from error
    if answer.status >= 500:
        raise FetchError("robots.txt is not known", f"{url} answered {answer.status}", answer.status)
    body = answer.body if 200 <= answer.status < 300 else b""
    return rules_of(body).decode("utf-8", "ignore")


def _followed(line: Line, url: str) -> Answer:
    answer = line.get(url, MAX_DOWNLOADED_BYTES)
    for _ in range(MAX_RULES_REDIRECTS):
        if not 300 <= answer.status < 400 or urlsplit(answer.target).scheme not in ("http", "https"):
            break
        answer = line.get(answer.target, MAX_DOWNLOADED_BYTES)
    return answer


# Fetch one page by its URL, politely, safely and in bounded time.

USER_AGENT = "newsextract (+https://pypi.org/project/newsextract/)"
"""Names the software; whoever fetches often should name themselves."""
SECONDS = 30.0
"""Time for all: robots.txt, redirects and the page."""
MAX_SECONDS = 86_400.0
"""Longer times overflow what sockets take."""
MAX_REDIRECTS = 10

_NEVER_TEXT = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/octet-stream")


@dataclass(frozen=True, slots=True)
class PageFetcher:
    """Fetches pages, one after another; safe in threads, and where an event loop runs."""

    policy: AddressPolicy = field(default_factory=AddressPolicy)
    """The private addresses that may be fetched; by default none."""
    user_agent: str = USER_AGENT
    seconds: float = SECONDS
    """Time for one page with its redirects and their robots.txt."""
    max_bytes: int = MAX_BYTES
    """Most bytes of a page, decompressed."""
    robots: dict[str, Protego] = field(default_factory=dict, repr=False, compare=False)
    """The robots.txt of each host that was met."""
    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The URL of the proxy for each scheme, as `urllib.request.getproxies` has them."""

    def fetch(self, url: str) -> Page:
        """Return the page at a URL, after redirects.

        Raises:
            FetchError: it may not or cannot be fetched, or not in time.
            PageError: what was fetched is no HTML page.
        """
        return self._page(self.answer(url))

    def answer(self, url: str) -> Answer:
        """Return what is at a URL, of whatever kind, after redirects; raises `FetchError`."""
        line = Line(self.policy, self.user_agent, self.seconds, time.monotonic() + self.seconds, self.proxies)
        results: Queue[Answer | Exception] = Queue()

        def run() -> None:
            try:
                results.put(self._answer(line, _address(url)))
            except Exception as error:  # noqa: BLE001 - raised again below, in the caller's thread
                results.put(error)

        # In a thread of its own, as nothing else bounds the lookup of a name, or an answer of a byte a second.
        Thread(target=run, name="newsextract-fetch", daemon=True).start()
        try:
            found = results.get(timeout=self.seconds)
        except Empty:
            raise FetchError("timeout", f"{url} was not there within {self.seconds:g} seconds") from None
        if isinstance(found, Exception):
            raise found
        return found

    def rules(self, url: str) -> Protego | None:
        """Return the robots.txt of a URL's host; `None` if none was read."""
        return self.robots.get(_host_of(url))

    def delay(self, url: str) -> float:
        """Return the seconds that the robots.txt of a URL's host wants between two requests, 0 if none was read."""
        rules = self.rules(url)
        asked = (rules.crawl_delay(self.user_agent) or 0.0) if rules else 0.0
        return asked if math.isfinite(asked) else 0.0  # "inf" is parsed as a number

    def _answer(self, line: Line, url: str) -> Answer:
        for _ in range(MAX_REDIRECTS + 1):
            host = _host_of(url)
            if host not in self.robots:
                self.robots[host] = Protego.parse(_rules_at(line, f"{host}/robots.txt"))
            if not self.robots[host].can_fetch(url, self.user_agent):
                raise FetchError("forbidden by robots.txt", url)
            answer = line.get(url, self.max_bytes)
            if 200 <= answer.status < 300:
                return answer
            if not 300 <= answer.status < 400:
                raise FetchError(f"the site answered {answer.status}", answer.url, answer.status)
            if not answer.target:
                raise FetchError(f"the site answered {answer.status}", "without saying where to", answer.status)
            url = _address(answer.target)
        raise FetchError("too many redirects", f"more than {MAX_REDIRECTS}")

    def _page(self, answer: Answer) -> Page:
        content_type = answer.headers.get("content-type", "")
        if content_type.strip().lower().startswith(_NEVER_TEXT):
            raise NotHtml("not HTML", content_type[:80])
        hints = Hints(headers={name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers})
        charset = http_content_type_encoding(content_type)
        return Page(answer.body, answer.url, charset=charset, max_bytes=self.max_bytes, hints=hints)


def _host_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _address(url: str) -> str:
    """Return a URL as it is requested; raises `FetchError` if it is not one of the web."""
    try:
        url = url.strip()
        if has_user(url):
            raise FetchError("not a URL", HAS_USER)
        safe = safe_url_string(url).partition("#")[0]
        parts = urlsplit(safe)
        is_web = parts.scheme in ("http", "https") and len((parts.hostname or "").split()) == 1 and parts.port != 0
    except ValueError as error:
        raise FetchError("not a URL", f"{url[:200]}: {error}") from error
    if not is_web:
        raise FetchError("not a URL", f"{url[:200]!r}; one begins with https:// or http:// and a host")
    return safe


# Fetch a page and read its article in one call.


def fetch_article(
    url: str,
    *,
    user_agent: str = USER_AGENT,
    timeout: float = SECONDS,
    private_addresses: bool | Sequence[str] = False,
    **options: Any,
) -> Article:
    """Return the article at a URL; `options` are those of `read_article`.

    The robots.txt of each host on the way is obeyed. Private addresses are refused, also behind a name or a redirect,
    except the hosts and networks in `private_addresses`, as `["10.1.0.0/16", "intranet.example"]`; True allows all.
    All of it takes at most `timeout` seconds, and a page at most 20 MB. For many pages of a site, use the crawl.

    Raises:
        FetchError: the page may not or cannot be fetched; `reason` says why in few words, `status` is HTTP's.
        PageError: what was fetched is no HTML page.
        UnknownExtractor, BadExtractorOption: as `extract` does.
    """
    if not isinstance(url, str):
        raise TypeError(f"url is the address of a page as text, not {url!r}")
    if not 0 < timeout <= MAX_SECONDS:
        raise ValueError(f"timeout is a number of seconds above 0, and at most a day, not {timeout!r}")
    policy = AddressPolicy.parse(private_addresses)
    from newsextract.reading.reader import read_article  # noqa: PLC0415 - a crawl, which reads in its workers, loads this

    return read_article(PageFetcher(policy, user_agent, timeout).fetch(url), **options)
