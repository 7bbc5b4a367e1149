"""What each part of the add-on costs a project: `python -m benchmarks.addon_costs [--pages 150]`.

A project with one spider crawls generated pages on loopback, with one setting more in each row. Seconds of processor
time: of the crawl's own process until the spider opens, then of it for a page, and of all other processes for a page,
which holds the start of the workers. They are read by the processes' own counters, so a busy machine changes little.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SPIDER = """
import time, scrapy

class Posts(scrapy.Spider):
    name = "posts"
    async def start(self):
        self.began = time.process_time()
        yield scrapy.Request(self.home)
    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_post, meta={"newsextract": True})
    def parse_post(self, response):
        yield {"url": response.url}
    def closed(self, reason):
        open("used", "w").write(f"{self.began} {time.process_time()}")
"""
WATCH = ("NEWSEXTRACT_DATABASE=sqlite:///a.db", f"NEWSEXTRACT_WATCH={PROJECT / 'demo' / 'watch.yml'}")
ROWS: dict[str, tuple[str, ...]] = {
    "without": ("ADDONS={}",),
    "the add-on": (),
    "a database": WATCH[:1],
    "watching": WATCH,
    "messages": (WATCH[0], "NEWSEXTRACT_MESSAGES=messages.jsonl"),
    "the live table": ("NEWSEXTRACT_PROGRESS=1",),
}


class Quiet(SimpleHTTPRequestHandler):
    """Serves the pages."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=150)
    pages = parser.parse_args().pages
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # Linux: the processes of a crawl that has ended are ours to wait for
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        site.mkdir()
        write_pages(site, pages)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print("| | start, s | own, ms a page | other processes, ms a page |\n| --- | --- | --- | --- |")
        for name, settings in ROWS.items():
            began, ended, others = crawl(f"http://127.0.0.1:{server.server_port}/", settings)
            own, rest = 1000 * (ended - began) / pages, 1000 * others / pages
            print(f"| {name} | {began:.2f} | {own:.1f} | {rest:.1f} |", flush=True)


def write_pages(site: Path, count: int) -> None:
    """Write the pages of a site, and its home page."""
    words, chance = "council river town bridge mayor ferry winter spring repair vote".split(), random.Random(1)  # noqa: S311
    for number in range(count):
        text = "".join(f"<p>{' '.join(chance.choices(words, k=60))}.</p>" for _ in range(10))
        head = f"<title>Bridge {number} closed</title>{'<a href=/x>Home</a> ' * 80}<h1>Bridge {number} closed</h1>"
        (site / f"{number}.html").write_text(f"<html>{head}<time datetime=2026-11-02T10:00:00Z></time>{text}</html>")
    (site / "index.html").write_text("".join(f"<a href={number}.html>{number}</a> " for number in range(count)))


def crawl(home: str, settings: tuple[str, ...]) -> tuple[float, float, float]:
    """Return the crawl's own processor time when the spider opened and closed, and that of all other processes."""
    before = used()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "posts.py").write_text(SPIDER)
        given = ['ADDONS={"newsextract.addon.NewsExtract": 500}', "LOG_ENABLED=0", *settings]
        command = [sys.executable, "-m", "scrapy", "runspider", "posts.py", "-a", f"home={home}", "-O", "items.jsonl"]
        subprocess.run(
            [*command, *(part for each in given for part in ("-s", each))],
            cwd=folder, env={**os.environ, "PYTHONPATH": f"{PROJECT}{os.pathsep}{folder}"},
            stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        began, ended = map(float, Path(folder, "used").read_text().split())
        with suppress(ChildProcessError):
            while True:
                os.wait()
    return began, ended, used() - before - ended


def used() -> float:
    """Return the processor time of all processes that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


if __name__ == "__main__":
    main()
