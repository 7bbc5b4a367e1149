"""Articles that vanish from their site, and those that come back: found as visits are recorded.

One look proves nothing, as sites lose pages while they are rebuilt: an article is removed when a second look, a day
or more after the first, still finds all its addresses gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, func, or_, select, update

from newsextract.reading.notices import KINDS, NoticeCode, PageState
from newsextract.storage.rows import chunks, insert_missing, moment, stamp
from newsextract.storage.schema import ledger, removals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

TO_FRONT_PAGE = "redirects to the front page"
GONE = ("http 404", "http 410", TO_FRONT_PAGE)
"""The reasons of a failed visit that say that the page is gone."""
WITHOUT_ARTICLE = (PageState.EMPTY, PageState.OTHER, PageState.LISTING)
"""The states of a page that was read and shows no article: one that says so in words, with status 200, is one."""
UNWANTED_LANGUAGE, UNWANTED_PLACE = "another language", "only its links were wanted"
_UNWANTED = (UNWANTED_LANGUAGE, UNWANTED_PLACE, *(NoticeCode.NOT_WANTED.format(kind=kind) for kind in KINDS))
"""Reasons that say what is wanted now, and nothing of whether the article is still there."""
BETWEEN_LOOKS = timedelta(days=1)
"""From the first look that misses an article to the one that calls it removed."""


@dataclass(frozen=True, slots=True)
class Removal:
    """An article that was removed, or came back."""

    article_id: str
    reason: str
    date_missed: str
    """When a look first missed it, ISO 8601 in UTC."""
    date_removed: str
    date_restored: str | None = None
    """Set if it came back."""


def why_gone(state: str | None, reason: str | None) -> str | None:
    """Return why a visit that ended so found no article any more; `None` if it does not say that."""
    if state in WITHOUT_ARTICLE:
        return None if reason in _UNWANTED else "shows no article"
    return reason if state == PageState.ERROR and reason in GONE else None


def gone_rows() -> ColumnElement[bool]:
    """Return whether the last visit found no article any more, as a condition on the ledger's rows."""
    columns = ledger.c
    return or_(
        and_(columns.state.in_(WITHOUT_ARTICLE), func.coalesce(columns.reason, "").not_in(_UNWANTED)),
        and_(columns.state == PageState.ERROR, columns.reason.in_(GONE)),
    )


@dataclass(frozen=True, slots=True)
class Look:
    """A visit that found an article, or missed it."""

    article_id: str
    at: datetime
    missed: str | None
    """Why the page is no article any more; `None` if it is."""


def note_looks(connection: Connection, looks: Sequence[Look]) -> list[Removal]:
    """Note recorded visits of articles; return what they make known. A look that is noted twice changes nothing."""
    known = last_removals(connection, [look.article_id for look in looks])
    found = []
    for look in looks:
        row = known.get(look.article_id)
        is_open = row is not None and row["date_restored"] is None
        removal = None
        if row is not None and is_open:
            removal = _missed_again(connection, row, look) if look.missed else _found_again(connection, row, look)
        elif look.missed and (row is None or stamp(look.at) > row["date_restored"]):
            missed = {"article_id": look.article_id, "date_missed": stamp(look.at), "reason": look.missed}
            insert_missing(connection, removals, [missed])
        if removal is not None:
            found.append(removal)
    return found


def last_removals(connection: Connection, ids: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Return the last removal of each of some articles that was ever missed, as a row, by the articles' ids."""
    found: dict[str, Mapping[str, Any]] = {}
    for some in chunks(sorted(set(ids))):
        query = select(removals).where(removals.c.article_id.in_(some)).order_by(removals.c.date_missed)
        found |= {row["article_id"]: dict(row) for row in connection.execute(query).mappings()}
    return found


def _missed_again(connection: Connection, row: Mapping[str, Any], look: Look) -> Removal | None:
    is_due = row["date_removed"] is None and look.at - moment(row["date_missed"]) >= BETWEEN_LOOKS
    if not is_due or _may_stand_elsewhere(connection, look):
        return None
    removal = Removal(look.article_id, look.missed or "", row["date_missed"], stamp(look.at))
    _change(connection, row, date_removed=removal.date_removed, reason=removal.reason)
    return removal


def _found_again(connection: Connection, row: Mapping[str, Any], look: Look) -> Removal | None:
    if stamp(look.at) <= (row["date_removed"] or row["date_missed"]):
        return None
    if row["date_removed"] is None:  # it was away for a moment
        connection.execute(delete(removals).where(*_same(row)))
        return None
    _change(connection, row, date_restored=stamp(look.at))
    return Removal(look.article_id, row["reason"], row["date_missed"], row["date_removed"], stamp(look.at))


def _same(row: Mapping[Any, Any]) -> tuple[ColumnElement[bool], ...]:
    return removals.c.article_id == row["article_id"], removals.c.date_missed == row["date_missed"]


def _change(connection: Connection, row: Mapping[Any, Any], **values: Any) -> None:
    connection.execute(update(removals).where(*_same(row)).values(values))


def _may_stand_elsewhere(connection: Connection, look: Look) -> bool:
    """Return whether an article, which may have several addresses, was at another when that was looked at last.

    Those that would not be looked at again are due at once: else they kept an article that is gone from being removed.
    """
    columns = ledger.c
    there = columns.article_id == look.article_id, ~gone_rows(), columns.state.is_not(None)
    unwatched = update(ledger).where(*there, columns.next_visit.is_(None)).values(next_visit=stamp(look.at))
    connection.execute(unwatched)
    return connection.execute(select(func.count()).where(*there)).scalar_one() > 0
