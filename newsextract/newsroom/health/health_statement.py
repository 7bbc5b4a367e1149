"""How sites do as plain values: for `scrapy health --json`, and for the message to a webhook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.storage.database.utc_times import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from newsextract.newsroom.health.examination import SiteHealth
    from newsextract.newsroom.health.trouble import Trouble
    from newsextract.storage.ledger.site_runs import SiteRun

VERSION = 1
"""Of the message's form; it grows when a field that was there is gone or means something else."""


def statement_of(health: SiteHealth) -> dict[str, Any]:
    """Return all that is known of a site."""
    return {
        "site": health.site,
        "state": health.state,
        "troubles": [_trouble(each) for each in health.troubles],
        "last_find": _stamp(health.last_find),
        "runs": [_run(each) for each in health.runs],
    }


def message_of(ill: Sequence[SiteHealth], run_id: str, date: datetime) -> dict[str, Any]:
    """Return what a webhook is told of the ill sites of a run."""
    sites = [
        {"site": health.site, "troubles": [_trouble(each) for each in health.troubles], "run": _run(health.newest)}
        for health in ill
    ]
    text = "\n".join(line for health in ill for line in lines_of(health))
    return {
        "event": "site.health",
        "version": VERSION,
        "run_id": run_id,
        "date": stamp(date),
        "text": text,
        "sites": sites,
    }


def lines_of(health: SiteHealth) -> list[str]:
    """Return a line for people for each thing that is wrong."""
    return [f"site {health.site}: {trouble}{_since(trouble, health)}" for trouble in health.troubles]


def _since(trouble: Trouble, health: SiteHealth) -> str:
    if trouble.since is None or trouble.since == health.newest.date:
        return ""
    return f" (since {trouble.since:%Y-%m-%d %H:%M} UTC)"


def _trouble(trouble: Trouble) -> dict[str, Any]:
    return {"kind": trouble.illness.value, "reason": trouble.reason, "since": _stamp(trouble.since)}


def _run(run: SiteRun) -> dict[str, Any]:
    plain = {"run_id": run.run_id, "date": stamp(run.date), "articles": run.articles}
    return plain | {"figures": dict(run.figures), "troubles": list(run.troubles)}


def _stamp(date: datetime | None) -> str | None:
    return None if date is None else stamp(date)
