"""The ledger: what is known of every URL, how its visits ended, who is about to visit it, and when it is due again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, case, delete, func, or_, select, true, update

from newsextract.page.urls import url_key
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import (
    MIN_ARTICLE_WAIT,
    RetryPolicy,
    is_due_by_source,
    longest_listing_interval,
    next_article_visit,
    next_failed_visit,
    next_listing_interval,
    origin,
)
from newsextract.storage.database_thread import each
from newsextract.storage.removals import WITHOUT_ARTICLE, Look, note_looks, why_gone
from newsextract.storage.rows import chunks, cleaned, insert_missing, moment, stamp, text_hash, write_rows
from newsextract.storage.run_lock import is_first_of_day, living_runs
from newsextract.storage.schema import ledger, site_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

    from newsextract.storage.removals import Removal


# The entries and findings of the ledger, as rows of its table.


class Role(StrEnum):
    """Why a URL is visited."""

    ARTICLE = "candidate"  # it may be an article, or is one
    LISTING = "listing"
    """A page that links to articles."""
    SOURCE = "source"
    """A sitemap or feed."""


def address_id(url: str) -> str:
    """Return the key of a page in the ledger, and of its article's row; all spellings of a URL share it.

    >>> address_id("http://www.example.com/a/") == address_id("https://example.com/a")
    True
    """
    return text_hash(url_key(url))


def source_id(url: str, site: str) -> str:
    """Return the key of a sitemap or feed in the ledger, which differs for each spelling and each site that names it.

    >>> source_id("https://example.com/feed", "example.com") == source_id("https://example.com/feed", "other.example")
    False
    """
    return text_hash(f"{site}\n{url}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A URL that a source or page lists."""

    url: str
    """Clean, see `newsextract.page.urls.clean_url`."""
    site: str
    role: Role
    found_in: str | None = None
    """`sitemap`, `news_sitemap`, `feed` or `links`; for a source, its own kind."""
    depth: int = 1
    """Clicks from the home page, which has depth 0."""
    listed: datetime | None = None
    """The date that the source states, of publication or change."""
    hints: dict[str, str] | None = None
    """The `title` and `date` that the source states."""

    @property
    def id(self) -> str:
        """The key of the URL."""
        return source_id(self.url, self.site) if self.role is Role.SOURCE else address_id(self.url)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger knows of one URL."""

    id: str
    url: str
    site: str
    role: Role
    found_in: str | None
    depth: int
    hints: dict[str, str] | None
    listed: datetime | None
    state: str | None
    """How the last visit ended, usually a `PageState`; `None` before the first."""
    etag: str | None
    last_modified: str | None
    content_hash: str | None
    article_id: str | None
    date_published: datetime | None
    first_seen: datetime
    visited: datetime | None
    next_visit: datetime | None
    interval_seconds: int | None
    unchanged: int
    failures: int

    @property
    def is_new(self) -> bool:
        """Whether no visit of it was completed."""
        return self.visited is None

    def is_due(self, now: datetime) -> bool:
        """Return whether it is due: for the first time, again, or because its source has a newer date."""
        if self.next_visit is not None and self.next_visit <= now:
            return True
        if self.visited is None:
            return self.next_visit is None  # if set, its host has asked to wait
        return is_due_by_source(self.listed, self.visited, self.unchanged + self.failures, now)

    def updated(self, finding: Finding, now: datetime) -> Entry:
        """Return the entry updated with a finding; the same entry if the finding adds nothing.

        A page that was visited as a candidate and is not an article may turn out to be a section: then it is due again.
        """
        # To the second, as stored: otherwise a date with a fraction would look new in every run.
        listed = finding.listed and finding.listed.replace(microsecond=0)
        is_newer = listed is not None and (self.listed is None or listed > self.listed)
        entry = replace(self, listed=listed) if is_newer else self
        hints = {**(self.hints or {}), **cleaned(finding.hints or {})} or None
        if hints != self.hints:
            entry = replace(entry, hints=hints)
        is_section = finding.role is Role.LISTING and self.role is Role.ARTICLE
        if is_section and self.state != PageState.ARTICLE and self.article_id is None:
            entry = replace(entry, role=Role.LISTING, depth=finding.depth, next_visit=now)
        return entry


def entry_of(row: Mapping[Any, Any]) -> Entry:
    """Return a row of the ledger as an entry."""
    values: dict[str, Any] = {name: row.get(_TIMES.get(name, name)) for name in Entry.__dataclass_fields__}
    times = {name: values[name] and moment(values[name]) for name in _TIMES}
    return Entry(**values | times | {"role": Role(row["role"])})


def new_row(key: str, finding: Finding, now: datetime) -> dict[str, Any]:
    """Return the row of a new URL: due at once, with the other columns empty until its first visit."""
    return {
        "id": key,
        "url": finding.url,
        "site": finding.site,
        "role": finding.role.value,
        "found_in": finding.found_in,
        "depth": finding.depth,
        "hints": cleaned(finding.hints),
        "date_listed": finding.listed and stamp(finding.listed),
        "date_first_seen": stamp(now),
        "next_visit": stamp(now),
        "visits": 0,
        "unchanged": 0,
        "failures": 0,
    }


_TIMES = {
    "listed": "date_listed",
    "date_published": "date_published",
    "first_seen": "date_first_seen",
    "visited": "date_visited",
    "next_visit": "next_visit",
}


# The ledger: what is known of every URL, and when it is due again.
#
# Its functions are batch operations: they take a connection in a transaction and a sequence of arguments, and return as
# many results in the same order. They may be repeated, as a commit may have succeeded although its answer was lost.
# Rows are written in the order of their keys; a deadlock that comes all the same is a reason to repeat the batch.

_KNOWN = select(ledger).where(ledger.c.id.in_(bindparam("ids", expanding=True)))
_UPDATE = (
    update(ledger)
    .where(ledger.c.id == bindparam("key"))
    .values(hints=bindparam("to_hints"), date_listed=bindparam("to_listed"))
)
_DEMOTE = (
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
    new: dict[str, dict[str, Any]] = {}
    updated: dict[str, Entry] = {}
    for admission, one in zip(admissions, found, strict=True):
        for key, finding in one:
            if key not in known:
                new[key] = new_row(key, finding, admission.now)
                known[key] = entry_of(new[key])
            entry = updated.get(key) or known[key]
            if (richer := entry.updated(finding, admission.now)) is not entry:
                updated[key] = richer
    insert_missing(connection, ledger, [new[key] for key in sorted(new)])
    _update(connection, updated, known)
    entries = known | updated
    return [
        [entries[key] for key in dict.fromkeys(key for key, _ in one) if _is_wanted(entries[key], admission)]
        for admission, one in zip(admissions, found, strict=True)
    ]


@each
def pending(connection: Connection, question: Pending) -> list[Entry]:
    """Return the entries of a site and role that are due: unvisited ones first, then the others, the newest first.

    Entries that another living run has claimed are left out.
    """
    columns = ledger.c
    living = sorted(living_runs(connection, question.now))
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


@each
def count_due(connection: Connection, question: tuple[Sequence[str], datetime]) -> int:
    """Return how many pages of some sites are due at a time, whoever has claimed them."""
    sites, now = question
    columns = ledger.c
    is_due = columns.role != Role.SOURCE.value, columns.next_visit <= stamp(now)
    return sum(
        connection.execute(select(func.count()).where(columns.site.in_(some), *is_due)).scalar_one()
        for some in chunks(sites)
    )


@each
def prune_daily(connection: Connection, now: datetime) -> int:
    """In the first run of a day, delete entries and figures of sites that are older than `KEPT`; return how many.

    Of the entries those that never were an article and were last seen or visited before: articles stay, which would
    else be fetched again while an archive lists them.
    """
    if not is_first_of_day(connection, now):
        return 0
    columns, before = ledger.c, stamp(now - KEPT)
    connection.execute(delete(site_runs).where(site_runs.c.date < before))
    # No visit is older than the row, and there is an index of when rows were made.
    is_old = columns.date_first_seen < before, func.coalesce(columns.date_visited, columns.date_first_seen) < before
    is_unlisted = or_(columns.date_listed.is_(None), columns.date_listed < before)
    is_idle = or_(columns.next_visit.is_(None), columns.next_visit < before)
    forget = delete(ledger).where(columns.article_id.is_(None), columns.claimed_by.is_(None))
    return connection.execute(forget.where(*is_old, is_unlisted, is_idle)).rowcount


def _read(connection: Connection, ids: Iterable[str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for some in chunks(sorted(set(ids))):
        rows = connection.execute(_KNOWN, {"ids": some}).mappings()
        found |= {row["id"]: entry_of(row) for row in rows}
    return found


def _update(connection: Connection, updated: dict[str, Entry], known: dict[str, Entry]) -> None:
    richer = sorted(updated.items())
    updates = [
        {"key": key, "to_hints": entry.hints, "to_listed": entry.listed and stamp(entry.listed)}
        for key, entry in richer
        if (entry.hints, entry.listed) != (known[key].hints, known[key].listed)
    ]
    turns = [
        {"key": key, "to_depth": entry.depth, "to_next": entry.next_visit and stamp(entry.next_visit)}
        for key, entry in richer
        if entry.role is not known[key].role
    ]
    for statement, changes in ((_UPDATE, updates), (_DEMOTE, turns)):
        if changes:
            connection.execute(statement, changes)


def _is_wanted(entry: Entry, admission: Admission) -> bool:
    return entry.is_due(admission.now) or (admission.everything and entry.role is not Role.ARTICLE)


# Claims of URLs: two runs on one database never visit the same URL at the same time.

_NOBODY = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """The request of a run to visit URLs that `admit` or `pending` returned."""

    run_id: str
    ids: tuple[str, ...]
    now: datetime
    everything: bool = False
    """Whether listings are claimed that are not due."""


@each
def claim(connection: Connection, wanted: Claim) -> set[str]:
    """Claim the URLs that no other living run holds and none has visited meanwhile; return their keys.

    A repeated claim returns the same keys. The run must have begun, see `newsextract.storage.run_lock.begin_run`.
    """
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


@each
def release(connection: Connection, released: tuple[str, Sequence[str]]) -> None:
    """Release claims, given as the id of a run and the keys that it will not visit."""
    run_id, ids = released
    for some in chunks(sorted(set(ids))):
        is_held = and_(ledger.c.id.in_(some), ledger.c.claimed_by == run_id)
        connection.execute(update(ledger).where(is_held).values(claimed_by=None))


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


# Records how visits ended: what was found, how often nothing was new, and when the next visit is due.

UNCHANGED = "unchanged"
"""The state of a visit with the same result as the last one: a 304, or the same bytes."""

READ = "read"
"""The state of a sitemap or feed that was read."""

_FAILURES = frozenset({PageState.ERROR, PageState.BLOCKED})

_FOUND = frozenset({PageState.ARTICLE, UNCHANGED})

_LOCKED = (
    select(ledger).where(ledger.c.id.in_(bindparam("ids", expanding=True))).order_by(ledger.c.id).with_for_update()
)

_REASON_CHARS: int = ledger.c.reason.type.length  # type: ignore[attr-defined]
_DATE_CHARS: int = ledger.c.last_modified.type.length  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRecord:
    """How the visit of a URL ended."""

    id: str
    """The key of the requested URL, before redirects."""
    url: str
    site: str
    role: Role
    state: str
    """A `PageState`, `UNCHANGED` or `READ`."""
    at: datetime
    reason: str | None = None
    retry: RetryPolicy | None = None
    """How long to wait for the next visit; `None` if the state decides."""
    status: int | None = None
    """The HTTP status, if there was a response."""
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str | None = None
    article_id: str | None = None
    published: datetime | None = None
    changed: bool = False
    """Whether it found something new: a changed article, or new links."""
    found_in: str | None = None
    depth: int = 1


def record(connection: Connection, visits: Sequence[VisitRecord]) -> list[Removal]:
    """Write how visits ended and when the next are due, and release the claims; a visit recorded twice counts once.

    A visit older than the recorded one changes nothing. Unknown URLs are added. Returns what is removed, or back.
    """
    first = {visit.id: visit for visit in reversed(visits)}
    insert_missing(
        connection,
        ledger,
        [
            new_row(key, Finding(visit.url, visit.site, visit.role, visit.found_in, visit.depth), visit.at)
            for key, visit in sorted(first.items())
        ],
    )
    rows: dict[str, dict[str, Any]] = {}
    for some in chunks(sorted(first)):
        rows |= {row["id"]: dict(row) for row in connection.execute(_LOCKED, {"ids": some}).mappings()}
    looks = []
    for visit in visits:
        rows[visit.id] = after = _after(rows[visit.id], visit)
        # The same bytes as the last time are what they were then: perhaps no article.
        is_same = visit.state == UNCHANGED
        missed = why_gone(after["state"] if is_same else visit.state, after["reason"] if is_same else visit.reason)
        if after["article_id"] and (missed or visit.state in _FOUND):
            looks.append(Look(after["article_id"], visit.at, missed))
    write_rows(connection, ledger, [rows[key] for key in sorted(rows)], kept=("id", "date_first_seen"))
    return note_looks(connection, looks)


def _after(row: dict[str, Any], visit: VisitRecord) -> dict[str, Any]:
    """Return a URL's row after a visit; the same row if the visit is already recorded."""
    at, visited = stamp(visit.at), row["date_visited"]
    is_same_text = visit.content_hash in (None, row["content_hash"])  # else another visit in the same second
    is_known = visited == at and visit.state in (row["state"], UNCHANGED) and is_same_text
    if is_known or (visited is not None and visited > at):
        return row
    after = row | _seen(row, visit) | {"visits": row["visits"] + 1, "date_visited": at, "claimed_by": None}
    after["failures"] = row["failures"] + 1 if _is_retried(after, visit) else 0
    if visit.state not in _FAILURES:
        is_news = visit.changed or visited is None
        after["unchanged"] = 0 if is_news else row["unchanged"] + 1
    return after | _next(after, visit, was_article=row["state"] == PageState.ARTICLE)


