"""The pages about the sites and the runs: how many articles there are, what pages came to, how runs ended."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.desk.tables import Tables, rows, table_of

if TYPE_CHECKING:
    import sqlite3

MOST_RUNS = 100
_STATE = "newsextract/state/"
_RUN_COLUMNS = "id spider arguments date_started date_heartbeat date_ended reason stats".split()

_COUNTED = "select site, count(*) as articles, max(date_published) as newest from articles group by site"
_TODAY = """
    select site, count(*) from articles
    where date_first_seen > (select strftime('%Y-%m-%dT%H:%M:%S', max(date_first_seen), '-1 day') from articles)
    group by +site
"""
"""The plus keeps SQLite from going through all articles in the order of the sites, rather than through a day."""
_STATES = """
    select site, coalesce(state, 'not visited yet'), count(*) from ledger where role = 'candidate' group by 1, 2
"""


@dataclass
class Site:
    """A site in the list of sites."""

    name: str
    articles: int = 0
    newest: str | None = None
    """The newest date of publication, as stated."""
    last_day: int = 0
    """Articles seen in the twenty-four hours up to the last one of any site."""
    completed: str | None = None
    """When the last visit came to its end."""
    states: dict[str, int] = field(default_factory=dict)
    """Pages that the ledger knows, by how the last visit of each ended."""


def sites(connection: sqlite3.Connection) -> list[Site]:
    """Read what is known of each site, those with the most articles first."""
    tables = Tables.of(connection)
    made: defaultdict[str, Site] = defaultdict(lambda: Site(""))
    if "articles" in tables:
        for row in rows(connection, _COUNTED):
            made[row["site"]].articles, made[row["site"]].newest = row["articles"], row["newest"]
        for site, count in connection.execute(_TODAY):
            made[site].last_day = count
    if tables.has("ledger", "site", "role", "state"):
        for site, state, count in connection.execute(_STATES):
            made[site].states[state] = count
    if tables.has("sites", "site", "date_completed"):
        for site, completed in connection.execute("select site, date_completed from sites"):
            made[site].completed = completed
    for name, site in made.items():
        site.name = name
    return sorted(made.values(), key=lambda site: (-site.articles, site.name))


@dataclass(frozen=True)
class RunLine:
    """A run in the list of runs."""

    row: dict[str, Any]
    sites: str
    pages: int | None
    states: dict[str, int]
    """Pages by how they ended; empty while the run goes on."""


def runs(connection: sqlite3.Connection) -> list[RunLine]:
    """Read the last runs, the newest first."""
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
