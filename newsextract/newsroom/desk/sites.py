"""How crawls went: sites with their health, one site's runs, and the runs of the spider."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from newsextract.newsroom.desk.display import grouped, percent
from newsextract.newsroom.health.report import examine
from newsextract.storage.schema import NEWEST, articles, deliveries, ledger, outbox, runs, site_runs, sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.newsroom.desk.search import Row
    from newsextract.newsroom.health.report import SiteHealth

MOST_SITES = 1000
MOST_RUNS = 100
CHART_HEIGHT = 48
_STATE = "newsextract/state/"


def all_sites(connection: Connection) -> tuple[list[dict[str, Any]], int]:
    """Return what is known about each of the sites with the most articles, and how many sites there are."""
    counted = select(articles.c.site, func.count(), func.max(NEWEST)).group_by(articles.c.site)
    counts = {name: (count, moment) for name, count, moment in connection.execute(counted)}
    visits = dict(connection.execute(select(sites.c.site, sites.c.date_completed)).all())
    counts |= {name: (0, None) for name in visits if name not in counts}
    names = sorted(counts, key=lambda name: (-counts[name][0], name))[:MOST_SITES]
    new, problems, states = _new_articles(connection), _problems(connection, names), page_states(connection, names)
    found = [
        {
            "name": name,
            "articles": counts[name][0],
            "newest": counts[name][1],
            "last_day": new.get(name, 0),
            "completed": visits.get(name),
            "problems": problems.get(name, []),
            "states": states[name],
        }
        for name in names
    ]
    return found, len(counts)


def _new_articles(connection: Connection) -> dict[str, int]:
    """Return the articles of each site that were seen in the twenty-four hours up to the last one of any site."""
    seen = articles.c.date_first_seen
    last = connection.execute(select(func.max(seen))).scalar()
    if last is None:
        return {}
    start = (datetime.fromisoformat(last) - timedelta(days=1)).isoformat(timespec="seconds")
    recent = select(articles.c.site, func.count()).where(seen > start).group_by(articles.c.site)
    return dict(connection.execute(recent).all())


def _problems(connection: Connection, names: Sequence[str]) -> dict[str, list[str]]:
    """Return what was wrong with sites at the end of their last runs."""
    is_among = site_runs.c.site.in_(names)
    last = select(site_runs.c.site, func.max(site_runs.c.date).label("date")).where(is_among).group_by(site_runs.c.site)
    newest = last.subquery()
    is_last = (newest.c.site == site_runs.c.site) & (newest.c.date == site_runs.c.date)
    found = connection.execute(select(site_runs.c.site, site_runs.c.problems).join(newest, is_last))
    return {name: stated.split(",") for name, stated in found if stated}


def page_states(connection: Connection, names: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    """Return how the last visits of the known pages of sites ended, the commonest state first."""
    columns = ledger.c.site, ledger.c.state
    counted = select(*columns, func.count()).where(ledger.c.role == "candidate", ledger.c.site.in_(names))
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, state, count in connection.execute(counted.group_by(*columns).order_by(func.count().desc(), *columns)):
        found[name].append((state or "", count))
    return found


def site_page(connection: Connection, name: str) -> dict[str, Any] | None:
    """Return what is known about a site; `None` if nothing is. `health` is `None` if no run has seen the site."""
    count = connection.execute(select(func.count()).where(articles.c.site == name)).scalar_one()
    states, health = page_states(connection, [name])[name], examine(connection, name)
    known = {"name": name, "articles": count, "states": states, "health": health}
    return known | {"charts": charts(health) if health else []} if count or states or health else None


@dataclass(frozen=True)
class Bar:
    """A run in a chart."""

    date: datetime
    height: float
    """From 0 to `CHART_HEIGHT`."""
    value: str
    is_bad: bool
    """Whether something was wrong with the site."""


def charts(health: SiteHealth) -> list[tuple[str, str, list[Bar]]]:
    """Return what each run saw of a site, as charts: a name, the value of the highest bar, and the bars."""
    seen = [run.figures for run in health.runs]
    drawn = (
        ("New articles", [each.new for each in seen], grouped),
        ("Median words", [each.median_words for each in seen], grouped),
        ("Failed or blocked", [each.share(each.failed, each.asked) for each in seen], percent),
    )
    made = []
    for name, values, written in drawn:
        top = max((value for value in values if value is not None), default=0) or 1
        bars = [
            Bar(
                run.date,
                (value or 0) / top * CHART_HEIGHT,
                "–" if value is None else written(value),
                bool(run.problems),
            )
            for run, value in zip(health.runs, values, strict=True)
        ]
        made.append((name, written(top) if any(values) else "", bars))
    return made


def newest_runs(connection: Connection) -> list[dict[str, Any]]:
    """Return the last runs, newest first; their pages are known when they have ended."""
    names = ("arguments", "date_started", "date_heartbeat", "date_ended", "reason", "stats")
    wanted = select(*(runs.c[name] for name in names)).order_by(runs.c.date_started.desc()).limit(MOST_RUNS)
    return [_run(row) for row in connection.execute(wanted).mappings()]


def messages_to_come(connection: Connection) -> dict[str, list[tuple[str, int, str]]]:
    """Return what waits for each target: kinds of messages, how many of each, and since when; of digests, too."""
    columns = deliveries.c.target, outbox.c.kind, func.count(outbox.c.id), func.min(outbox.c.date_created)
    behind = select(*columns).join(outbox, outbox.c.id > deliveries.c.position, isouter=True)
    found: dict[str, list[tuple[str, int, str]]] = {}
    for target, kind, count, since in connection.execute(
        behind.group_by(deliveries.c.target, outbox.c.kind).order_by(deliveries.c.target, outbox.c.kind)
    ):
        found.setdefault(target, []).extend([(kind, count, since)] if kind else [])
    return found


def _run(row: Row) -> dict[str, Any]:
    stats: dict[str, Any] = row["stats"] or {}
    states = Counter({key.removeprefix(_STATE): count for key, count in stats.items() if key.startswith(_STATE)})
    known = {"sites": (row["arguments"] or {}).get("sites", ""), "pages": stats.get("newsextract/pages", 0)}
    return {**row, **known, "states": states.most_common()}
