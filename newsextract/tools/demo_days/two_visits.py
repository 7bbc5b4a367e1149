"""Crawls the demo newsroom on its first day and on its second, or goes on where an earlier command was stopped."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.tools.demo.__main__ import SIGNALLED, run
from newsextract.tools.demo.two_days import BETWEEN, TwoDays
from newsextract.tools.demo_days.clock import set_back
from newsextract.tools.demo_days.demo_database import is_finished, sites_in
from newsextract.tools.demo_days.guide import print_guide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.tools.demo import DemoNewsroom
    from newsextract.tools.demo.demo_server import SiteServer
    from newsextract.tools.demo_days.record import Record

RULES = Path(str(files(__package__) / "watch.yml"))

ELSEWHERE = "make crawl NEWSEXTRACT_OUTPUT=demo"
"""Lives through both days in another folder."""

WELL = (0, 3)
"""Exit codes of a crawl that did what it should: one site of the second day is ill."""

_BOTH = 2


@dataclass(frozen=True)
class TwoVisits:
    """The sites on two days, and the database that a crawl of each fills."""

    days: TwoDays
    servers: Sequence[SiteServer]
    url: str
    path: Path

    def go_on(self, record: Record, known: frozenset[str]) -> int:
        """Crawl what is still to come, or the second day again, and say what to look at; return the exit code.

        `known` are the sites that the database may have at the first visit.
        """
        record.write(self.path)
        if record.days_over:
            again = "is there already: visiting the second day again. For both:  " + ELSEWHERE
            _say(f"{self.path} {again}" if record.days_over == _BOTH else "Day 2 of 2 once more: it was not finished.")
        elif sites_in(self.url) - known:
            # Whose articles these are we cannot know: their times stay as they are.
            _say(f"{self.path} has other articles, too: visiting only the second day. For both:  {ELSEWHERE}")
        elif code := self._visit_first(record):
            return code
        if code := self._visit(self.days.second, "The second day"):
            return code
        replace(record, days_over=_BOTH).write(self.path)
        print_guide(self.url, RULES)
        return 0

    def _visit_first(self, record: Record) -> int:
        _say("Day 1 of 2 once more: it was not finished." if sites_in(self.url) else "Day 1 of 2.")
        if code := self._visit(self.days.first, "The first day"):
            return code
        # On a later day than the demo's, the first visit must still be one to its first day.
        time = BETWEEN + timedelta(days=(datetime.now(UTC) - record.today).days)
        set_back(self.url, time)
        replace(record, days_over=1).write(self.path)
        hours = f"{time.total_seconds() / 3600:.0f}"
        _say(f"\nDay 2 of 2: {hours} hours later. (The times that {self.path} has noted are set back by that.)")
        return 0

    def _visit(self, newsroom: DemoNewsroom, day: str) -> int:
        """Return 0 if the crawl did what it should."""
        code = crawl(newsroom, self.servers)
        if code in WELL and is_finished(self.url):
            return 0
        _say(f"\n{day} is not finished: the same command goes on with it.")
        return code or SIGNALLED + signal.SIGINT


def crawl(newsroom: DemoNewsroom, servers: Sequence[SiteServer]) -> int:
    """Crawl the newsroom once, and return the exit code."""
    for server, site in zip(servers, newsroom.sites, strict=True):
        server.show(site)
    # Not what Scrapy says of its start, in 150 lines a day where there is no terminal: the tables tell.
    quiet = ("-L", "WARNING")
    command = [sys.executable, "-m", "newsextract.commands", "crawl", "news", "-a", "sites={sites}", *quiet]
    return run([*command, "-s", f"NEWSEXTRACT_WATCH={RULES}"], ",".join(server.home for server in servers))


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - before the crawl's own output
