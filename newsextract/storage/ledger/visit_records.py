"""Records how visits ended: what was found, how often nothing was new, and when the next visit is due."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from newsextract.reading.page_state import PageState
from newsextract.sites.frontier.retry_patience import Patience
from newsextract.sites.frontier.visit_schedule import (
    longest_listing_interval,
    next_article_visit,
    next_failed_visit,
    next_listing_interval,
    origin,
)
from newsextract.storage.database.batches import chunks, insert_missing, write_rows
from newsextract.storage.database.value_fitting import moment, stamp
from newsextract.storage.ledger.ledger_rows import Finding, Role, new_row
from newsextract.storage.schema.crawl_tables import ledger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

UNCHANGED = "unchanged"
"""The state of a visit with the same result as the last one: a 304, or the same bytes."""

READ = "read"
"""The state of a sitemap or feed that was read."""

_FAILURES = frozenset({PageState.ERROR, PageState.BLOCKED})
_COUNTED = _FAILURES | {PageState.EMPTY}
"""States that are retried a limited number of times."""

_LOCKED = (
    select(ledger).where(ledger.c.id.in_(bindparam("ids", expanding=True))).order_by(ledger.c.id).with_for_update()
)

_FINDINGS = ("status", "etag", "last_modified", "content_hash", "article_id")


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
    patience: Patience | None = None
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


def record(connection: Connection, visits: Sequence[VisitRecord]) -> list[None]:
    """Write how visits ended and when the next are due, and release the claims; a visit recorded twice counts once.

    A visit older than the recorded one changes nothing. Unknown URLs are added.
    """
    first = {visit.id: visit for visit in reversed(visits)}
    insert_missing(connection, ledger, [_new(visit) for _, visit in sorted(first.items())])
    rows: dict[str, dict[str, Any]] = {}
    for some in chunks(sorted(first)):
        rows |= {row["id"]: dict(row) for row in connection.execute(_LOCKED, {"ids": some}).mappings()}
    for visit in visits:
        rows[visit.id] = _after(rows[visit.id], visit)
    write_rows(connection, ledger, [rows[key] for key in sorted(rows)], kept=("id", "date_first_seen"))
    return [None] * len(visits)


def _new(visit: VisitRecord) -> dict[str, Any]:
    finding = Finding(visit.url, visit.site, visit.role, visit.found_in, visit.depth)
    return new_row(visit.id, finding, visit.at)


def _after(row: dict[str, Any], visit: VisitRecord) -> dict[str, Any]:
    """Return a URL's row after a visit; the same row if the visit is already recorded."""
    at, visited = stamp(visit.at), row["date_visited"]
    is_same_text = visit.content_hash in (None, row["content_hash"])  # else another visit in the same second
    is_known = visited == at and visit.state in (row["state"], UNCHANGED) and is_same_text
    if is_known or (visited is not None and visited > at):
        return row
    counted = _counts(row, visit)
    seen = _seen(row, visit)
    return row | seen | counted | _next(row | seen | counted, visit, was_article=row["state"] == PageState.ARTICLE)


def _counts(row: Mapping[str, Any], visit: VisitRecord) -> dict[str, Any]:
    at = stamp(visit.at)
    is_news = visit.changed or row["date_visited"] is None
    counts = {"visits": row["visits"] + 1, "date_visited": at, "claimed_by": None}
    counts["failures"] = row["failures"] + 1 if visit.state in _COUNTED else 0
    if visit.state not in _FAILURES:
        counts["unchanged"] = 0 if is_news else row["unchanged"] + 1
        counts["date_changed"] = at if is_news else row["date_changed"]
    return counts


def _seen(row: Mapping[str, Any], visit: VisitRecord) -> dict[str, Any]:
    """Return the columns that a visit sets: none after a failure, only validators if the page is unchanged."""
    told = {"role": visit.role.value, "found_in": visit.found_in or row["found_in"], "reason": _cut(visit.reason)}
    validators = {"etag": visit.etag, "last_modified": _short(visit.last_modified)}
    if visit.state in _FAILURES:
        return told | {"state": visit.state, "status": visit.status}
    if visit.state == UNCHANGED:
        return told | {name: text for name, text in validators.items() if text} | {"state": _state_before(row)}
    found = {name: getattr(visit, name) for name in _FINDINGS} | validators
    # A page that once was an article keeps its article row, whatever is at the URL now.
    found["article_id"] = visit.article_id or row["article_id"]
    published = stamp(visit.published) if visit.published else row["date_published"]
    return told | found | {"state": visit.state, "date_published": published}


def _state_before(row: Mapping[str, Any]) -> str:
    """Return the state of an unchanged page: its last state before any failures."""
    if row["state"] is not None and row["state"] not in _FAILURES:
        return str(row["state"])
    return PageState.ARTICLE if row["article_id"] else UNCHANGED


def _next(row: Mapping[str, Any], visit: VisitRecord, *, was_article: bool) -> dict[str, Any]:
    """Return the columns of the next visit, given the otherwise complete row."""
    is_empty = row["state"] == PageState.EMPTY and visit.role is Role.ARTICLE
    if visit.state in _FAILURES or is_empty:
        patience = visit.patience or Patience.of_state(row["state"])
        is_home = visit.role is Role.LISTING and row["depth"] == 0
        # An unreachable site is requested once per run; otherwise its return would go unnoticed.
        failures = 1 if is_home and patience is Patience.TRANSIENT else row["failures"]
        again = next_failed_visit(visit.at, failures, patience)
        if again is None and visit.role is not Role.ARTICLE:
            # Home pages and feeds are never given up, because a site may come back after weeks.
            again = visit.at + timedelta(seconds=longest_listing_interval(row["found_in"], row["depth"]))
        return {"next_visit": again and stamp(again)}
    if visit.role is not Role.ARTICLE:
        return _next_listing(row, visit)
    again = _next_article(row, visit, was_article=was_article) if row["state"] == PageState.ARTICLE else None
    return {"next_visit": again and stamp(again)}


def _next_listing(row: Mapping[str, Any], visit: VisitRecord) -> dict[str, Any]:
    found_in, depth = row["found_in"], row["depth"]
    seconds = next_listing_interval(row["interval_seconds"], changed=visit.changed, found_in=found_in, depth=depth)
    return {"interval_seconds": seconds, "next_visit": stamp(visit.at + timedelta(seconds=seconds))}


def _next_article(row: Mapping[str, Any], visit: VisitRecord, *, was_article: bool) -> datetime | None:
    return next_article_visit(
        visit.at,
        moment(row["date_published"]) if row["date_published"] else None,
        moment(row["date_first_seen"]),
        found_in=origin(row["found_in"], row["depth"]),
        unchanged=row["unchanged"],
        changed=visit.changed and was_article,
    )


def _cut(reason: str | None) -> str | None:
    length: int = ledger.c.reason.type.length  # type: ignore[attr-defined]
    return reason and reason[:length]


def _short(last_modified: str | None) -> str | None:
    """Return a Last-Modified of at most a date's length, else `None`: a cut one would not be understood."""
    length: int = ledger.c.last_modified.type.length  # type: ignore[attr-defined]
    return last_modified if last_modified and len(last_modified) <= length else None
