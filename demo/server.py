"""Serves the demo newsroom on loopback: one small server for each site, each on a port of its own.

A page is a file below `sites/NAME/both`, or below `day1` and `day2` where the days differ. In the files, `{{base}}` is
the site's address, and `{{-1560 iso}}` a moment 1,560 minutes before the second day's midnight in UTC, by default the
last one: the newest stories are always some hours old. `truth.json` has the articles as they should be read.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
NAMES = ("courier", "quotidien", "wanbao", "mirror")
"""The sites: English, French and Chinese, and one that copies the first and shows a paywall on the second day."""

MEMBERS = "/members/"
"""A folder that robots.txt disallows and every home page links to."""

STOP_SECONDS = 0.02
"""Seconds between checks for a stop request: tests start and stop many servers."""

_TOKEN = re.compile(r"\{\{(?:base|(-?\d+) (iso|rfc|text))\}\}")
_TYPES = {".json": "application/json", ".txt": "text/plain; charset=utf-8"}
_XML_TYPES = {"<rss": "application/rss+xml", "<feed": "application/atom+xml"}


def last_midnight() -> datetime:
    """Return the last midnight in UTC, from which the stories are dated by default."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class DemoArticle:
    """What is to be read from one article page."""

    url: str
    headline: str
    description: str
    """Occurs in the page's metadata and in teasers, never in its body."""
    paragraphs: tuple[str, ...]
    """The body in page order: paragraphs, headings, list items, quotes and table cells."""
    authors: tuple[str, ...]
    date_published: str
    date_modified: str
    section: str
    language: str

    @property
    def text(self) -> str:
        """The body, one paragraph per line."""
        return "\n".join(self.paragraphs)


@dataclass(frozen=True)
class DemoSite:
    """One site on one day."""

    name: str
    day: int
    today: datetime

    @property
    def facts(self) -> dict[str, Any]:
        """The site's language, charset, zone and date format, and the paths that are gone on the second day."""
        facts: dict[str, Any] = _load("sites.json")[self.name]
        return facts

    @property
    def noise(self) -> tuple[str, ...]:
        """Phrases of the boilerplate, none of which occurs in a story."""
        return tuple(_load("truth.json")[self.name]["noise"])

    def articles(self, base: str) -> tuple[DemoArticle, ...]:
        """Return what is to be read when the site is served at this URL, newest first."""
        truth = _load("truth.json")[self.name]
        rows = sorted((*truth["both"], *truth[f"day{self.day}"]), key=lambda row: -row["published"])
        return tuple(
            DemoArticle(
                url=base.rstrip("/") + row["path"],
                headline=row["headline"],
                description=row["description"],
                paragraphs=tuple(row["paragraphs"]),
                authors=tuple(row["authors"]),
                date_published=self._moment(row["published"]).isoformat(),
                date_modified=self._moment(row["modified"]).isoformat(),
                section=row["section"],
                language=self.facts["language"],
            )
            for row in rows
        )

    def respond(self, target: str, base: str) -> tuple[int, str, bytes]:
        """Return the status, the content type and the body of a request target."""
        parts = urlsplit(target)
        if parts.path.startswith("/images/") or parts.path == "/favicon.ico":
            return 200, "image/png", (HERE / "picture.png").read_bytes()
        query = urlencode([pair for pair in parse_qsl(parts.query) if not pair[0].startswith("utm_")])
        found = self._file(parts.path, query)
        status = 404 if found is None else 410 if self.day == 2 and parts.path in self.facts["gone"] else 200
        file = found or HERE / "sites" / self.name / "both/404.html"
        text = _TOKEN.sub(lambda token: self._filled(token, base), file.read_text("utf-8"))
        if file.suffix in _TYPES:
            return status, _TYPES[file.suffix], text.encode()
        if text.startswith("<?xml"):
            kind = next((kind for start, kind in _XML_TYPES.items() if start in text[:200]), "application/xml")
            if parts.path.endswith(".gz"):
                return status, "application/gzip", gzip.compress(text.encode(), mtime=0)
            return status, f"{kind}; charset=utf-8", text.encode()
        charset = self.facts["charset"]
        header = f"text/html; charset={charset}" if self.facts["is_charset_in_header"] else "text/html"
        return status, header, text.encode(charset, "xmlcharrefreplace")

    def _file(self, path: str, query: str) -> Path | None:
        name = path.strip("/").removesuffix(".gz") + (f"@{query}" if query else "")
        if path.endswith("/"):
            name = f"{name}/index.html".lstrip("/")
        elif "." not in name.rpartition("/")[2].partition("@")[0]:
            name += ".html"
        for folder in (f"day{self.day}", "both"):
            root = HERE / "sites" / self.name / folder
            file = (root / name).resolve()
            if file.is_relative_to(root) and file.is_file():
                return file
        return None

    def _moment(self, minutes: int) -> datetime:
        zone = timezone(timedelta(hours=self.facts["zone_hours"]))
        return (self.today + timedelta(minutes=minutes)).astimezone(zone)

    def _filled(self, token: re.Match[str], base: str) -> str:
        if token[1] is None:
            return base
        at = self._moment(int(token[1]))
        if token[2] == "text":
            month = self.facts["months"][at.month - 1]
            words: str = self.facts["date"]
            return words.format(day=at.day, month=month, year=at.year, hour=at.hour, minute=at.minute)
        return at.isoformat() if token[2] == "iso" else format_datetime(at)


@cache
def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((HERE / name).read_text("utf-8"))
    return loaded


class SiteServer(ThreadingHTTPServer):
    """Serves one site; `site` may be replaced by the same one on another day."""

    request_queue_size = 128

    def __init__(self, site: DemoSite, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = site
        self.log: list[str] = []
        """The paths, with queries, requested so far."""

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def articles(self) -> tuple[DemoArticle, ...]:
        """What is to be read at the URLs of this server."""
        return self.site.articles(self.home)

    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error, unless the client has merely disconnected."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    protocol_version = "HTTP/1.1"
    # A response is sent in one piece: on a kept-alive connection two small packets can cost 40 ms.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.server.log.append(self.path)
        status, kind, body = self.server.site.respond(self.path, f"http://{self.headers.get('Host')}")
        etag = f'"{sha256(body).hexdigest()[:20]}"'
        is_known = status == 200 and etag in self.headers.get("If-None-Match", "")
        self.send_response(304 if is_known else status)
        self.send_header("ETag", etag)
        if not is_known:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET" and not is_known:
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def log_message(self, *_: object) -> None:
        """Do nothing: the server keeps its own log."""


@contextmanager
def serve(
    names: Sequence[str] = NAMES, *, day: int = 2, ports: Sequence[int] = (), today: datetime | None = None
) -> Iterator[tuple[SiteServer, ...]]:
    """Serve sites until the block ends; raises `OSError` if a port is in use. Without `ports`, free ones are taken."""
    with ExitStack() as stack:
        servers = []
        for name, port in zip(names, ports or [0] * len(names), strict=True):
            server = stack.enter_context(SiteServer(DemoSite(name, day, today or last_midnight()), port))
            Thread(target=server.serve_forever, args=(STOP_SECONDS,), daemon=True).start()
            stack.callback(server.shutdown)
            servers.append(server)
        yield tuple(servers)