def _seen(row: Mapping[str, Any], visit: VisitRecord) -> dict[str, Any]:
    """Return the columns that a visit sets: none after a failure, only validators if the page is unchanged."""
    reason = visit.reason and visit.reason[:_REASON_CHARS]
    updated = {"role": visit.role.value, "found_in": visit.found_in or row["found_in"], "reason": reason}
    if visit.state in _FAILURES:
        return updated | {"state": visit.state, "status": visit.status}
    # A date that is cut would not be understood.
    last_modified = visit.last_modified if len(visit.last_modified or "") <= _DATE_CHARS else None
    if visit.state == UNCHANGED:
        etag, last_modified = visit.etag or row["etag"], last_modified or row["last_modified"]
        if row["state"] in WITHOUT_ARTICLE:
            updated["reason"] = row["reason"]
        return updated | {"etag": etag, "last_modified": last_modified, "state": _state_before(row)}
    return updated | {
        "state": visit.state,
        "status": visit.status,
        "etag": visit.etag,
        "last_modified": last_modified,
        "content_hash": visit.content_hash,
        # A page that once was an article keeps its article row, whatever is at the URL now.
        "article_id": visit.article_id or row["article_id"],
        "date_published": stamp(visit.published) if visit.published else row["date_published"],
    }


def _state_before(row: Mapping[str, Any]) -> str:
    """Return the state of an unchanged page: its last state before any failures."""
    if row["state"] is not None and row["state"] not in _FAILURES:
        return str(row["state"])
    return PageState.ARTICLE if row["article_id"] else UNCHANGED


