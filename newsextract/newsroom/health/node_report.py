"""The nodes that crawl, for people and as plain values: a table, a line for each node that was lost, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from newsextract.newsroom.health.trouble import duration
from newsextract.storage.database.value_fitting import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from newsextract.storage.ledger.node_runs import NodeRun

_STYLES = {"running": "green", "silent": "bold red", "died": "bold red"}


def nodes_table(found: Sequence[NodeRun], now: datetime) -> Table:
    """Return a table with a row for each run."""
    table = Table("node", "state", "process", "job", box=SIMPLE, padding=0, pad_edge=False)
    table.add_column("began", justify="right")
    table.add_column("last sign of life", justify="right")
    for run in found:
        state = run.state(now)
        times = [f"{duration((now - then).total_seconds())} ago" for then in (run.started, run.heartbeat)]
        words = (Text(run.host), Text(state, _STYLES[state]), Text(str(run.pid)), Text(run.job or "–"))
        table.add_row(*words, *times)
    return table


def node_line(run: NodeRun, now: datetime) -> str:
    """Return what is wrong with a run that died or fell silent."""
    what = "died" if run.state(now) == "died" else "shows no sign of life"
    return (
        f"node {run.host}: the crawl of {run.started:%Y-%m-%d %H:%M} UTC, process {run.pid}, {what}; "
        f"last heard {duration((now - run.heartbeat).total_seconds())} ago"
    )


def node_statement(run: NodeRun, now: datetime) -> dict[str, Any]:
    """Return all that is known of a run, as plain values."""
    return {
        "node": run.host,
        "state": run.state(now),
        "pid": run.pid,
        "job": run.job,
        "started": stamp(run.started),
        "heartbeat": stamp(run.heartbeat),
        "ended": None if run.ended is None else stamp(run.ended),
    }
