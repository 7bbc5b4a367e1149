"""Crawls many sites with one node and with four, each a process of its own, and reads the server's log.

    python benchmarks/nodes.py postgresql+psycopg://root@127.0.0.1/test --sites 200 --pages 12 --seconds 60

First one node crawls for some time; then, in another schema, four. One of them is killed (kill -9) and a fifth joins,
and all go on to the end. Printed are the pages in the same time, pages asked for twice, the shortest time between two
requests to a host beside its delay, and the articles that are missing. `--record FILE` keeps the statements of the four
for `statement_replay.py`; `--far` gives each node a host name of its own, so that the end of a killed one is not seen.

Two cores cannot read the 400 pages a second that 200 sites with half a second between two requests allow: so what a
node can do is bounded by its connections. It has two, and the server takes 0.4 s for an answer: five pages a second.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import create_engine, make_url, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks import many_sites
else:  # a script imports the files beside it by bare name
    import many_sites

BENCHMARKS = Path(__file__).resolve().parent
PROJECT = BENCHMARKS.parent
DELAY, LATENCY = 0.5, 0.4
"""Seconds between two requests to a site, and until an answer."""
TOLERANCE = 0.05
"""Seconds by which two requests may arrive closer than they were sent, on a busy machine."""
LONGEST_SECONDS = 900.0


class Asked(NamedTuple):
    """A line of the server's log."""

    at: float
    node: str
    host: str
    path: str

    @property
    def is_page(self) -> bool:
        """Whether it is a home page or an article."""
        return self.path != "/robots.txt"


