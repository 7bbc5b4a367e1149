"""`python -m demo`: crawls the demo newsroom on its two days, as `make crawl` does, and prints what there is to see.

On the second day the Courier has rewritten its story of the bridge; the Mirror has removed a rumour and shows a paywall
in place of its new stories. `python -m demo --serve` only serves the second day; `python -m demo -- COMMAND` serves it
while a command runs, with `{sites}` in its arguments replaced by the home pages.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from demo.server import HERE, SiteServer, last_midnight, serve

if TYPE_CHECKING:
    from collections.abc import Sequence

PORTS: tuple[int, ...] = (8801, 8802, 8803, 8804)
"""Fixed, so that a second crawl meets the same URLs."""

BETWEEN = timedelta(hours=26)
"""From the first visit to the second. A day would be too short for articles of the day before to be due again."""

SUCCEEDED = (0, 3)
"""Exit codes of a crawl that ran to its end: on the second day one site is degraded."""

NOTED = ("next_visit", "updated", "held_until")
STATED = ("date_listed", "date_published", "date_modified")
"""Columns of times that a crawl notes, besides `date…`, and beginnings of those whose times the pages state."""

COMMANDS = """
What there is to see with  make desk
  Articles   The Calder Courier has changed a headline and its story: the article's page shows what
             The Mirror no longer has a rumour about the deputy mayor: its text is kept
  Stories    the Mirror's copies of the Courier, side by side, with what each adds
  Matches    of two rules, one of which is in three languages
  Sites      the Mirror is degraded: its new stories all show the text of a paywall

Commands to try
  .venv/bin/newsextract search harbour bridge      the articles that have these words
  .venv/bin/newsextract health                     what is wrong with each site, and since when
  .venv/bin/newsextract watch demo/watch.yml       the rules once more, when you have changed them
  .venv/bin/python -m demo --serve                 the sites to which the desk's articles link
  make crawl SITES=https://example.com ARGS='-a limit=20'   a site of yours, into the same database
"""


def main(arguments: Sequence[str]) -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--serve", action="store_true", help="serve the sites of the second day until Ctrl-C")
    parser.add_argument(
        "command", nargs="*", metavar="-- COMMAND", help="a command with {sites}, run while they are served"
    )
    options = parser.parse_args(arguments)
    output = Path(os.environ.get("NEWSEXTRACT_OUTPUT") or "output")
    if options.command:
        with serve() as servers:
            return run(options.command, servers)
    noted = _Progress(output / "demo.json")
    try:
        with ExitStack() as stack:
            servers = served(stack, noted)
            return wait(servers) if options.serve else crawl_both(servers, noted, output / "newsextract.db")
    except OSError as error:
        print(f"{noted.file} names ports {noted.ports}: {error.strerror}. Is another demo running?", file=sys.stderr)  # noqa: T201
        return 2


def served(stack: ExitStack, noted: _Progress) -> tuple[SiteServer, ...]:
    """Serve the sites where they were; the first time, at free ports if the usual ones are taken."""
    try:
        return stack.enter_context(serve(ports=noted.ports, today=noted.today))
    except OSError:
        if noted.days:
            raise
        servers = stack.enter_context(serve(today=noted.today))
        noted.ports = tuple(server.server_port for server in servers)
        return servers


class _Progress:
    """The demo's day, from which its stories are dated, and how many of the two days are over: beside the database."""

    def __init__(self, file: Path) -> None:
        self.file, self.today, self.days, self.ports = file, last_midnight(), 0, PORTS
        with suppress(OSError, ValueError, KeyError):
            noted = json.loads(file.read_text("utf-8"))
            self.today, self.days = datetime.fromisoformat(noted["today"]), noted["days"]
            self.ports = tuple(noted["ports"])

    def write(self, days: int) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(
            json.dumps({"today": self.today.isoformat(), "ports": self.ports, "days": days}) + "\n", "utf-8"
        )


def crawl_both(servers: Sequence[SiteServer], noted: _Progress, database: Path) -> int:
    """Crawl the days that are still to come, or the second one again; return the exit code."""
    if noted.days == 0 and database.exists():
        _say(
            f"{database} has other articles: crawling only the second day of the demo.\n"
            "For both days:  make crawl NEWSEXTRACT_OUTPUT=demo-output"
        )
    elif noted.days == 0:
        _say("Day 1 of 2.")
        show(servers, 1)
        if (code := crawl(servers)) not in SUCCEEDED:
            return code
        age = BETWEEN + (datetime.now(UTC) - noted.today) - timedelta(hours=datetime.now(UTC).hour)
        set_back(database, age)
        noted.write(1)
        _say("\nDay 2 of 2, 26 hours later. (The times in the database are set back by that.)")
    show(servers, 2)
    if (code := crawl(servers)) not in SUCCEEDED:
        return code
    noted.write(2)
    _say(COMMANDS)
    return 0


def show(servers: Sequence[SiteServer], day: int) -> None:
    """Serve another day from now on."""
    for server in servers:
        server.site = replace(server.site, day=day)


def crawl(servers: Sequence[SiteServer]) -> int:
    """Crawl the sites once, with the project's settings for loopback, and return the exit code."""
    os.environ.setdefault("SCRAPY_PROJECT", "development")
    command = [sys.executable, "-m", "scrapy", "crawl", "news", "-a", "sites={sites}", "-L", "WARNING"]
    return run([*command, "-s", f"NEWSEXTRACT_WATCH={HERE / 'watch.yml'}"], servers)


def run(command: Sequence[str], servers: Sequence[SiteServer]) -> int:
    """Run a command with `{sites}` filled in, and return its exit code; Ctrl-C reaches the command, which decides."""
    sites = ",".join(server.home for server in servers)
    with subprocess.Popen([part.replace("{sites}", sites) for part in command]) as child:  # noqa: S603 - the caller's own
        while True:
            try:
                code = child.wait()
            except KeyboardInterrupt:
                continue
            return code if code >= 0 else 128 - code


def wait(servers: Sequence[SiteServer]) -> int:
    """Print the home pages and wait for Ctrl-C."""
    # A shell that starts it in the background has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        print(*(server.home for server in servers), sep="\n", flush=True)  # noqa: T201 - what it was started for
        Event().wait()
    return 0


def set_back(database: Path, time: timedelta) -> None:
    """Set back the times in a database of SQLite, except those that pages state, so that the next crawl comes later."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for (table,) in connection.execute("select name from sqlite_master where sql like 'create table%'").fetchall():
            names = [row[1] for row in connection.execute(f"pragma table_info('{table}')")]
            for name in names:
                if name in NOTED or (name.startswith("date") and not name.startswith(STATED)):
                    connection.execute(
                        f"update \"{table}\" set {name} = strftime('%Y-%m-%dT%H:%M:%S+00:00', {name}, ?)",  # noqa: S608
                        [f"-{time.total_seconds():.0f} seconds"],
                    )


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - before the crawl's own output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
