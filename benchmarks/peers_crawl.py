"""Crawls the same replayed sites with newsextract and with its peers, and compares what they find there.

    python -m benchmarks.peers_crawl SHARED wcxb newspaper4k --sites 40 --peer trafilatura=ENV/bin/python …

SHARED holds `tools/replay_web.py` and `corpora/NAME.jsonl.xz`; the sites are those with the most pages there. ENV is a
virtual environment with the peer, one of newspaper4k, news-please, trafilatura and fundus, see `peer_crawlers.py`.

`found` is the share of the article pages there that were taken, `wrong` the pages taken that are none: home, sections,
and pages of the corpus of another type. F1 is that of the tokens, the mean over all article pages there with gold, a
page not found counting 0, and over those found. `requests` were sent to the sites; CPU and memory are those of all
processes of the crawl.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks import process_tree
from newsextract.evaluation.measures import Text, token_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PORT = 8899
PROJECT = Path(__file__).resolve().parents[1]
CRAWLERS = Path(__file__).with_name("peer_crawlers.py")
OURS = "newsextract"
HEAD = ("", "found", "wrong", "F1 of all", "F1 of found", "requests", "CPU s", "ms a page found", "MB", "seconds")


def main() -> None:
    """Crawl with each, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--sites", type=int, default=40, metavar="N", help="the N sites with the most pages")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--hours", type=float, default=0.5, help="after which a crawl is stopped")
    options = parser.parse_args()
    files = [options.shared / "corpora" / f"{name}.jsonl.xz" for name in options.corpora]
    pages = {url: page for path in files for url, page in zip(*_pages(path), strict=True)}
    counts = Counter(url.split("/")[2] for url in pages)
    hosts = sorted(sorted(counts, key=lambda host: (-counts[host], host))[: options.sites])
    pages = {url: page for url, page in pages.items() if url.split("/")[2] in hosts}
    process_tree.adopt_orphans()
    print(f"{len(hosts)} sites, {sum(map(_is_article, pages.values()))} articles, {len(pages)} pages")
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for name, python in [(OURS, sys.executable), *(each.split("=", 1) for each in options.peer)]:
        with replay(options.shared, files), tempfile.TemporaryDirectory() as folder:
            crawled = _crawl(name, python, Path(folder), hosts, options.hours * 3600)
            print(f"| {name} | {' | '.join(_figures(pages, *crawled))} |", flush=True)


def _pages(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    return [url_of(page) for page in pages], pages


def url_of(page: dict[str, Any]) -> str:
    """Return the URL under which the server serves a page of a corpus."""
    parts = urlsplit(page.get("url") or "")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if target == "/" or not parts.hostname:
        target = "/" + page["id"].replace(" ", "_") + ".html"
    return f"http://{parts.hostname or page.get('site') or 'unknown.example'}{target}"


@contextmanager
def replay(shared: Path, files: Sequence[Path]) -> Iterator[None]:
    """Run the replay server."""
    command = [sys.executable, str(shared / "tools" / "replay_web.py"), *map(str, files), "--port", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            for _ in range(600):
                with suppress(OSError):
                    ask("/_stats")
                    break
                time.sleep(0.1)
            yield
        finally:
            server.terminate()


def ask(path: str) -> str:
    """Return the text at a path of the replay server itself."""
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}") as answer:
        text: str = answer.read().decode()
    return text


def _is_article(page: dict[str, Any]) -> bool:
    return page.get("page_type") in (None, "article")


def _crawl(
    name: str, python: str, folder: Path, hosts: Sequence[str], seconds: float
) -> tuple[Path, float, float, float]:
    """Return the file of articles, seconds, CPU seconds, and the peak of memory in MB."""
    command = [python, str(CRAWLERS), name, str(folder), *hosts]
    if name == OURS:
        (folder / "sites.txt").write_text("\n".join(f"http://{host}/" for host in hosts), "utf-8")
        command = [python, "-m", "scrapy", "crawl", "news", "-a", "sites=sites.txt", "-s", "LOG_FILE=crawl.log"]
    proxy = f"http://127.0.0.1:{PORT}"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"http_proxy": proxy, "HTTP_PROXY": proxy}
    if name == OURS:
        environment |= {"PYTHONPATH": str(PROJECT), "SCRAPY_SETTINGS_MODULE": "settings.development"}
    began, cpu = time.monotonic(), process_tree.children_cpu()
    with Path(f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        with process_tree.MemoryWatch(process.pid, lambda: 0) as watch:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                print(f"{name}: stopped after {seconds:.0f} s", file=sys.stderr)
                process.terminate()
                process.wait()
    took = time.monotonic() - began
    process_tree.await_orphans(watch.seen)
    peak = max((sample.pss for sample in watch.samples), default=0.0)
    output = folder / "output" if name == OURS else folder
    return output / "articles.jsonl", took, process_tree.children_cpu() - cpu, peak


def _figures(pages: dict[str, dict[str, Any]], file: Path, seconds: float, cpu: float, peak: float) -> list[str]:
    taken: dict[str, str] = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        article = json.loads(line)
        if text := article.get("articleBody") or article.get("text"):
            taken[article["url"].replace("https://", "http://", 1)] = text
    articles = {url: page for url, page in pages.items() if _is_article(page)}
    found = articles.keys() & taken.keys()
    judged = {url: page["text"] for url, page in articles.items() if page.get("text")}
    scores = {
        url: token_scores(Text(taken[url]), Text(gold))["token_f1"] if url in taken else 0.0
        for url, gold in judged.items()
    }
    of_found = [score for url, score in scores.items() if url in taken]
    return [
        f"{len(found) / len(articles):.1%}", str(len(taken) - len(found)), f"{mean(scores.values()):.3f}",
        f"{mean(of_found):.3f}" if of_found else "–", str(len(ask("/_log").splitlines())), f"{cpu:.0f}",
        f"{1000 * cpu / max(1, len(found)):.0f}", f"{peak:.0f}", f"{seconds:.0f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
