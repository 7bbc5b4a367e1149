"""Compares a whole crawl, extraction and storage included, with a bare Scrapy spider that fetches the same pages.

    python -m benchmarks.crawl SHARED daniel xmu --pages 20000 --rounds 3 --setting LOG_LEVEL=ERROR
    python -m benchmarks.crawl SHARED daniel xmu --pages 1500 --rounds 5 --packed --against NEWSEXTRACT_WARC=output/warc

SHARED holds `tools/replay_web.py` and `corpora/NAME.jsonl.xz`. Their sites are served on loopback, each under as many
host names as needed (`benchmarks/mirror_web.py`). The two crawls take turns. Ours is `scrapy crawl news` on the sites,
with the development settings, SQLite and JSONL; `--setting` changes others. The bare one gets the URLs of everything
there: home and section pages, sitemaps, feeds and articles. It has the same concurrency, delays and robots.txt rules,
and Scrapy's defaults otherwise.

The article pages sent by the server are counted. Time runs from the first request that it gets to the end of the
crawl's process: reading and storing after the last request count, the interpreter's start does not. CPU is that of all
processes of the crawl, start included, with that of the main process beside it. `--checkout` crawls with the
code of another checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import process_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BENCHMARKS = Path(__file__).resolve().parent
PROJECT = BENCHMARKS.parent
BARE_SPIDER = str(BENCHMARKS / "bare_spider.py")
OURS, BARE, OTHER = "ours", "bare", "other"
EQUAL = {"CONCURRENT_REQUESTS": 64, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0, "LOG_LEVEL": "INFO"}
"""Settings of both crawls."""
BARE_SETTINGS = EQUAL | {"ROBOTSTXT_OBEY": True, "RETRY_TIMES": 0, "USER_AGENT": "newsextract"}


@dataclass(frozen=True)
class Run:
    """The figures of one crawl."""

    seconds: float
    """From the first request to the end of the process."""
    requests: int
    articles: int
    megabytes: float
    cpu: float
    main_cpu: float
    """CPU seconds of the main process alone."""
    server_cpu: float
    samples: Sequence[process_tree.Sample]

    @property
    def speed(self) -> float:
        """Article pages per second."""
        return self.articles / self.seconds


def main() -> None:
    """Run the crawls in turn and print the figures."""
    parser = crawl_arguments(__doc__, port=8897, pages=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=[OURS, BARE])
    parser.add_argument("--against", action="append", default=[], metavar="NAME=VALUE", help="ours with these settings"
                        " takes turns with ours, in place of the bare spider")  # fmt: skip
    parser.add_argument("--checkout", type=Path, default=PROJECT, help="whose code crawls")
    options = parser.parse_args()
    names = [options.only] if options.only else [OURS, OTHER if options.against else BARE]
    runs: dict[str, list[Run]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as scratch, mirrors(options) as server:
        folder = (options.keep or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print_server_speed(server)
        for number in range(options.rounds):
            for name in names:
                own = folder / f"{name}-{number + 1}"
                own.mkdir()
                settings = [*options.setting, *(options.against if name == OTHER else ())]
                runs[name].append(measured(command_of(name, server, own, settings), server, own, options.checkout))
                print_run(name, runs[name][-1], own)
        print_medians(runs)


def crawl_arguments(description: str | None, port: int, pages: int = 500) -> argparse.ArgumentParser:
    """Return a parser of what a comparison of crawls of `mirrors` is asked for."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--pages", type=int, default=pages)
    parser.add_argument("--site-pages", type=int, default=10, help="leave out sites with fewer pages")
    parser.add_argument("--packed", action="store_true", help="the sites send gzip")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="of our crawl")
    parser.add_argument("--keep", type=Path, help="folder for what the crawls write (default: a temporary one)")
    parser.add_argument("--port", type=int, default=port)
    return parser


class Server:
    """A client of the mirror server."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, path: str) -> str:
        """Return the text at a path of the server itself."""
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.address + path) as answer:
            text: str = answer.read().decode()
        return text

    def stats(self, path: str = "/_stats") -> dict[str, Any]:
        """Return the server's counts."""
        counts: dict[str, Any] = json.loads(self.ask(path))
        return counts


@contextmanager
def mirrors(options: argparse.Namespace) -> Iterator[Server]:
    """Run the mirror server."""
    command = [sys.executable, str(BENCHMARKS / "mirror_web.py"), str(options.shared), *options.corpora]
    command += ["--pages", str(options.pages), "--site-pages", str(options.site_pages), "--port", str(options.port)]
    command += ["--packed"] * options.packed
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()  # printed once it listens
            if not line:
                raise SystemExit("the server did not start")
            print(line)
            yield Server(options.port)
        finally:
            process.terminate()


