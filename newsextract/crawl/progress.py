"""Shows a crawl: a live table on a terminal, plain lines elsewhere, and at the end a table with one row per site."""

from __future__ import annotations

import logging
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.live import Live
from rich.table import Table
from sqlalchemy.engine import make_url
from twisted.internet.task import LoopingCall

from newsextract.crawl.outcome import STOPPED
from newsextract.reading.notices import PageState
from newsextract.settings import DATABASE
from newsextract.sites.fetching import NOT_FOUND
from newsextract.terminal import console_for, drop_the_rest, printable, show

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from newsextract.crawl.outcome import Outcome


@dataclass
class SiteReport:
    """Pages by state, the words of the articles, and the time from the first page to the last."""

    site: str
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    stored_before: int = 0
    """Articles that the database already had, unchanged."""
    words: list[int] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    ended: float = field(default_factory=time.monotonic)

    def note(self, outcome: Outcome) -> None:
        """Count a page that ended."""
        self.states[outcome.state] += 1
        self.ended = time.monotonic()
        if outcome.reason:
            self.reasons[f"{outcome.state}: {outcome.reason}"] += 1
        self.stored_before += outcome.is_stored and not outcome.is_exported
        if outcome.article is not None:
            self.words.append(outcome.article.wordCount or 0)

    @property
    def pages(self) -> int:
        """How many pages ended."""
        return self.states.total()

    @property
    def median_words(self) -> int | None:
        """The median length of the site's articles, in words."""
        return round(statistics.median(self.words)) if self.words else None

    @property
    def seconds(self) -> float:
        """The time from the start of the run to the site's last page."""
        return self.ended - self.started


_FAILING = (PageState.ERROR, PageState.BLOCKED, PageState.EMPTY, PageState.DROPPED)
"""The states of pages that might have given an article."""

MAX_ROWS = 40
"""Sites in the final table; if there are more, those with problems come first and the rest share one row."""

_CHROME_LINES = 10
"""Terminal lines for the title, header, totals and borders of the live table, and for the line below it."""


