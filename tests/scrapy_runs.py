"""Helpers for tests of the Scrapy side: crawls as people run them, and small sites that answer as told."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from time import sleep
from typing import Any, TypeAlias

import pytest

from newsextract.cli import VERBS, main
from newsextract.newsroom.delivery import sending
from tests.scrapy_process import PROJECT, SECONDS, ForkedScrapy

sending.END_SECONDS = 1.5  # of verbs, which run in this process


@dataclass(frozen=True)
class Run:
    """A command that has ended, with its output and files."""

    code: int
    out: str
    err: str
    folder: Path

    @cached_property
    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = json.loads((self.folder / "stats.json").read_text())
        return stats

    @property
    def states(self) -> dict[str, int]:
        prefix = "newsextract/state/"
        return {name.removeprefix(prefix): n for name, n in self.stats.items() if name.startswith(prefix)}

    @property
    def reasons(self) -> dict[str, int]:
        prefix = "newsextract/reason/"
        return {name.removeprefix(prefix): n for name, n in self.stats.items() if name.startswith(prefix)}

    @property
    def lines(self) -> list[dict[str, Any]]:
        path = self.folder / "output" / "articles.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    @property
    def rows(self) -> list[dict[str, Any]]:
        with sqlite3.connect(self.folder / "output" / "newsextract.db") as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute("select * from articles")]

    def adds_up(self) -> bool:
        """Tell whether every page ended in one state, and the counts of articles agree."""
        pages = int(self.stats.get("newsextract/pages", 0))
        articles = self.states.get("article", 0) + self.stats.get("newsextract/feed_texts/article", 0)
        return sum(self.states.values()) == pages and articles == self.stats.get("item_scraped_count", 0)


Scrapy: TypeAlias = Callable[..., Run]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a command: the project's settings, no proxy; an empty variable is not set."""
    ignored = ("NEWSEXTRACT_OUTPUT", "NEWSEXTRACT_DATABASE", "NEWSEXTRACT_BROKER")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    kept = {name: value for name, value in kept.items() if name not in ignored}
    ours = {"SCRAPY_SETTINGS_MODULE": "settings.development", "PYTHONPATH": str(PROJECT), "COLUMNS": "160"}
    return {name: value for name, value in (kept | ours | more).items() if value}


def run_verb(folder: Path, *arguments: str, stdin: str | bytes = b"", **environ: str) -> Run:
    """Run `newsextract` in a folder, in this process."""
    before, here, streams = dict(os.environ), Path.cwd(), (sys.stdin, sys.stdout, sys.stderr)
    for name in [each for each in sys.modules if each.partition(".")[0] == "settings"]:
        del sys.modules[name]  # they read the environment
    given = BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)
    sys.stdin, sys.stdout, sys.stderr = TextIOWrapper(given, "utf-8"), StringIO(), StringIO()
    os.environ.clear()
    os.environ.update(environment(**environ))
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        code = main(list(arguments))
        return Run(code, sys.stdout.getvalue(), sys.stderr.getvalue(), folder)
    finally:
        sys.path.remove(str(folder))
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)
        sys.stdin, sys.stdout, sys.stderr = streams


def run_scrapy(folder: Path, *arguments: str, stdin: str | bytes = b"", **environ: str) -> Run:
    """Run `scrapy` in a folder, in a process forked from one that has imported everything; verbs in this process."""
    if arguments and arguments[0] in VERBS:
        return run_verb(folder, *arguments, stdin=stdin, **environ)
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        process = ForkedScrapy(folder, arguments, environment(**environ), (given, out, err))
        try:
            code = process.wait()
        finally:
            process.signal_all(signal.SIGKILL)
        out.seek(0)
        err.seek(0)
        return Run(code, out.read().decode(), err.read().decode(), folder)