def _is_retried(row: Mapping[str, Any], visit: VisitRecord) -> bool:
    """Return whether the URL is visited again for a limited number of times, given the row after a visit."""
    lost = (PageState.EMPTY, PageState.OTHER) if row["article_id"] else (PageState.EMPTY,)
    return visit.state in _FAILURES or (row["state"] in lost and visit.role is Role.ARTICLE)


def _next(row: Mapping[str, Any], visit: VisitRecord, *, was_article: bool) -> dict[str, Any]:
    """Return the columns of the next visit, given the otherwise complete row."""
    if _is_retried(row, visit):
        is_lost = row["state"] == PageState.OTHER
        retry = visit.retry or (RetryPolicy.PERMANENT if is_lost else RetryPolicy.of_state(row["state"]))
        is_home = visit.role is Role.LISTING and row["depth"] == 0
        # An unreachable site is requested once per run; otherwise its return would go unnoticed.
        failures = 1 if is_home and retry is RetryPolicy.TRANSIENT else row["failures"]
        again = next_failed_visit(visit.at, failures, retry)
        if again is None and visit.role is not Role.ARTICLE:
            # Home pages and feeds are never given up, because a site may come back after weeks.
            again = visit.at + timedelta(seconds=longest_listing_interval(row["found_in"], row["depth"]))
        return {"next_visit": again and stamp(again)}
    if visit.role is not Role.ARTICLE:
        found_in, depth = row["found_in"], row["depth"]
        seconds = next_listing_interval(row["interval_seconds"], changed=visit.changed, found_in=found_in, depth=depth)
        return {"interval_seconds": seconds, "next_visit": stamp(visit.at + timedelta(seconds=seconds))}
    if row["state"] != PageState.ARTICLE:
        return {"next_visit": None}
    again = next_article_visit(
        visit.at,
        moment(row["date_published"]) if row["date_published"] else None,
        moment(row["date_first_seen"]),
        found_in=origin(row["found_in"], row["depth"]),
        unchanged=row["unchanged"],
        changed=visit.changed and was_article,
    )
    return {"next_visit": again and stamp(again)}


