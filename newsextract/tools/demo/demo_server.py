"""The demo sites on loopback: one small server each, on a port of its own."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from datetime import UTC
from email.utils import format_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

from newsextract.tools.demo.pages import respond, routes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.tools.demo.newsroom import DemoNewsroom, DemoSite

HOST = "127.0.0.1"

STOP_SECONDS = 0.02
"""Seconds between checks for a stop request: tests start and stop many servers."""


class SiteServer(ThreadingHTTPServer):
    """Serves one site."""

    request_queue_size = 128

    def __init__(self, site: DemoSite, port: int = 0) -> None:
        """Bind a port of the loopback interface, or any free one."""
        super().__init__((HOST, port), SiteHandler)
        self.show(site)

    def show(self, site: DemoSite) -> None:
        """Serve this site from now on, such as the same one on another day."""
        self.site, self.routes = site, routes(site)

    @property
    def authority(self) -> str:
        """`host:port`."""
        return f"{HOST}:{self.server_port}"

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://{self.authority}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error, unless the client has merely disconnected."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class SiteHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    server: SiteServer
    protocol_version = "HTTP/1.1"
    # A response is sent in one piece: on a kept-alive connection two small packets can cost 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Send the headers and the body."""
        self._send(has_body=True)

    def do_HEAD(self) -> None:
        """Send the headers of the same response."""
        self._send(has_body=False)

    def log_message(self, *_: object) -> None:
        """Do nothing: the site keeps its own log."""

    def _send(self, *, has_body: bool) -> None:
        site = self.server.site
        site.log.append(self.path)
        base = f"http://{self.headers.get('Host') or self.server.authority}"
        resource = respond(site, self.server.routes, self.path, base)
        is_known = resource.status == HTTPStatus.OK and resource.etag in self.headers.get("If-None-Match", "")
        self.send_response(HTTPStatus.NOT_MODIFIED if is_known else resource.status)
        self.send_header("ETag", resource.etag)
        self.send_header("Last-Modified", format_datetime(resource.modified.astimezone(UTC), usegmt=True))
        if not is_known:
            self.send_header("Content-Type", resource.content_type)
            self.send_header("Content-Length", str(len(resource.body)))
        self.end_headers()
        if has_body and not is_known:
            self.wfile.write(resource.body)


@contextmanager
def serve(newsroom: DemoNewsroom, first_port: int = 0) -> Iterator[tuple[str, ...]]:
    """Serve every site until the block ends, and yield the URLs of their home pages; see `running`."""
    with running(newsroom, first_port) as servers:
        yield tuple(server.home for server in servers)


@contextmanager
def running(newsroom: DemoNewsroom, first_port: int = 0) -> Iterator[tuple[SiteServer, ...]]:
    """Serve every site until the block ends, and yield the servers.

    The sites use the ports from `first_port` on, so that their URLs are the same the next time; instead of ports in
    use, and of 0, the system chooses free ones.
    """
    with ExitStack() as stack:
        ports = [first_port + number if first_port else 0 for number in range(len(newsroom.sites))]
        yield tuple(stack.enter_context(_serving(_near(*pair))) for pair in zip(newsroom.sites, ports, strict=True))


@contextmanager
def running_at(newsroom: DemoNewsroom, ports: Sequence[int]) -> Iterator[tuple[SiteServer, ...]]:
    """Serve every site at its port until the block ends, and yield the servers.

    Raises:
        OSError: a port is in use.
    """
    with ExitStack() as stack:
        pairs = zip(newsroom.sites, ports, strict=True)
        yield tuple(stack.enter_context(_serving(SiteServer(*pair))) for pair in pairs)


def _near(site: DemoSite, port: int) -> SiteServer:
    """Return a server at this port, or at a free one."""
    try:
        return SiteServer(site, port)
    except OSError:
        return SiteServer(site)


@contextmanager
def _serving(made: SiteServer) -> Iterator[SiteServer]:
    with made as server:
        Thread(target=server.serve_forever, args=(STOP_SECONDS,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
