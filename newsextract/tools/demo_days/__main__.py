"""`python -m newsextract.tools.demo_days`: crawls the demo newsroom on two days; with `--serve`, only serves it."""

from __future__ import annotations

import argparse
import signal
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.project import get_project_settings
from sqlalchemy import inspect, select
from sqlalchemy.engine import make_url

from newsextract.command_help import complete
from newsextract.settings import DATABASE
from newsextract.storage.database.connection import make_engine
from newsextract.storage.schema.crawl_tables import runs
from newsextract.tools.demo.__main__ import FIRST_PORT, SIGNALLED, run, wait
from newsextract.tools.demo.demo_server import running
from newsextract.tools.demo.two_days import BETWEEN, TwoDays, build_two_days
from newsextract.tools.demo_days.clock import set_back
from newsextract.tools.demo_days.guide import print_guide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.tools.demo import DemoNewsroom
    from newsextract.tools.demo.demo_server import SiteServer

RULES = Path(str(files(__package__) / "watch.yml"))

_EXAMPLES = ("python -m newsextract.tools.demo_days", "python -m newsextract.tools.demo_days --serve")
_FINISHED, _NOT = "finished", "not"

_WELL = (0, 3)
"""Exit codes of a crawl that did what it should: one site of the second day is ill."""


def main(arguments: Sequence[str]) -> int:
    """Crawl and show what there is to see; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.tools.demo_days",
        description="Crawl the demo newsroom on two days, and say what there is to look at; `make crawl` does so.",
    )
    parser.add_argument("--serve", action="store_true", help="serve the sites of the second day until Ctrl-C")
    complete(parser, _EXAMPLES, {0: "it was crawled, or served"})
    options = parser.parse_args(arguments)
    days = build_two_days()
    try:
        with running(days.second, FIRST_PORT) as servers:
            return wait(tuple(server.home for server in servers)) if options.serve else _live(days, servers)
    except KeyboardInterrupt:  # while nothing was under way that could end in its own way
        return SIGNALLED + signal.SIGINT


def _live(days: TwoDays, servers: Sequence[SiteServer]) -> int:
    """Crawl on two days if the database is still to be made, else once more on the second day."""
    url = str(DATABASE.of(get_project_settings()))
    path = _file_of(url)
    if path is None:
        code = _crawl(days.second, servers)
        return 0 if code in _WELL else code
    if not path.exists() or not _last_end(url):
        _say("Day 1 of 2.")
        code = _crawl(days.first, servers)
        if code or _last_end(url) != _FINISHED:
            return code
        set_back(url, BETWEEN)
        hours = f"{BETWEEN.total_seconds() / 3600:.0f}"
        _say(f"\nDay 2 of 2: {hours} hours later. (The times that {path} has noted are set back by that.)")
    else:
        _say(f"{path} is there already: visiting the second day again. For both:  make crawl NEWSEXTRACT_OUTPUT=demo")
    code = _crawl(days.second, servers)
    if code in _WELL and _last_end(url) == _FINISHED:
        print_guide(url, RULES)
    return 0 if code in _WELL else code


def _crawl(newsroom: DemoNewsroom, servers: Sequence[SiteServer]) -> int:
    for server, site in zip(servers, newsroom.sites, strict=True):
        server.show(site)
    crawl = [sys.executable, "-m", "scrapy", "crawl", "news", "-a", "sites={sites}"]
    return run([*crawl, "-s", f"NEWSEXTRACT_WATCH={RULES}"], ",".join(server.home for server in servers))


def _file_of(url: str) -> Path | None:
    """Return the file of a database; `None` for other databases than SQLite, and for none."""
    parsed = make_url(url) if url else None
    is_file = parsed is not None and parsed.get_backend_name() == "sqlite" and parsed.database not in (None, ":memory:")
    return Path(str(parsed.database)) if parsed is not None and is_file else None


def _last_end(url: str) -> str:
    """Return how the last crawl ended, empty if there was none: after Ctrl-C nobody wants another."""
    engine = make_engine(url)
    try:
        if not inspect(engine).has_table(runs.name):
            return _NOT
        with engine.connect() as connection:
            last = connection.execute(select(runs.c.reason).order_by(runs.c.date_started.desc()).limit(1)).first()
    finally:
        engine.dispose()
    return (last.reason or _NOT) if last else ""


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - before the crawl's own output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
