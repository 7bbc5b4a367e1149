"""The ledger: what is known of every URL, and when it is due again.

Its functions are batch operations: they take a connection in a transaction and a sequence of arguments, and return as
many results in the same order. They may be repeated, because a commit may have succeeded although its answer was lost.
Rows are written in the order of their keys; a deadlock that comes all the same is a reason to repeat the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, case, delete, func, or_, select, true, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.ledger.crawl_runs import is_first_of_day, living_runs
from newsextract.storage.ledger.ledger_rows import Entry, Finding, Role, entry_of, new_row
from newsextract.storage.ledger.site_runs import forget_site_runs
from newsextract.storage.schema.crawl_tables import ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

_KNOWN = select(ledger).where(ledger.c.id.in_(bindparam("ids", expanding=True)))
_TELL = (
    update(ledger)
    .where(ledger.c.id == bindparam("key"))
    .values(hints=bindparam("to_hints"), date_listed=bindparam("to_listed"))
)
_TURN = (
    update(ledger)
    .where(ledger.c.id == bindparam("key"), ledger.c.role == Role.ARTICLE.value)
    .values(role=Role.LISTING.value, depth=bindparam("to_depth"), next_visit=bindparam("to_next"))
)
"""Updates a candidate that becomes a listing; separate, because another run may have just set its next visit."""


KEPT = timedelta(days=400)
"""A year and a month, so that URLs that return each year are recognised."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Findings of a run, which asks which of them are due now."""

    findings: tuple[Finding, ...]
    now: datetime
    everything: bool = False
    """Whether listings and sources are wanted that are not due."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A query for a site's URLs from earlier runs that are due."""

    site: str
    now: datetime
    most: int
    role: Role = Role.ARTICLE
    everything: bool = False
    """Whether listings and sources are wanted that are not due."""


def admit(connection: Connection, admissions: Sequence[Admission]) -> list[list[Entry]]:
    """Write the findings; return, for each admission, the entries to visit now, in its order and without repeats."""
    # Keys are computed once, because a sitemap can have 50,000 URLs.
    found = [[(finding.id, finding) for finding in admission.findings] for admission in admissions]
    known = _read(connection, (key for one in found for key, _ in one))
    new: dict[str, Entry] = {}
    told: dict[str, Entry] = {}
    for admission, one in zip(admissions, found, strict=True):
        for key, finding in one:
            _take_in(key, finding, admission.now, (known, new, told))
    _insert(connection, new)
    _tell(connection, told, known)
    entries = known | told | new
    return [
        [entries[key] for key in dict.fromkeys(key for key, _ in one) if _is_wanted(entries[key], admission)]
        for admission, one in zip(admissions, found, strict=True)
    ]


def entries(connection: Connection, ids: Sequence[str]) -> list[Entry | None]:
    """Return the entries with these keys; `None` for an unknown key."""
    known = _read(connection, ids)
    return [known.get(key) for key in ids]


def pending(connection: Connection, questions: Sequence[Pending]) -> list[list[Entry]]:
    """Return the entries of a site and role that are due: unvisited ones first, then the others, the newest first.

    Entries that another living run has claimed are left out.
    """
    living = sorted(living_runs(connection, max(question.now for question in questions))) if questions else []
    return [_pending(connection, question, living) for question in questions]


def prune_daily(connection: Connection, nows: Sequence[datetime]) -> list[int]:
    """Delete entries older than `KEPT` in the first run of a day; return how many.

    The figures that runs recorded of sites are deleted too.
    """
    return [_forget(connection, now - KEPT) if is_first_of_day(connection, now) else 0 for now in nows]


def prune(connection: Connection, befores: Sequence[datetime]) -> list[int]:
    """Delete entries that never were an article and were last seen or visited before that time; return how many.

    Articles stay: without their entry they would be fetched again while an archive lists them.
    """
    return [_prune(connection, stamp(before)) for before in befores]


def _read(connection: Connection, ids: Iterable[str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for some in chunks(sorted(set(ids))):
        rows = connection.execute(_KNOWN, {"ids": some}).mappings()
        found |= {row["id"]: entry_of(row) for row in rows}
    return found


def _take_in(key: str, finding: Finding, now: datetime, books: tuple[dict[str, Entry], ...]) -> None:
    """Add a finding to the new entries, or to the known entries that it changes."""
    known, new, told = books
    entry = told.get(key) or known.get(key) or new.get(key)
    if entry is None:
        new[key] = entry_of(new_row(key, finding, now))
    elif (richer := entry.told(finding, now)) is not entry:
        (told if key in known else new)[key] = richer


def _insert(connection: Connection, new: dict[str, Entry]) -> None:
    rows = [new_row(key, _finding(entry), entry.first_seen) for key, entry in sorted(new.items())]
    insert_missing(connection, ledger, rows)


def _finding(entry: Entry) -> Finding:
    return Finding(entry.url, entry.site, entry.role, entry.found_in, entry.depth, entry.listed, entry.hints)


def _tell(connection: Connection, told: dict[str, Entry], known: dict[str, Entry]) -> None:
    richer = sorted(told.items())
    tellings = [
        {"key": key, "to_hints": entry.hints, "to_listed": entry.listed and stamp(entry.listed)}
        for key, entry in richer
        if (entry.hints, entry.listed) != (known[key].hints, known[key].listed)
    ]
    turns = [
        {"key": key, "to_depth": entry.depth, "to_next": entry.next_visit and stamp(entry.next_visit)}
        for key, entry in richer
        if entry.role is not known[key].role
    ]
    for statement, changes in ((_TELL, tellings), (_TURN, turns)):
        if changes:
            connection.execute(statement, changes)


def _is_wanted(entry: Entry, admission: Admission) -> bool:
    return entry.is_due(admission.now) or (admission.everything and entry.role is not Role.ARTICLE)


def _pending(connection: Connection, question: Pending, living: Sequence[str]) -> list[Entry]:
    columns = ledger.c
    is_free = or_(columns.claimed_by.is_(None), columns.claimed_by.not_in(living))
    is_wanted = columns.next_visit <= stamp(question.now)
    if question.everything and question.role is not Role.ARTICLE:
        is_wanted = true()
    query = (
        select(ledger)
        .where(columns.site == question.site, columns.role == question.role.value)
        .where(is_wanted, is_free)
        .order_by(case((columns.date_visited.is_(None), 0), else_=1))
        .order_by(func.coalesce(columns.date_listed, columns.date_first_seen).desc(), columns.id)
        .limit(question.most)
    )
    return [entry_of(row) for row in connection.execute(query).mappings()]


def _forget(connection: Connection, before: datetime) -> int:
    forget_site_runs(connection, before)
    return _prune(connection, stamp(before))


def _prune(connection: Connection, before: str) -> int:
    columns = ledger.c
    is_old = func.coalesce(columns.date_visited, columns.date_first_seen) < before
    is_unlisted = or_(columns.date_listed.is_(None), columns.date_listed < before)
    is_idle = or_(columns.next_visit.is_(None), columns.next_visit < before)
    forget = delete(ledger).where(columns.article_id.is_(None), columns.claimed_by.is_(None))
    # No visit is older than the row, and there is an index of when rows were made.
    is_old = and_(columns.date_first_seen < before, is_old)
    return connection.execute(forget.where(is_old, is_unlisted, is_idle)).rowcount
