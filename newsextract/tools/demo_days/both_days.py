"""The command of the demo: crawls the demo newsroom on two days; with `--serve`, only serves it."""

from __future__ import annotations

import argparse
import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from scrapy.utils.project import get_project_settings

from newsextract.command_help import complete
from newsextract.settings import DATABASE
from newsextract.tools.demo.__main__ import FIRST_PORT, SIGNALLED, wait
from newsextract.tools.demo.demo_server import running, running_at
from newsextract.tools.demo.two_days import build_two_days
from newsextract.tools.demo_days.demo_database import file_of, sites_in
from newsextract.tools.demo_days.record import Record, last_midnight
from newsextract.tools.demo_days.two_visits import ELSEWHERE, WELL, TwoVisits, crawl

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = 2
"""Exit code if the sites cannot be served where they were."""

_EXAMPLES = ("python -m newsextract.tools.demo_days", "python -m newsextract.tools.demo_days --serve")


def main(arguments: Sequence[str]) -> int:
    """Crawl and show what there is to see; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.tools.demo_days",
        description="Crawl the demo newsroom on two days, and say what there is to look at; `make crawl` does so.\n\n"
        "The day and the ports of the sites are noted beside the database, and are the same the next time.",
    )
    parser.add_argument("--serve", action="store_true", help="serve the sites of the second day until Ctrl-C")
    complete(parser, _EXAMPLES, {0: "it was crawled, or served", FAILED: "a wrong argument, or a port is in use"})
    options = parser.parse_args(arguments)
    try:
        return live(is_served=options.serve)
    except KeyboardInterrupt:  # while nothing was under way that could end in its own way
        return SIGNALLED + signal.SIGINT


def live(*, is_served: bool) -> int:
    """Serve the sites where the database knows them, and crawl them unless they are only to be served."""
    url = str(DATABASE.of(get_project_settings()))
    path = file_of(url)
    noted = Record.read(path) if path and path.exists() and sites_in(url) else None
    today = noted.today if noted else last_midnight()
    days = build_two_days(today=today)
    with ExitStack() as stack:
        try:
            served = running_at(days.second, noted.ports) if noted else running(days.second, FIRST_PORT)
            servers = stack.enter_context(served)
        except OSError as error:
            ports = ", ".join(map(str, noted.ports)) if noted else "any"
            return _fail(
                f"cannot serve the sites of {path} where its articles link to, ports {ports}: {error.strerror}.\n"
                f"Stop what uses them, such as another demo, or crawl into another folder:  {ELSEWHERE}"
            )
        if is_served:
            return wait(tuple(server.home for server in servers))
        if path is None:
            code = crawl(days.second, servers)
            return 0 if code in WELL else code
        known = frozenset(server.authority for server in servers) if noted else frozenset()
        record = noted or Record(today, tuple(server.server_port for server in servers))
        return TwoVisits(days, servers, url, path).go_on(record, known)


def _fail(message: str) -> int:
    print(message, file=sys.stderr)  # noqa: T201 - for whoever started it
    return FAILED