def main() -> int:
    """Run the crawls and print what the log says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", help="URL of a PostgreSQL where schemas may be made")
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="for which pages are counted, once all sites are open"
    )
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--only-many", action="store_true", help="leave out the crawl with one node")
    parser.add_argument("--port", type=int, default=8896)
    parser.add_argument("--record", type=Path, help="folder for the statements of the nodes")
    parser.add_argument("--far", action="store_true", help="nodes do not see each other's processes")
    options = parser.parse_args()
    print("load of the machine:", *(f"{each:.1f}" for each in os.getloadavg()), flush=True)
    counts = {}
    for nodes in (options.nodes,) if options.only_many else (1, options.nodes):
        with tempfile.TemporaryDirectory() as scratch, web(options) as port, schema(options.database) as database:
            crawl = Crawl(Path(scratch), database, port, options)
            counts[nodes] = crawl.steady(nodes)
            print(f"{nodes} nodes: {counts[nodes]} pages in {options.seconds:g} s", flush=True)
            if nodes > 1:
                crawl.lose_one_and_go_on()
            crawl.stop()
            report(crawl)
    if 1 in counts:
        print(f"ratio {counts[options.nodes] / counts[1]:.2f}")
    return 0


class Crawl:
    """The nodes of a crawl, and the log of the server."""

    def __init__(self, folder: Path, database: str, port: int, options: argparse.Namespace) -> None:
        self.folder, self.database, self.port, self.options = folder, database, port, options
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.killed = ""
        self.killed_at = 0.0
        self.is_whole = False
        (folder / "sites.txt").write_text("\n".join(f"http://{h}/" for h in many_sites.hosts_of(options.sites)))

    def start(self, name: str) -> None:
        """Start a node with a folder and settings of its own."""
        own = self.folder / name
        own.mkdir()
        settings = {
            "NEWSEXTRACT_OVERLAP": 1, "NEWSEXTRACT_WORKERS": 1, "NEWSEXTRACT_TDMREP": 0, "NEWSEXTRACT_PROGRESS": 0,
            "CONCURRENT_REQUESTS": 2, "DOWNLOAD_DELAY": DELAY, "DOWNLOAD_DELAY_JITTER": 0, "RETRY_TIMES": 1,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "USER_AGENT": name, "LOG_FILE": own / "crawl.log",
            "NEWSEXTRACT_STATS_FILE": own / "stats.json", "LOG_LEVEL": "INFO",
        }  # fmt: skip
        environment = os.environ | {
            "http_proxy": f"http://127.0.0.1:{self.port}",
            "no_proxy": "",
            "PYTHONPATH": f"{PROJECT}{os.pathsep}{BENCHMARKS}",
            "SCRAPY_SETTINGS_MODULE": "settings.production",
            "NEWSEXTRACT_DATABASE": self.database,
        }
        if self.options.record and name != "node-1-of-1":
            settings["EXTENSIONS"] = json.dumps({"statement_replay.Recorder": 0})
            environment["STATEMENTS"] = str((self.options.record / f"{name}.pickle").resolve())
        if self.options.far:
            environment["NODE_NAME"] = name
        given = [part for pair in settings.items() for part in ("-s", "{}={}".format(*pair))]
        sites = ["-a", f"sites={self.folder}/sites.txt", "-a", "discover=links"]
        start = [sys.executable, str(BENCHMARKS / "node.py"), "crawl", "news", *sites, *given]
        with (own / "printed.txt").open("wb") as printed:
            process = subprocess.Popen(start, cwd=own, env=environment, stdout=printed, stderr=subprocess.STDOUT)
        self.processes[name] = process

    def steady(self, nodes: int) -> int:
        """Start nodes, and return the pages that they fetch once all home pages are read."""
        for number in range(1, nodes + 1):
            self.start(f"node-{number}-of-{nodes}")
        while (begin := self._opened_at()) is None:
            time.sleep(1.0)
        print(f"{nodes} nodes: all sites are open after {begin - self.log()[0].at:.0f} s", flush=True)
        time.sleep(max(begin + self.options.seconds - time.monotonic(), 0))
        return sum(begin <= each.at < begin + self.options.seconds for each in self.log() if each.is_page)

    def _opened_at(self) -> float | None:
        """Return when the last home page was asked for; `None` while some are left."""
        opened = {each.host: each.at for each in reversed(self.log()) if each.path == "/"}
        return max(opened.values()) if len(opened) == self.options.sites else None

    def lose_one_and_go_on(self) -> None:
        """Kill a node, start another, and wait for the end of all."""
        self.killed = next(iter(self.processes))
        self.processes[self.killed].send_signal(signal.SIGKILL)
        self.processes[self.killed].wait()
        self.killed_at = time.monotonic()
        self.start("node-joining")
        for name, process in self.processes.items():
            process.wait(LONGEST_SECONDS)
            print(f"  {name} ended with {process.returncode}", flush=True)
        self.is_whole = True

    def stop(self) -> None:
        """Stop what is still going on."""
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()

    def log(self) -> list[Asked]:
        """Return what the server was asked, in order."""
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"http://127.0.0.1:{self.port}/_log"
        ) as answer:
            return [Asked(*line) for line in json.load(answer)]


def report(crawl: Crawl) -> None:
    """Print what the log and the database say."""
    log = crawl.log()
    pages = [each for each in log if each.is_page]
    asked = Counter((each.host, each.path) for each in pages)
    by_node = Counter(each.node for each in pages)
    print("  pages by node:", ", ".join(f"{node} {n}" for node, n in sorted(by_node.items())))
    twice = [key for key, n in asked.items() if n > 1]
    of_killed = {(each.host, each.path) for each in pages if each.node == crawl.killed}
    print(f"  asked twice: {len(twice)}, of which {len(of_killed.intersection(twice))} first by the killed node")
    for delay in (DELAY, many_sites.CRAWL_DELAY):
        gaps = gaps_of(log, delay)
        handed = sum(each.is_handed for each in gaps)
        fast = [each for each in gaps if each.seconds < delay - TOLERANCE]
        shortest = min((each.seconds for each in gaps), default=0.0)
        of_handed = min((each.seconds for each in gaps if each.is_handed), default=0.0)
        print(
            f"  delay {delay:g} s: {len(gaps)} gaps, the shortest {shortest:.3f} s, {len(fast)} too short; "
            f"{handed} between two nodes, the shortest {of_handed:.3f} s"
        )
        for each in fast[:5]:
            print("    ", each)
    if crawl.killed:
        later = [each.at - crawl.killed_at for each in log if (each.host, each.path) not in of_killed]
        lost_hosts = {each.host for each in pages if each.node == crawl.killed and crawl.killed_at - each.at < 20}
        again = [each.at - crawl.killed_at for each in log if each.host in lost_hosts and each.at > crawl.killed_at]
        print(
            f"  after the kill: {sum(at > 0 for at in later)} requests of others; "
            f"a host of the killed is asked again after {min(again, default=0):.1f} s"
        )
    if crawl.is_whole:
        engine = create_engine(crawl.database)
        with engine.connect() as connection:
            stored = connection.execute(text("select count(*), count(distinct url) from articles")).one()
            held = connection.execute(text("select count(*) from ledger where claimed_by is not null")).scalar_one()
        engine.dispose()
        wanted = crawl.options.sites * crawl.options.pages
        print(f"  {stored[0]} articles stored of {wanted}, {stored[1]} URLs; {held} claims left", flush=True)
        due = {
            (host, many_sites.article_path(n))
            for host in many_sites.hosts_of(crawl.options.sites)
            for n in range(crawl.options.pages)
        }
        print("  never asked for:", Counter(host for host, _ in due - asked.keys()).most_common(10), flush=True)


class Gap(NamedTuple):
    """The time between two requests to a host."""

    host: str
    seconds: float
    nodes: tuple[str, str]
    paths: tuple[str, str]

    @property
    def is_handed(self) -> bool:
        """Whether another node sent the second one."""
        return self.nodes[0] != self.nodes[1]


def gaps_of(log: Sequence[Asked], delay: float) -> list[Gap]:
    """Return the times between requests to the hosts that have this delay."""
    by_host: defaultdict[str, list[Asked]] = defaultdict(list)
    for each in sorted(log):
        if many_sites.asks_for_delay(each.host) == (delay == many_sites.CRAWL_DELAY):
            by_host[each.host].append(each)
    pairs = (pair for asked in by_host.values() for pair in pairwise(asked))
    return [Gap(a.host, b.at - a.at, (a.node, b.node), (a.path, b.path)) for a, b in pairs]


@contextmanager
def web(options: argparse.Namespace) -> Iterator[int]:
    """Run the server."""
    command = [sys.executable, str(BENCHMARKS / "many_sites.py"), "--port", str(options.port)]
    command += ["--sites", str(options.sites), "--pages", str(options.pages), "--latency", str(LATENCY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise SystemExit("the server did not start")
            yield options.port
        finally:
            process.terminate()


@contextmanager
def schema(url: str) -> Iterator[str]:
    """Make an empty schema, and drop it at the end."""
    name = f"nodes_{os.getpid()}_{time.monotonic_ns()}"
    owner = create_engine(url, isolation_level="AUTOCOMMIT")
    with owner.connect() as connection:
        connection.execute(text(f"create schema {name}"))
    try:
        own = make_url(url).update_query_dict({"options": f"-csearch_path={name}"})
        yield own.render_as_string(hide_password=False)
    finally:
        with owner.connect() as connection:
            connection.execute(text(f"drop schema {name} cascade"))
        owner.dispose()


if __name__ == "__main__":
    sys.exit(main())
