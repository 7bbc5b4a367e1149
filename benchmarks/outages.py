"""Takes the database away in the midst of a crawl, and compares what that leaves with an undisturbed crawl.

    python -m benchmarks.outages SHARED daniel xmu --pages 500 --seconds 20

SHARED is as for `benchmarks/crawl.py`, whose server it uses. Another writer locks SQLite for that many seconds; then a
MariaDB of its own, where that is installed, is killed in the midst of a crawl and started again as many seconds later.
"""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pymysql

from benchmarks.crawl import crawl_arguments, mirrors
from benchmarks.kills import SECONDS, Rounds, left_in, print_head, print_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.kills import Left

SHARE = 0.3
"""Of the pages, after which the database goes."""
DATABASE = "newsextract"


def main() -> int:
    """Crawl, print the table, and return how many crawls left something else."""
    parser = crawl_arguments(__doc__, port=8895)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", choices=["sqlite", "mariadb"])
    parser.add_argument("--mariadb-port", type=int, default=3399)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, mirrors(options) as server:
        folder = (options.keep or Path(scratch)).resolve()
        rounds = Rounds(server, folder, options.setting, random.Random(1))  # noqa: S311 - nothing secret
        print_head("crawl", "", "seconds")
        quiet = rounds.undisturbed(1)
        crawls = Outages(rounds, quiet, options.seconds)
        results = [crawls.sqlite()] if options.only != "mariadb" else []
        if options.only != "sqlite" and shutil.which("mariadbd"):
            with MariaDB(folder / "mariadb", options.mariadb_port).running() as mariadb:
                results.append(crawls.mariadb(mariadb))
    return sum(not is_same for is_same in results)


class Outages:
    """Crawls whose database goes away."""

    def __init__(self, rounds: Rounds, quiet: Left, seconds: float) -> None:
        self.rounds, self.quiet, self.seconds = rounds, quiet, seconds

    def sqlite(self) -> bool:
        """Lock SQLite for a while."""
        folder = self.rounds.made("sqlite")

        def lock() -> None:
            with closing(sqlite3.connect(folder / "output" / "newsextract.db", timeout=60)) as database:
                database.execute("begin immediate")
                time.sleep(self.seconds)

        return self._disturbed("SQLite locked", folder, "", lock)

    def mariadb(self, mariadb: MariaDB) -> bool:
        """Kill MariaDB and start it again."""

        def restart() -> None:
            mariadb.kill()
            time.sleep(self.seconds)
            mariadb.start()

        folder = self.rounds.made("mariadb-crawl")
        return self._disturbed("MariaDB killed and restarted", folder, mariadb.url, restart)

    def _disturbed(self, name: str, folder: Path, database: str, disturb: Callable[[], None]) -> bool:
        started = time.monotonic()
        before = self.rounds.server.stats()["articles"]
        with self.rounds.crawl(folder, *([f"NEWSEXTRACT_DATABASE={database}"] if database else [])) as process:
            while self.rounds.server.stats()["articles"] - before < SHARE * len(self.quiet.bodies):
                if process.poll() is not None:
                    raise SystemExit(f"the crawl was too quick: see {folder}/crawl.log")
                time.sleep(0.02)
            disturb()
            code = process.wait(SECONDS)
        left = left_in(folder, database)
        print_row([name, f"for {self.seconds:g} s", f"{time.monotonic() - started:.0f}"], left, self.quiet)
        for line in (folder / "crawl.log").read_text("utf-8").splitlines():
            if "WARNING" in line or "ERROR" in line:
                print("   ", line[:180])
        return left.is_whole(self.quiet) and not left.differing_from(self.quiet) and code == 0


class MariaDB:
    """A server of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.url = f"mysql+pymysql://root@127.0.0.1:{port}/{DATABASE}"
        self._process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[MariaDB]:
        """Make its files, start it, and stop it in the end."""
        self.folder.mkdir(parents=True)
        make = [
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={self.folder}/data",
            "--auth-root-authentication-method=normal",
        ]
        subprocess.run([*make, "--user=root"], check=True, capture_output=True)
        self.start()
        with closing(pymysql.connect(host="127.0.0.1", port=self.port, user="root")) as connection:
            connection.cursor().execute(f"create database {DATABASE}")
        try:
            yield self
        finally:
            self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        files = (f"--datadir={self.folder}/data", f"--socket={self.folder}/socket", f"--pid-file={self.folder}/pid")
        command = [
            "mariadbd",
            "--no-defaults",
            *files,
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            "--user=root",
        ]
        with (self.folder / "log.txt").open("a") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            with suppress(pymysql.Error), closing(pymysql.connect(host="127.0.0.1", port=self.port, user="root")):
                return
            time.sleep(0.2)
        raise SystemExit(f"MariaDB does not start: see {self.folder}/log.txt")

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


if __name__ == "__main__":
    sys.exit(main())