def print_server_speed(server: Server, asked: int = 300) -> None:
    """Print how long the server takes for one answer, client included, one at a time."""
    urls = server.ask("/_urls").splitlines()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": server.address}))
    sample = [url for url in urls[:: len(urls) // asked + 1] if url.isascii()]
    before = server.stats()["cpu"]
    started = time.monotonic()
    for url in sample:
        with opener.open(url) as answer:
            answer.read()
    seconds, cpu = time.monotonic() - started, server.stats()["cpu"] - before
    print(f"server: {1000 * seconds / len(sample):.2f} ms an answer, of which {1000 * cpu / len(sample):.2f} its CPU")


def command_of(name: str, server: Server, folder: Path, settings: Sequence[str]) -> list[str]:
    """Return the command of a crawl."""
    if name != BARE:
        listed = folder / "sites.txt"
        listed.write_text("\n".join(f"http://{host}/" for host in server.ask("/_hosts").splitlines()))
        start = ["crawl", "news", "-a", f"sites={listed}", "-s", "STATS_CLASS=tests.file_stats.FileStats"]
        start += ["-s", f"STATS_JSON={folder}/stats.json"]
        given = [*(f"{key}={value}" for key, value in EQUAL.items()), *settings]
    else:
        listed = folder / "urls.txt"
        urls = server.ask("/_urls").splitlines()
        random.Random(1).shuffle(urls)  # noqa: S311 - many hosts at once, the same in every run
        listed.write_text("\n".join(urls))
        start = ["runspider", BARE_SPIDER, "-a", f"urls={listed}"]
        given = [f"{key}={value}" for key, value in BARE_SETTINGS.items()]
    given.append(f"LOG_FILE={folder}/crawl.log")
    return [sys.executable, "-m", "scrapy", *start, *(part for pair in given for part in ("-s", pair))]


def measured(command: Sequence[str], server: Server, folder: Path, checkout: Path) -> Run:
    """Run a crawl and return its figures."""
    before_server = server.stats("/_reset")["cpu"]
    process_tree.adopt_orphans()
    before = process_tree.children_cpu()
    environment = os.environ | {
        "http_proxy": server.address,
        "PYTHONPATH": f"{checkout.resolve()}{os.pathsep}{PROJECT}",
        # Without a settings module, Scrapy uses its defaults.
        "SCRAPY_SETTINGS_MODULE": "" if BARE_SPIDER in command else "settings.development",
    }
    with (
        (folder / "printed.txt").open("w") as printed,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=printed, stderr=subprocess.STDOUT) as process,
        process_tree.MemoryWatch(process.pid, lambda: int(server.stats()["articles"])) as watch,
    ):
        if process.wait():
            raise SystemExit(f"failed: {' '.join(command)}: see {folder}/crawl.log")
        ended = time.monotonic()  # this clock is the same for all processes
    main_cpu = process_tree.children_cpu() - before
    process_tree.await_orphans(watch.seen)
    stats = server.stats()
    return Run(
        seconds=ended - stats["first"],
        requests=stats["requests"],
        articles=stats["articles"],
        megabytes=stats["sent"] / 1e6,
        cpu=process_tree.children_cpu() - before,
        main_cpu=main_cpu,
        server_cpu=stats["cpu"] - before_server,
        samples=watch.samples,
    )


def print_run(name: str, run: Run, folder: Path) -> None:
    """Print the figures of a crawl, and what ours has stored."""
    print(
        f"{name:5}{run.articles:7,} article pages of {run.requests:,} requests ({run.megabytes:,.0f} MB) in "
        f"{run.seconds:.1f} s: {run.speed:.1f}/s; CPU {run.cpu:.1f} s, {1000 * run.cpu / run.articles:.1f} ms an "
        f"article page, {1000 * run.main_cpu / run.articles:.1f} in the main process; "
        f"the server's {run.server_cpu:.1f} s"
    )
    print("      " + process_tree.memory_line(run.samples, run.articles))
    if name != BARE:
        stats = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
        states = {key.rpartition("/")[2]: count for key, count in stats.items() if key.startswith("newsextract/state/")}
        with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
            rows = database.execute("select count(*) from articles").fetchone()[0]
        print(f"      {rows:,} articles stored; pages by state: {states}")
    sys.stdout.flush()


def print_medians(runs: dict[str, list[Run]]) -> None:
    """Print the medians, and the ratios of ours to the bare one, or of the other settings to ours."""
    speeds = {name: median(run.speed for run in of) for name, of in runs.items()}
    for name, of in runs.items():
        spread = ", ".join(f"{run.speed:.1f}" for run in of)
        print(f"{name:5} median {speeds[name]:.1f} article pages/s ({spread}), ", end="")
        print(
            f"{median(run.requests / run.seconds for run in of):.1f} requests/s, CPU {median(r.cpu for r in of):.1f} s"
        )
    if OTHER in runs:
        costs = [other.cpu / ours.cpu for other, ours in zip(runs[OTHER], runs[OURS], strict=True)]
        print(
            f"CPU of the other settings: {median(costs):.3f} times ours, by round", *(f"{cost:.3f}" for cost in costs)
        )
    if BARE in speeds and OURS in speeds:
        ratios = [ours.speed / bare.speed for ours, bare in zip(runs[OURS], runs[BARE], strict=True)]
        print(
            f"ratio of the medians {speeds[OURS] / speeds[BARE]:.2f}, by round", *(f"{ratio:.2f}" for ratio in ratios)
        )


if __name__ == "__main__":
    main()
