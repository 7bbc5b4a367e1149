"""The pages about sites and runs: numbers of articles, how pages and runs ended."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.newsroom.desk.article_selection import MOMENTS
from newsextract.newsroom.desk.desk_database import Tables, rows, table_of
from newsextract.newsroom.desk.state_words import FAILED, StateCount, end_words, state_counts, trouble_words

if TYPE_CHECKING:
    import sqlite3

PAGE_SITES = 100
MOST_RUNS = 100
MOST_SITES = 5
"""Sites of a run that are named."""
_STATE, _REASON = "newsextract/state/", "newsextract/reason/"
_RUN_COLUMNS = "id arguments date_started date_heartbeat date_ended reason stats".split()

_MOMENT = MOMENTS["published"]
_COUNTED = "select site, count(*) from articles group by site"
_NEWEST = f"""
    select s.value, (select {_MOMENT} from articles where site = s.value order by {_MOMENT} desc limit 1)
    from json_each(?) s
"""  # noqa: S608 - of constants
_TODAY = """
    select site, count(*) from articles
    where date_first_seen > (select strftime('%Y-%m-%dT%H:%M:%S', max(date_first_seen), '-1 day') from articles)
    group by +site
"""
"""The plus keeps SQLite from scanning all articles by site instead of one day's articles."""
_LEDGER_SITES = """
    with recursive found(site) as (
        select min(site) from ledger where role = 'candidate'
        union all
        select (select min(site) from ledger where role = 'candidate' and site > found.site) from found
        where found.site is not null
    )
    select site from found where site is not null
"""
"""A step in the index for each site, where `distinct` would read each page."""
_SHOWN = "site in (select value from json_each(?1))"
_STATES = f"""
    select coalesce(state, ''), '', count(*) from ledger
    where role = 'candidate' and site = :site and (state is null or state not in {FAILED}) group by state
    union all
    select state, coalesce(reason, ''), count(*) from ledger
    where role = 'candidate' and site = :site and state in {FAILED} group by 1, 2
"""  # noqa: S608 - likewise
"""In two parts, because the index has no reasons: only failures are looked up in the table. Of one site, because the
index has that order; of several at once all their rows would be sorted."""
_COMPLETED = f"select site, date_completed from sites where {_SHOWN}"  # noqa: S608 - likewise
_TROUBLES = f"select site, troubles, max(date) from site_runs where {_SHOWN} group by site"  # noqa: S608 - likewise


@dataclass
class Site:
    """A site in the list of sites."""

    name: str
    articles: int = 0
    newest: str | None = None
    """The newest date of publication, in UTC."""
    last_day: int = 0
    """Articles seen in the twenty-four hours up to the last one of any site."""
    completed: str | None = None
    """When the last visit ended."""
    troubles: list[str] = field(default_factory=list)
    """What was wrong with it at the end of its last run."""
    states: list[StateCount] = field(default_factory=list)
    """Pages in the ledger, by how the last visit of each ended."""


@dataclass(frozen=True)
class SitePage:
    """A page of the list of sites, those with the most articles first."""

    sites: list[Site]
    page: int
    total: int
    """Sites on all pages."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE_SITES))

    def link(self, page: int) -> str:
        """Return the URL of a page."""
        return f"/sites?page={page}" if page > 1 else "/sites"


def site_page(connection: sqlite3.Connection, page: int = 1) -> SitePage:
    """Return what is known about each site of a page of the list."""
    tables = Tables.of(connection)
    counts = dict(connection.execute(_COUNTED).fetchall()) if "articles" in tables else {}
    has_states = tables.has("ledger", "site", "role", "state", "reason")
    for wanted, statement in ((has_states, _LEDGER_SITES), ("sites" in tables, "select site from sites")):
        counts |= {name: counts.get(name, 0) for (name,) in connection.execute(statement)} if wanted else {}
    names = sorted(counts, key=lambda name: (-counts[name], name))[(page - 1) * PAGE_SITES : page * PAGE_SITES]
    made = {name: Site(name, counts[name]) for name in names}
    shown = [json.dumps(names)]
    if "articles" in tables:
        for name, newest in connection.execute(_NEWEST, shown):
            made[name].newest = newest
        for name, count in connection.execute(_TODAY):
            if name in made:
                made[name].last_day = count
    if has_states:
        for name, site in made.items():
            site.states = state_counts(connection.execute(_STATES, {"site": name}))
    _add_visits(connection, tables, made, shown)
    return SitePage(list(made.values()), page, len(counts))


def _add_visits(connection: sqlite3.Connection, tables: Tables, made: dict[str, Site], shown: list[str]) -> None:
    """Add how the last visits of the sites ended."""
    if tables.has("sites", "site", "date_completed"):
        for name, completed in connection.execute(_COMPLETED, shown):
            made[name].completed = completed
    if tables.has("site_runs", "site", "date", "troubles"):
        for name, trouble, _ in connection.execute(_TROUBLES, shown):
            made[name].troubles = trouble_words(trouble)


@dataclass(frozen=True)
class RunLine:
    """A run in the list of runs."""

    row: dict[str, Any]
    sites: list[str]
    """The first `MOST_SITES` of its sites."""
    more_sites: int
    how: str
    """How it ended; empty while it is in progress."""
    pages: int
    states: list[StateCount]
    """Pages by how they ended; empty while the run is in progress."""


def runs(connection: sqlite3.Connection) -> list[RunLine]:
    """Return the last runs, newest first."""
    tables = Tables.of(connection)
    if not tables.has("runs", "id", "date_started"):
        return []
    columns = tables.selected("runs", *_RUN_COLUMNS)
    found = rows(connection, f"select {columns} from runs order by date_started desc limit ?", [MOST_RUNS])  # noqa: S608
    return [_line(row) for row in found]


def _line(row: dict[str, Any]) -> RunLine:
    stats = table_of(row["stats"])
    counted = [(key.removeprefix(_STATE), "", count) for key, count in stats.items() if key.startswith(_STATE)]
    states = state_counts(counted)
    for one in (one for one in states if one.state in FAILED):
        start = f"{_REASON}{one.state}/"
        one.reasons |= {key.removeprefix(start): count for key, count in stats.items() if key.startswith(start)}
    named = [_host(site) for site in str(table_of(row["arguments"]).get("sites") or "").split(",") if site.strip()]
    pages = stats.get("newsextract/pages") or 0
    return RunLine(row, named[:MOST_SITES], len(named) - MOST_SITES, end_words(row["reason"]), pages, states)


def _host(site: str) -> str:
    """Return the host of a home page; the name of a file is returned unchanged.

    >>> _host(" https://news.example/"), _host("sites.yml")
    ('news.example', 'sites.yml')
    """
    return urlsplit(site.strip()).netloc or site.strip()