def live_table(reports: Iterable[SiteReport], height: int, title: str = "crawling") -> Table:
    """Return a table of the busiest sites, as many as fit into `height` lines."""
    ranked = sorted(reports, key=lambda report: -report.ended)
    return _table(ranked[: max((height - _CHROME_LINES) // 2, 1)], ranked, title)


def final_table(reports: Sequence[SiteReport], reason: str) -> Table:
    """Return a table of the sites of a run in order; if there are too many, sites without an article come first."""
    shown = list(reports)
    if len(shown) > MAX_ROWS:
        shown = sorted(shown, key=lambda report: report.states[PageState.ARTICLE] > 0)[:MAX_ROWS]
    table = _table(shown, reports, f"newsextract: {reason}")
    table.columns[0].no_wrap = True
    return table


def _table(shown: Sequence[SiteReport], everything: Sequence[SiteReport], title: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("site", overflow="fold")
    table.add_column("pages", justify="right", no_wrap=True)
    table.add_column("of these")
    table.add_column("words", justify="right", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    for report in shown:
        words = str(report.median_words or "")
        table.add_row(report.site, str(report.pages), _in_words(report.states), words, f"{report.seconds:.1f} s")
    if len(shown) < len(everything):
        table.add_row(f"… and {len(everything) - len(shown)} more", style="dim")
    if len(everything) > 1:
        total = sum((report.states for report in everything), Counter[str]())
        table.add_section()
        table.add_row(f"{len(everything)} sites", str(total.total()), _in_words(total), style="bold")
    return table


def _in_words(states: Counter[str]) -> str:
    return ", ".join(f"{states[state]} {state.value}" for state in PageState if states[state])


def problems(reports: Collection[SiteReport], quiet: Collection[str] = ()) -> Iterator[str]:
    """Yield a line for each site without an article, with the states of its pages, and one for the sites not due.

    A site with only articles of earlier runs gets no line: having nothing new is normal.
    """
    without = [report for report in reports if not report.states[PageState.ARTICLE]]
    silent = [report for report in without if report.site not in quiet and not _is_known(report)]
    for report in silent[:MAX_ROWS]:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in report.reasons.most_common(3))
        if len(reports) == 1 and reasons and all(map(_is_unfound, report.reasons)):
            yield f"{report.site}: {NOT_FOUND}. Is the address right, and is this machine online?"
        else:
            yield f"{report.site}: no article; {reasons or 'no page was fetched: see the log'}"
    yield from _failures(report for report in reports if report not in silent)
    yield from _what_to_do(silent, is_all=len(silent) == len(reports))
    if quiet:
        yield (
            f"nothing is due yet on {len(quiet)} of the sites: they were visited lately or have asked to wait. "
            "Visit them anyway: -a fresh=1"
        )


def _failures(reports: Iterable[SiteReport]) -> Iterator[str]:
    """Yield one line about the pages that failed where others could be read."""
    reasons = sum((report.reasons for report in reports), Counter[str]())
    failed = Counter({text: count for text, count in reasons.items() if text.startswith(f"{PageState.ERROR}: ")})
    if failed:
        most = ", ".join(f"{text.partition(': ')[2]} ({count})" for text, count in failed.most_common(3))
        yield f"{failed.total()} {'page' if failed.total() == 1 else 'pages'} failed: {most}"


def _what_to_do(silent: Collection[SiteReport], *, is_all: bool) -> Iterator[str]:
    """Yield advice about sites without an article."""
    unfound = sum(bool(report.reasons) and all(map(_is_unfound, report.reasons)) for report in silent)
    if is_all and silent and unfound == len(silent):
        if len(silent) > 1:
            yield "No host was found: are the addresses right, and is this machine online?"
    elif unfound < len(silent):
        yield "Run `newsextract probe URL` to see what a site offers and what blocks it."


def _is_unfound(reason: str) -> bool:
    return reason.endswith(NOT_FOUND)


def _is_known(report: SiteReport) -> bool:
    known = report.states[PageState.UNCHANGED] + report.stored_before
    return known > 0 and not any(report.states[state] for state in _FAILING)


def from_feeds(count: int) -> list[str]:
    """Return a line about the articles that feeds' texts stand in for; an empty list if there are none.

    >>> from_feeds(2)
    ["2 articles more have the text of their site's feed, as their pages could not be read"]
    """
    more = "1 article more has" if count == 1 else f"{count} articles more have"
    pages = "its page" if count == 1 else "their pages"
    owner = "its" if count == 1 else "their"
    return [f"{more} the text of {owner} site's feed, as {pages} could not be read"] if count else []


def where_to_look(settings: BaseSettings) -> Iterator[str]:
    """Yield a line for each place where articles were written, with a command that shows them."""
    for target in settings.getdict("FEEDS"):
        path = Path(str(target).removeprefix("file://"))
        if str(target) in ("-", "stdout:"):
            continue
        if path.is_file() and not path.stat().st_size:
            continue
        if path.suffix == ".jsonl" and path.is_file():
            yield f"{path}: one article per line. Newest: tail -n 1 {path} | python -m json.tool"
        elif "://" not in str(target):
            yield f"{path}"
    if database := DATABASE.of(settings):
        url = make_url(database)
        if url.get_backend_name() == "sqlite":
            query = "select site, headline from articles order by date_published_utc desc limit 10"
            yield f'{url.database}: table articles; see  sqlite3 -column {url.database} "{query}"'
        else:
            yield f"{url.render_as_string()}: table articles"


logger = logging.getLogger(__name__)

STOPPING = "stopping (Ctrl-C again: at once)"
"""The title of the live table after Ctrl-C."""

PLAIN_SECONDS, LIVE_SECONDS = 10, 0.5
"""Seconds between two plain lines, and between two updates of the live table."""

PLAIN_WIDTH = 160
"""Characters per line without a terminal: enough for a table with all states and long names."""


class ReportConsole(Console):
    """Prints until its stream takes no more, then is quiet; the crawl goes on, and stores what it reads."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; a full disk or a closed stream is a line in the log."""
        try:
            super().print(*objects, **options)
        except OSError as error:
            self._give_up()
            logger.error("the report of the crawl could not be printed: %s", error)  # noqa: TRY400 - a line says it

    def on_broken_pipe(self) -> None:
        """Be quiet from now on, where rich would raise `SystemExit`.

        In the reactor, that would end the event loop but not its threads, for which Python then waits for ever.
        """
        self._give_up()

    def _give_up(self) -> None:
        self.quiet = True
        drop_the_rest(self.file)


class Progress:
    """Counts pages per site and shows the counts."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = crawler.settings
        self.stats: Any = crawler.stats
        self.console = _console(crawler.settings)
        self.reports: dict[str, SiteReport] = {}
        self.live: Live | None = None
        self.loop: LoopingCall | None = None
        self.said = -1

    def open(self, sites: Iterable[str]) -> None:
        """Start showing, with a row for every site, so that sites without any page are visible."""
        self.reports = {site: SiteReport(site) for site in sites}
        if self.console.is_terminal:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
        self.loop = LoopingCall(self.show)
        self.loop.start(LIVE_SECONDS if self.live else PLAIN_SECONDS, now=self.live is not None)

    def page_ended(self, site: str, _: Request | None, outcome: Outcome) -> None:
        """Count a page."""
        if (report := self.reports.get(site)) is None:
            report = self.reports[site] = SiteReport(site)
        report.note(outcome)

    def show(self) -> None:
        """Show the current counts."""
        if self.live:
            title = "crawling" if self.crawler.crawling else STOPPING
            self.live.update(live_table(self.reports.values(), self.console.height, title), refresh=True)
            return
        pages = sum(report.pages for report in self.reports.values())
        if pages != self.said:
            self.said = pages
            articles = sum(report.states["article"] for report in self.reports.values())
            busy = sum(1 for report in self.reports.values() if report.pages)
            logger.info("%d articles of %d pages, %d of %d sites", articles, pages, busy, len(self.reports))

    def close(self, failed: Iterable[str] = (), *, quiet: Collection[str], reason: str) -> None:
        """Show what failed, the final table, and where the results are; `quiet` are the sites that had nothing due."""
        if self.loop and self.loop.running:
            self.loop.stop()
        if self.live:
            self.live.stop()
        if not self.reports:
            if others := self.stats.get_value("newsextract/sites/other_shards", 0):
                self._say([f"This shard has none of the sites ({others} in all): nothing is crawled."])
            return
        # A crawl that was stopped may have nothing yet: that is no trouble of the site.
        self._say([*failed, *(() if reason == STOPPED else problems(self.reports.values(), quiet))])
        if not quiet and not any(report.states.keys() - set(_FAILING) for report in self.reports.values()):
            return  # no page could be read
        show(self.console, final_table(list(self.reports.values()), reason))
        instead = from_feeds(self.stats.get_value("newsextract/feed_texts/article", 0))
        self._say([*instead, *where_to_look(self.settings)])

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.console.print(printable(line), soft_wrap=True, highlight=False, markup=False)


def _console(settings: BaseSettings) -> Console:
    # If articles go to standard output, a program reads them, and the table must not be among them.
    is_taken = any(str(target) in ("-", "stdout:") for target in settings.getdict("FEEDS"))
    stream = sys.stderr if is_taken else sys.stdout
    return console_for(stream, PLAIN_WIDTH, kind=ReportConsole)
