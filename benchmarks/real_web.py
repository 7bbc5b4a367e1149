"""Crawls a replayed web and checks what a crawl must never get wrong.

    python benchmarks/real_web.py SHARED newspaper4k daniel

SHARED holds `tools/replay_web.py` and `corpora/NAME.jsonl.xz`. The replay server answers under the pages' own URLs
through a proxy on loopback; `scrapy crawl news` gets all its sites. The checks: at least 99 % of the corpus pages are
reached, nothing under /private/ is requested, nothing is fetched twice, the page states add up, and there are as many
rows in SQLite as lines in JSONL.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PORT = 8899
PROJECT = Path(__file__).resolve().parents[1]
REACH = 0.99


def main() -> int:
    """Crawl, print the figures, and return how many checks failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--polite", action="store_true", help="with the delays of settings.production")
    parser.add_argument("--keep", type=Path, help="folder for what the crawl writes (default: a temporary one)")
    options = parser.parse_args()
    files = [options.shared / "corpora" / f"{name}.jsonl.xz" for name in options.corpora]
    with tempfile.TemporaryDirectory() as scratch, replay(options.shared, files):
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        stats = crawl(folder, polite=options.polite)
        seconds = time.monotonic() - started
        log = ask("/_log").splitlines()
        return report(folder, expected_pages(files), log, stats, seconds)


@contextmanager
def replay(shared: Path, files: Sequence[Path], *faults: str) -> Iterator[None]:
    """Run the replay server, with these options for faults."""
    server_file = str(shared / "tools" / "replay_web.py")
    command = [sys.executable, server_file, *map(str, files), "--port", str(PORT), *faults]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            print(server.stdout.readline().strip())
            wait_until_it_answers()
            yield
        finally:
            server.terminate()


def wait_until_it_answers(seconds: float = 10.0) -> None:
    """Wait for the server, which prints its line before it listens."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            ask("/_stats")
        except OSError:
            time.sleep(0.1)
        else:
            return


def ask(path: str) -> str:
    """Return the text at a path of the replay server itself."""
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}") as answer:
        text: str = answer.read().decode()
    return text


def crawl(folder: Path, *, polite: bool) -> dict[str, object]:
    """Crawl all the server's sites and return the crawl's stats."""
    folder = folder.resolve()
    sites = folder / "sites.txt"
    sites.write_text("\n".join(f"http://{host}/" for host in ask("/_sites").splitlines()))
    stats = folder / "stats.json"
    command = [
        sys.executable, "-m", "scrapy", "crawl", "news", "-a", f"sites={sites}",
        "-s", "STATS_CLASS=tests.file_stats.FileStats", "-s", f"STATS_JSON={stats}",
        "-s", f"LOG_FILE={folder}/crawl.log",
    ]  # fmt: skip
    environment = os.environ | {
        "http_proxy": f"http://127.0.0.1:{PORT}",
        "PYTHONPATH": str(PROJECT),
        "SCRAPY_SETTINGS_MODULE": "settings.production" if polite else "settings.development",
    }
    subprocess.run(command, check=True, cwd=folder, env=environment)
    loaded: dict[str, object] = json.loads(stats.read_text())
    return loaded


def expected_pages(files: Sequence[Path]) -> set[str]:
    """Return the URLs under which the server serves the pages of the corpora."""
    urls: set[str] = set()
    for path in files:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            urls.update(url_of(json.loads(line)) for line in lines)
    return urls


def url_of(page: dict[str, Any]) -> str:
    """Return the URL under which the server serves a page of a corpus."""
    parts = urlsplit(page.get("url") or "")
    host = parts.hostname or page.get("site") or "unknown.example"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if target == "/" or not parts.hostname:
        target = "/" + page["id"].replace(" ", "_") + ".html"
    return f"http://{host}{target}"


def report(folder: Path, expected: set[str], log: Sequence[str], stats: dict[str, object], seconds: float) -> int:
    """Print the figures and return the number of failed checks."""
    asked = Counter(log)
    missing = sorted(expected - set(asked))
    states = {name.rpartition("/")[2]: count for name, count in stats.items() if name.startswith("newsextract/state/")}
    lines = sum(1 for _ in (folder / "output" / "articles.jsonl").open(encoding="utf-8"))
    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        rows = database.execute("select count(*) from articles").fetchone()[0]
    reached = 1 - len(missing) / len(expected)
    print(f"{len(log)} requests in {seconds:.0f} s; pages by state: {states}")
    for url in missing[:10]:
        print("  not reached:", url)
    for url, count in asked.most_common(5):
        if count > 1:
            print(f"  fetched {count} times:", url)
    checks = {
        f"{reached:.2%} of {len(expected)} corpus pages reached, at least {REACH:.0%} wanted": reached >= REACH,
        "nothing asked for under /private/": not any("/private/" in url for url in asked),
        "nothing fetched twice": max(asked.values()) == 1,
        f"{stats['newsextract/pages']} pages = sum of the states": stats["newsextract/pages"]
        == sum(int(str(count)) for count in states.values()),
        f"{rows} rows = {lines} lines": rows == lines,
    }
    for what, holds in checks.items():
        print("ok  " if holds else "FAIL", what)
    return sum(not holds for holds in checks.values())


if __name__ == "__main__":
    sys.exit(main())
