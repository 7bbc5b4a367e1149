"""Ends a crawl again and again in its midst, lets it go on, and compares what it leaves with an undisturbed one.

    python -m benchmarks.kills SHARED daniel xmu newspaper4k --pages 500 --rounds 10 --setting NEWSEXTRACT_WORKERS=2

SHARED is as for `benchmarks/crawl.py`, whose server it uses. Each round crawls the same sites into a folder of its own:
the crawl gets a signal after a random number of pages, one to three times, and is then run to its end. Rounds take
turns with kill -9 of all its processes, kill -9 of the crawl alone, SIGTERM and Ctrl-C; `--seed` chooses the moments.

A page is `missing` if the undisturbed crawl stored it and this one did not, unless it is known as the copy of another:
which of two addresses with one text is stored depends on which comes first. A `twin` is a text that a site has twice.
No page changes, so that each revision is false.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy import create_engine, func, select

from benchmarks.crawl import crawl_arguments, mirrors
from newsextract.storage.schema import articles, ledger, revisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.crawl import Server

PROJECT = Path(__file__).resolve().parents[1]
MOST_KILLS = 3
MOST_DIFFERING = 0.005
"""Share of the bodies that may differ from an undisturbed crawl's."""
SECONDS = 900
"""After which a crawl counts as hanging."""


@dataclass(frozen=True)
class End:
    """A way to end a crawl."""

    name: str
    signal: int
    takes_all: bool
    """Whether its workers get the signal too."""


ENDS = (
    End("kill -9, all", signal.SIGKILL, takes_all=True), End("kill -9, crawl", signal.SIGKILL, takes_all=False),
    End("SIGTERM", signal.SIGTERM, takes_all=False), End("kill -9, all", signal.SIGKILL, takes_all=True),
    End("Ctrl-C", signal.SIGINT, takes_all=True),
)  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What a crawl leaves behind."""

    bodies: dict[str, str]
    """The texts of the stored articles by their addresses."""
    copies: frozenset[str]
    """Pages that ended as duplicates."""
    lines: Counter[str]
    """How often an address is among the JSON Lines."""
    revisions: int

    @property
    def twins(self) -> int:
        """Rows whose text is in another row of the site."""
        texts = Counter((urlsplit(url).netloc, body) for url, body in self.bodies.items())
        return sum(count - 1 for count in texts.values())

    def missing_of(self, other: Left) -> list[str]:
        """Return the articles of another crawl that this one has under no address."""
        return sorted(other.bodies.keys() - self.bodies.keys() - self.copies)

    def is_whole(self, other: Left) -> bool:
        """Tell whether nothing of another crawl is missing, none is there twice, and none was taken as changed."""
        wrong = self.missing_of(other) or self.twins or self.revisions
        return not wrong and len(self.bodies) == sum(self.lines.values())

    def differing_from(self, other: Left) -> list[str]:
        """Return the articles of which the other crawl has another text."""
        return sorted(url for url in self.bodies.keys() & other.bodies.keys() if self.bodies[url] != other.bodies[url])


def main() -> int:
    """Crawl, print the table, and return how many rounds failed."""
    parser = crawl_arguments(__doc__, port=8896)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--undisturbed", type=int, default=2, help="crawls to compare with each other (default: 2)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, mirrors(options) as server:
        folder = (options.keep or Path(scratch)).resolve()
        rounds = Rounds(server, folder, options.setting, random.Random(options.seed))  # noqa: S311 - moments, no secrets
        print_head("round", "ended by", "after pages")
        quiet = [rounds.undisturbed(number + 1) for number in range(max(options.undisturbed, 1))]
        failed = [not rounds.disturbed(number, quiet[0]) for number in range(1, options.rounds + 1)]
    return sum(failed)


@dataclass
class Rounds:
    """Crawls of the same sites, each in its own folder."""

    server: Server
    folder: Path
    settings: Sequence[str]
    moments: random.Random
    first: Left | None = None

    def undisturbed(self, number: int) -> Left:
        """Crawl to the end."""
        folder = self.made(f"undisturbed-{number}")
        self._finish(folder)
        left = left_in(folder)
        self.first = self.first or left
        print_row([f"undisturbed {number}", "", ""], left, self.first)
        return left

    def disturbed(self, number: int, quiet: Left) -> bool:
        """Crawl with interruptions; tell whether it left what the undisturbed one did."""
        folder = self.made(f"round-{number}")
        end = ENDS[(number - 1) % len(ENDS)]
        moments: list[int] = []
        total = len(quiet.bodies) + len(quiet.copies)
        for _ in range(self.moments.randint(1, MOST_KILLS)):
            pages = self.moments.randint(1, max(total - sum(moments) - 1, 1))
            if not self._interrupt(folder, end, pages):
                break
            moments.append(pages)
        self._finish(folder)
        left = left_in(folder)
        print_row([str(number), end.name, " + ".join(map(str, moments))], left, quiet)
        return left.is_whole(quiet) and len(left.differing_from(quiet)) <= MOST_DIFFERING * len(quiet.bodies)

    def _interrupt(self, folder: Path, end: End, pages: int) -> bool:
        """End a crawl when it was sent so many pages, and a moment later; False if it was quicker."""
        before = self.server.stats()["articles"]
        with self.crawl(folder) as process:
            while self.server.stats()["articles"] - before < pages:
                if process.poll() is not None:
                    return False
                time.sleep(0.02)
            time.sleep(self.moments.uniform(0, 1))
            with suppress(ProcessLookupError):
                (os.killpg if end.takes_all else os.kill)(process.pid, end.signal)
            process.wait(SECONDS)
            return True

    def _finish(self, folder: Path) -> None:
        with self.crawl(folder) as process:
            if process.wait(SECONDS):
                raise SystemExit(f"failed with {process.returncode}: see {folder}/crawl.log")

    def made(self, name: str) -> Path:
        """Make the folder of a crawl, with the list of its sites."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        hosts = self.server.ask("/_hosts").splitlines()
        (folder / "sites.txt").write_text("\n".join(f"http://{host}/" for host in hosts))
        return folder

    def crawl(self, folder: Path, *settings: str) -> subprocess.Popen[bytes]:
        """Start a crawl in a folder."""
        given = ["LOG_LEVEL=INFO", f"LOG_FILE={folder}/crawl.log", *self.settings, *settings]
        command = [sys.executable, "-m", "scrapy", "crawl", "news", "-a", "sites=sites.txt"]
        command += [part for pair in given for part in ("-s", pair)]
        environment = {
            "SCRAPY_SETTINGS_MODULE": "settings.development",
            **os.environ,
            "http_proxy": self.server.address,
            "PYTHONPATH": str(PROJECT),
        }
        with (folder / "printed.txt").open("a") as printed:
            return subprocess.Popen(
                command, cwd=folder, env=environment, stdout=printed, stderr=printed, start_new_session=True
            )


