"""Claims of URLs: two runs on one database never visit the same URL at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select, update

from newsextract.sites.frontier.visit_schedule import MIN_ARTICLE_WAIT
from newsextract.storage.database.batches import chunks
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.ledger.crawl_runs import living_runs
from newsextract.storage.ledger.ledger_rows import Role
from newsextract.storage.schema.crawl_tables import ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection


_NOBODY = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """The request of a run to visit URLs that `admit` or `pending` returned."""

    run_id: str
    ids: tuple[str, ...]
    now: datetime
    everything: bool = False
    """Whether listings are claimed that are not due."""


def claim(connection: Connection, claims: Sequence[Claim]) -> list[set[str]]:
    """Claim, for each run, the URLs that no other living run holds and none has visited meanwhile; return their keys.

    A repeated claim returns the same keys. The run must have begun, see `crawl_runs.begin_run`.
    """
    return [_claim(connection, one) for one in claims]


def release(connection: Connection, releases: Sequence[tuple[str, Sequence[str]]]) -> list[None]:
    """Release claims, given as the id of a run and the keys that it will not visit."""
    for run_id, ids in releases:
        for some in chunks(sorted(set(ids))):
            is_held = and_(ledger.c.id.in_(some), ledger.c.claimed_by == run_id)
            connection.execute(update(ledger).where(is_held).values(claimed_by=None))
    return [None] * len(releases)


def _claim(connection: Connection, wanted: Claim) -> set[str]:
    taken: set[str] = set()
    for some in chunks(sorted(set(wanted.ids))):
        is_asked = ledger.c.id.in_(some)
        dead = _dead_holders(connection, is_asked, wanted)
        # One statement that checks and claims. It names the runs from which it takes claims: so a run that has just
        # begun, and is not visible yet, is never mistaken for a dead one.
        # Not `IS NULL`: SQLite would look in the index of claims for all rows that nobody holds, which are nearly all.
        is_free = func.coalesce(ledger.c.claimed_by, _NOBODY).in_([_NOBODY, *dead])
        is_wanted = _is_due(wanted.now)
        if wanted.everything:
            is_wanted = or_(is_wanted, ledger.c.role == Role.LISTING.value)
        take = update(ledger).where(is_asked, is_free, is_wanted).values(claimed_by=wanted.run_id)
        connection.execute(take)
        is_ours = ledger.c.claimed_by == wanted.run_id
        taken.update(connection.execute(select(ledger.c.id).where(is_asked, is_ours)).scalars())
    return taken


def _dead_holders(connection: Connection, is_asked: ColumnElement[bool], wanted: Claim) -> list[str]:
    is_held = ledger.c.claimed_by.is_not(None) & (ledger.c.claimed_by != wanted.run_id)
    # In this order, because a run is in its table before it claims.
    holders = set(connection.execute(select(ledger.c.claimed_by).where(is_asked, is_held).distinct()).scalars())
    return sorted(holders - living_runs(connection, wanted.now)) if holders else []


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a URL is still due: a visit by another run meanwhile would have moved its times."""
    columns = ledger.c
    is_changed = columns.date_listed > columns.date_visited
    return or_(
        and_(columns.date_visited.is_(None), columns.next_visit.is_(None)),
        columns.next_visit <= stamp(now),
        and_(is_changed, columns.date_visited <= stamp(now - MIN_ARTICLE_WAIT)),
    )
