"""The pages about sites and runs: numbers of articles, how pages and runs ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import Tables, rows, table_of

if TYPE_CHECKING:
    import sqlite3

MOST_RUNS = 100
_STATE = "newsextract/state/"
_RUN_COLUMNS = "id spider arguments date_started date_heartbeat date_ended reason stats".split()

_COUNTED = "select site, count(*) as articles, max(date_published_utc) as newest from articles group by site"
_TODAY = """
    select site, count(*) from articles
    where date_first_seen > (select strftime('%Y-%m-%dT%H:%M:%S', max(date_first_seen), '-1 day') from articles)
    group by +site
"""
"""The plus keeps SQLite from scanning all articles by site instead of one day's articles."""
_STATES = """
    select site, coalesce(state, 'not visited yet'), count(*) from ledger where role = 'candidate' group by 1, 2
"""
_TROUBLES = "select site, troubles, max(date) from site_runs group by site"


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
    trouble: str = ""
    """The problem found at the end of its last run."""
    states: dict[str, int] = field(default_factory=dict)
    """Pages in the ledger, by how the last visit of each ended."""


def sites(connection: sqlite3.Connection) -> list[Site]:
    """Return what is known about each site, those with the most articles first."""
    tables = Tables.of(connection)
    made = _Sites()
    if "articles" in tables:
        for name, count, newest in connection.execute(_COUNTED):
            made[name].articles, made[name].newest = count, newest
        for name, count in connection.execute(_TODAY):
            made[name].last_day = count
    if tables.has("ledger", "site", "role", "state"):
        for name, state, count in connection.execute(_STATES):
            made[name].states[state] = count
    _add_visits(connection, tables, made)
    return sorted(made.values(), key=lambda site: (-site.articles, site.name))


class _Sites(dict[str, Site]):
    """The sites by name, each created when it is first met."""

    def __missing__(self, name: str) -> Site:
        self[name] = Site(name)
        return self[name]


def _add_visits(connection: sqlite3.Connection, tables: Tables, made: _Sites) -> None:
    """Add how the last visits of the sites ended."""
    if tables.has("sites", "site", "date_completed"):
        for name, completed in connection.execute("select site, date_completed from sites"):
            made[name].completed = completed
    if tables.has("site_runs", "site", "date", "troubles"):
        for name, trouble, _ in connection.execute(_TROUBLES):
            made[name].trouble = trouble or ""


@dataclass(frozen=True)
class RunLine:
    """A run in the list of runs."""

    row: dict[str, Any]
    sites: str
    pages: int | None
    states: dict[str, int]
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
    states = {key.removeprefix(_STATE): count for key, count in sorted(stats.items()) if key.startswith(_STATE)}
    return RunLine(row, str(table_of(row["arguments"]).get("sites") or ""), stats.get("newsextract/pages"), states)