def left_in(folder: Path, database: str = "") -> Left:
    """Return what the crawls in a folder have left, and in a database elsewhere than there."""
    engine = create_engine(database or f"sqlite:///{folder}/output/newsextract.db")
    with engine.connect() as connection:
        rows = connection.execute(select(articles.c.url, articles.c.article_body))
        bodies = {row.url: row.article_body for row in rows}
        changes = connection.scalar(select(func.count()).select_from(revisions)) or 0
        copies = set(connection.execute(select(ledger.c.url).where(ledger.c.state == "duplicate")).scalars())
    engine.dispose()
    lines = (folder / "output" / "articles.jsonl").read_text("utf-8").splitlines()
    return Left(bodies, frozenset(copies), Counter(json.loads(line)["url"] for line in lines), changes)


def print_head(*head: str) -> None:
    """Print the head of the table."""
    names = (*head, "articles", "rows", "lines", "missing", "twins", "revisions", "bodies that differ")
    print("|", " | ".join(names), "|\n|" + " --- |" * len(names))


def print_row(head: Sequence[str], left: Left, quiet: Left) -> None:
    """Print a line of the table."""
    differing = left.differing_from(quiet)
    share = len(differing) / max(len(quiet.bodies), 1)
    lost = len(left.missing_of(quiet))
    figures = (len(left.lines), len(left.bodies), sum(left.lines.values()), lost, left.twins, left.revisions)
    print("|", *(f"{part} |" for part in (*head, *figures, f"{len(differing)} ({share:.1%})")), flush=True)


if __name__ == "__main__":
    sys.exit(main())