# Postpones the visits of hosts that ask us to come back later.


@each
def postpone(connection: Connection, wish: tuple[str, Sequence[str], datetime]) -> None:
    """Move all visits of a host that are due earlier to the time that it named; given are host, sites and time.

    The host has its port, if the URLs have one; the sites are those that may have URLs there.
    """
    host, sites, time = wish
    until = stamp(time)
    beginnings = (f"{scheme}://{host}/" for scheme in ("http", "https"))
    is_there = or_(*(ledger.c.url.startswith(beginning, autoescape=True) for beginning in beginnings))
    for some in chunks(sorted(sites)):
        is_early = ledger.c.site.in_(some) & (ledger.c.next_visit < until)
        connection.execute(update(ledger).where(is_early, is_there).values(next_visit=until))


# What rendering a site's pages in a browser has led to, by the reasons that the ledger keeps of their visits.

RENDERED = "rendered"
"""The reason of an article that was read from a rendered page."""

NO_RESULT = ", rendered too"
"""How the reason of a page ends that is no article in the browser either."""


@each
def rendered_visits(connection: Connection, question: tuple[str, datetime]) -> tuple[int, int]:
    """Return how many pages of a site were rendered since a time, and how many of these are articles."""
    columns, (site, since) = ledger.c, question
    is_rendered = (columns.reason == RENDERED) | columns.reason.like(f"%{NO_RESULT}")
    is_one = (columns.role == Role.ARTICLE) & (columns.site == site) & (columns.date_visited >= stamp(since))
    query = select(columns.reason, func.count()).where(is_one & is_rendered).group_by(columns.reason)
    found: dict[str, int] = dict(connection.execute(query).all())
    return sum(found.values()), found.get(RENDERED, 0)
