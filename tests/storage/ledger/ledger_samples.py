"""Findings, visits and runs shared by tests of the ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from newsextract.storage.ledger import Admission, Entry, Finding, Role, VisitRecord, admit, entry_of, record
from newsextract.storage.run_lock import Run, begin_run
from newsextract.storage.schema import ledger, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = "news.example"


def finding(name: str, role: Role = Role.ARTICLE, **known: Any) -> Finding:
    return Finding(f"https://{SITE}/{name}", SITE, role, **{"found_in": "feed", **known})


def visit(found: Finding, at: datetime, state: str = "article", **known: Any) -> VisitRecord:
    names = {"id": found.id, "url": found.url, "site": found.site, "role": found.role}
    return VisitRecord(**{**names, "state": state, "at": at, "found_in": found.found_in, "depth": found.depth, **known})


def admitted(engine: Engine, now: datetime, *findings: Finding) -> list[str]:
    """Admit findings, and return the last path parts of the URLs to visit."""
    with engine.begin() as connection:
        (wanted,) = admit(connection, [Admission(findings, now)])
    return [entry.url.rpartition("/")[2] for entry in wanted]


def recorded(engine: Engine, *visits: VisitRecord) -> Entry:
    """Record visits, and return the ledger's entry for the last one's URL."""
    with engine.begin() as connection:
        record(connection, visits)
    return known(engine, visits[-1].id)


def entries(connection: Connection, keys: Sequence[str]) -> list[Entry | None]:
    """Return the entries with these keys; `None` for an unknown key."""
    rows = connection.execute(select(ledger).where(ledger.c.id.in_(keys))).mappings()
    found = {row["id"]: entry_of(row) for row in rows}
    return [found.get(key) for key in keys]


def known(engine: Engine, key: str) -> Entry:
    with engine.begin() as connection:
        (entry,) = entries(connection, [key])
    assert entry is not None
    return entry


def begin(engine: Engine, run: Run, now: datetime = NOON + timedelta(seconds=30)) -> Run | None:
    """Begin a run as if it had sent no heartbeat, which goes by the real clock; return one that is in its place."""
    with engine.begin() as connection:
        (other,) = begin_run(connection, [(run, now)])
        connection.execute(update(runs).where(runs.c.id == run.id).values(beat_ms=None))
    return other


def begun(engine: Engine, now: datetime = NOON, command: str = "") -> Run:
    """Begin a run of this process, of a command that no other run has unless one is given."""
    run = Run.here("news", command, {"sites": "sites.yml"})
    assert begin(engine, run, now) is None
    return run