def run_new_scrapy(folder: Path, *arguments: str, **environ: str) -> Run:
    """Run `scrapy` in a folder as people do: in a process of its own."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    env = environment(**environ)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=SECONDS, check=False)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode(), folder)


@pytest.fixture(scope="session")
def scrapy() -> Scrapy:
    """Run `scrapy` in a folder with arguments; keywords are variables of the environment."""
    return run_scrapy


@pytest.fixture(scope="session")
def crawl() -> Scrapy:
    """Run `scrapy crawl news` over sites, in a folder where it leaves its output and stats."""

    def run(folder: Path, sites: str, *arguments: str, **environ: str) -> Run:
        stats = ("-s", "STATS_CLASS=tests.file_stats.FileStats", "-s", "RETRY_TIMES=0")
        return run_scrapy(folder, "crawl", "news", "-a", f"sites={sites}", *stats, *arguments, **environ)

    return run


@dataclass(frozen=True)
class Reply:
    """An answer; `declared` is the Content-Length when it is not the body's, `None` to send none."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    declared: int | None = -1


Routes: TypeAlias = Mapping[str, Reply | Callable[[str], Reply]]

NOWHERE = Reply(b"<h1>Not found</h1>", 404)


class TinySite(ThreadingHTTPServer):
    """A site of a few answers; the path `*` answers what no other does."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), TinyHandler)
        self.log: list[str] = []
        self.not_modified: list[str] = []
        self.dripping: set[str] = set()
        """Paths of which a byte is sent every now and then, without end."""
        self.routes: Routes = {}

    @property
    def name(self) -> str:
        return f"{self.server_address[0]!s}:{self.server_port}"

    @property
    def home(self) -> str:
        return f"http://{self.name}/"

    def handle_error(self, *_: object) -> None:
        """Keep quiet about clients that leave."""


class TinyHandler(BaseHTTPRequestHandler):
    server: TinySite

    def do_GET(self) -> None:
        self.server.log.append(self.path)
        found = self.server.routes.get(self.path) or self.server.routes.get("*", NOWHERE)
        reply = found if isinstance(found, Reply) else found(self.path)
        if reply.headers.get("ETag", "") == self.headers.get("If-None-Match"):
            self.server.not_modified.append(self.path)
            reply = Reply(b"", 304)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if self.path in self.server.dripping:
            self.send_header("Content-Length", "1000000")
        elif reply.declared is not None:
            self.send_header("Content-Length", str(len(reply.body) if reply.declared < 0 else reply.declared))
        self.end_headers()
        while self.path in self.server.dripping:
            self.wfile.write(b" ")
            sleep(0.1)
        self.wfile.write(reply.body)

    def log_message(self, *_: object) -> None:
        """Keep quiet: the site's log knows."""


@contextmanager
def serving(site: TinySite) -> Iterator[TinySite]:
    with site:
        Thread(target=site.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield site
        finally:
            site.shutdown()


TinyWeb: TypeAlias = Callable[..., TinySite]


@pytest.fixture(scope="module")
def tiny_web() -> Iterator[TinyWeb]:
    """Serve sites until the module's tests have ended."""
    with ExitStack() as stack:

        def serve(routes: Routes, host: str = "127.0.0.1") -> TinySite:
            site = stack.enter_context(serving(TinySite(host)))
            site.routes = routes
            return site

        yield serve


STORY = "/2026/05/20/the-mayor-opens-a-new-bridge.html"


def story(number: int = 1, *, head: str = "") -> bytes:
    """Return a page with an article of some 200 words, another for each number."""
    sentence = f"The mayor of town number {number} opened the bridge that its people had asked for during many years."
    paragraphs = "".join(f"<p>{sentence} Part {part} of the long story about it follows.</p>" for part in range(8))
    head += f'<meta property="og:type" content="article"><title>Bridge {number}</title>'
    return f"<html><head>{head}</head><body><h1>Bridge {number}</h1>{paragraphs}</body></html>".encode()


def listing(*links: str, head: str = "") -> bytes:
    """Return a page of links."""
    anchors = "".join(f'<li><a href="{link}">A headline of five words {link}</a></li>' for link in links)
    return f"<html><head>{head}</head><body><ul>{anchors}</ul></body></html>".encode()


def html(body: bytes, **headers: str) -> Reply:
    """Return a page as servers usually send it."""
    extra = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body, headers={"Content-Type": "text/html; charset=utf-8"} | extra)


def moved(location: str) -> Reply:
    """Return a redirect."""
    return Reply(b"", 302, {"Location": location, "Content-Type": "text/html"})
