"""Serves the sites of recorded corpora many times over, under the host names m1.SITE, m2.SITE, ….

    python benchmarks/mirror_web.py SHARED newspaper4k daniel --pages 20000 --port 8897

It is an HTTP proxy on loopback, like `tools/replay_web.py` of SHARED, whose tables it uses. It has one thread, and only
copies the page for each request with the site's name replaced by the mirror's, so that canonical URLs agree. `/_stats`
returns the counts of requests (JSON), `/_hosts` the hosts, `/_urls` every URL; `/_reset` sets the counts to zero.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import importlib.util
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTING_ARTICLES = 20
"""Articles that a section page of the replay server lists."""


@dataclass
class Counts:
    """Counts of requests since the last reset, and the time of the first on the monotonic clock."""

    requests: int = 0
    articles: int = 0
    sent: int = 0
    """Bytes of all bodies."""
    first: float = 0.0

    def add(self, body: bytes, *, is_article: bool) -> None:
        """Count an answer."""
        self.first = self.first or time.monotonic()
        self.requests += 1
        self.articles += is_article
        self.sent += len(body)


class MirrorWeb:
    """The answers of all mirrors, from the tables of the replay server."""

    def __init__(self, replay: Any, pages: int, site_pages: int, *, packs: bool = False) -> None:
        self.replay = replay
        self.packs = packs
        """Whether answers are sent as gzip, as most servers do."""
        self.counts = Counts()
        self.mirrors: dict[str, str] = {}
        """The site that each host mirrors."""
        self.articles = 0
        sites = [site for site, rows in sorted(replay.SITES.items()) if len(rows) >= site_pages]
        if not sites:
            raise SystemExit(f"no site has {site_pages} pages: take a smaller --site-pages")
        number = 0
        while self.articles < pages:
            site = sites[number % len(sites)]
            self.mirrors[f"m{number // len(sites) + 1}.{site}"] = site
            self.articles += len(replay.SITES[site])
            number += 1

    def urls(self, host: str) -> Iterator[str]:
        """Yield the URLs of the home page, the sitemaps, the feed, the sections and the articles of a host."""
        rows = self.replay.SITES[self.mirrors[host]]
        sections = range((len(rows) + LISTING_ARTICLES - 1) // LISTING_ARTICLES)
        made_up = [
            "/",
            "/sitemap.xml",
            "/sitemap-0.xml",
            "/news.xml",
            "/feed.xml",
            *(f"/section/{n}" for n in sections),
        ]
        yield from (f"http://{host}{target}" for target in made_up)
        yield from (f"http://{host}{row['target']}" for row in rows)

    def answer(self, host: str, target: str) -> tuple[str, bytes, bool]:
        """Return the content type (empty if there is no such page), the body, and whether it is an article page."""
        site = self.mirrors.get(host)
        if site is None:
            return "", b"", False
        body, kind = self.replay.PAGES.get((site, target)), "text/html; charset=utf-8"
        is_article = body is not None
        if body is None:
            body, kind = self.replay.made_up(site, target) or (b"", "")
        # The mirrors have no https.
        for named in (f"https://{site}", f"//{site}"):
            body = body.replace(named.encode(), named.replace("https:", "http:").replace(site, host).encode())
        return kind, body, is_article


class Connection(asyncio.Protocol):
    """One connection, kept alive; requests, pipelined ones too, are answered in order."""

    def __init__(self, web: MirrorWeb) -> None:
        self.web, self.waiting = web, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for the answers."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the complete requests, and keep the rest."""
        *heads, self.waiting = (self.waiting + data).split(b"\r\n\r\n")
        for head in heads:
            self.respond(urlsplit(head.split(b" ", 2)[1].decode("ascii", "replace")))

    def respond(self, asked: Any) -> None:
        """Write one answer."""
        target = asked.path + (f"?{asked.query}" if asked.query else "")
        packed = ""
        if asked.hostname is None or target.startswith("/_"):
            kind, body = "text/plain", self.told(target).encode()
        else:
            kind, body, is_article = self.web.answer(asked.hostname, target)
            if self.web.packs:
                body, packed = gzip.compress(body, 6), "Content-Encoding: gzip\r\n"
            self.web.counts.add(body, is_article=is_article)
        status = "200 OK" if kind else "404 Not Found"
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/plain'}\r\nContent-Length: {len(body)}\r\n{packed}\r\n"
        )
        self.transport.write(head.encode() + body)

    def told(self, target: str) -> str:
        """Return the text at a path of the server itself."""
        if target == "/_reset":
            self.web.counts = Counts()
        if target == "/_hosts":
            return "\n".join(self.web.mirrors)
        if target == "/_urls":
            return "\n".join(url for host in self.web.mirrors for url in self.web.urls(host))
        return json.dumps(asdict(self.web.counts) | {"cpu": time.process_time(), "served": self.web.articles})


def replay_tables(shared: Path, corpora: list[str]) -> Any:
    """Return the module of the replay server with the corpora loaded."""
    spec = importlib.util.spec_from_file_location("replay_web", shared / "tools" / "replay_web.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.load([shared / "corpora" / f"{name}.jsonl.xz" for name in corpora], 0)
    return module


async def serve(web: MirrorWeb, port: int) -> None:
    """Serve until the process ends."""
    server = await asyncio.get_running_loop().create_server(lambda: Connection(web), "127.0.0.1", port)
    print(f"{web.articles} pages of {len(web.mirrors)} hosts, port {port}", flush=True)
    await server.serve_forever()


def main() -> int:
    """Load the corpora and serve them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--site-pages", type=int, default=10, help="leave out sites with fewer pages")
    parser.add_argument("--port", type=int, default=8897)
    parser.add_argument("--packed", action="store_true", help="send gzip, as most servers do")
    options = parser.parse_args()
    web = MirrorWeb(
        replay_tables(options.shared, options.corpora), options.pages, options.site_pages, packs=options.packed
    )
    asyncio.run(serve(web, options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
