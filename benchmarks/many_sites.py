"""Serves many small news sites of made-up texts, as an HTTP proxy on loopback, and keeps a log of all requests.

    python benchmarks/many_sites.py --sites 200 --pages 12 --latency 1 --port 8896

Sites are `site001.example` and so on; each has a robots.txt and a home page that links to its articles. Every tenth
asks for a Crawl-delay of a second. `/_log` of the server itself returns the log as JSON: seconds, agent, host and path
of each request, by the time when it arrived.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from urllib.parse import urlsplit

CRAWL_DELAY = 1.0
"""Seconds that every tenth site asks for."""

SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo ar el in or um an".split()


def hosts_of(count: int) -> list[str]:
    """Return the names of the sites."""
    return [f"site{number:03}.example" for number in range(1, count + 1)]


def asks_for_delay(host: str) -> bool:
    """Return whether the site's robots.txt has a Crawl-delay."""
    return host.partition(".")[0].endswith("0")


def article_path(number: int) -> str:
    """Return the path of an article."""
    return f"/2026/11/20/report-of-the-day-number-{number:03}.html"


def article(host: str, number: int) -> str:
    """Return a page with a text of its own."""
    words = random.Random(f"{host} {number}")  # noqa: S311 - the same page at each visit
    text = [" ".join(_sentence(words) for _ in range(4)) for _ in range(6)]
    title = f"{_sentence(words)[:-1]} {host[4:7]}{number}"
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title>"
        "<meta property='article:published_time' content='2026-11-20T08:00:00+00:00'></head>"
        f"<body><nav><a href='/'>Home</a></nav><article><h1>{title}</h1>"
        + "".join(f"<p>{each}</p>" for each in text)
        + "</article></body></html>"
    )


def home(host: str, pages: int) -> str:
    """Return a front page."""
    items = (f"<li><a href='{article_path(n)}'>Report number {n} of the day from {host}</a></li>" for n in range(pages))
    return f"<!doctype html><html lang='en'><title>{host}</title><body><ul>{''.join(items)}</ul></body></html>"


def _sentence(words: random.Random) -> str:
    found = " ".join("".join(words.choices(SYLLABLES, k=words.randint(1, 4))) for _ in range(words.randint(8, 16)))
    return f"{found.capitalize()}."


class Web:
    """The sites, and the log of what was asked of them."""

    def __init__(self, sites: int, pages: int, latency: float) -> None:
        self.hosts = set(hosts_of(sites))
        self.pages = pages
        self.latency = latency
        self.log: list[tuple[float, str, str, str]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while line := await reader.readline():
                headers = {}
                while (header := (await reader.readline()).decode("latin-1").strip()) != "":
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                await self._answer(line.decode("latin-1").split()[1], headers, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # a crawl was killed
        finally:
            writer.close()

    async def _answer(self, target: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(target)
        if parts.netloc in self.hosts:
            self.log.append((time.monotonic(), headers.get("user-agent", ""), parts.netloc, parts.path))
            await asyncio.sleep(self.latency)
        status, body = self._page(parts.netloc, parts.path)
        kind = "text/html; charset=utf-8" if body.startswith("<") else "text/plain"
        encoded = body.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(encoded)}\r\n\r\n"
        writer.write(head.encode() + encoded)
        await writer.drain()

    def _page(self, host: str, path: str) -> tuple[str, str]:
        if path == "/_log" and host not in self.hosts:
            return "200 OK", json.dumps(self.log)
        if path == "/robots.txt":
            asked = f"Crawl-delay: {CRAWL_DELAY:g}\n" if asks_for_delay(host) else ""
            return "200 OK", f"User-agent: *\nDisallow: /private/\n{asked}"
        if path == "/":
            return "200 OK", home(host, self.pages)
        numbers = {article_path(number): number for number in range(self.pages)}
        if path in numbers:
            return "200 OK", article(host, numbers[path])
        return "404 Not Found", "<p>There is nothing here.</p>"


async def serve(web: Web, port: int) -> None:
    """Serve until the process ends."""
    server = await asyncio.start_server(web.serve, "127.0.0.1", port, backlog=512)
    print(f"{len(web.hosts)} sites of {web.pages} articles, port {port}", flush=True)
    await server.serve_forever()


def main() -> int:
    """Serve the sites."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--pages", type=int, default=12, help="articles of each site")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds until an answer")
    parser.add_argument("--port", type=int, default=8896)
    options = parser.parse_args()
    asyncio.run(serve(Web(options.sites, options.pages, options.latency), options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
