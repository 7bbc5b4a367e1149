"""Where articles stood on the front pages of their sites, and from when to when: a row for each stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select, update

from newsextract.storage.database_thread import each
from newsextract.storage.rows import insert_missing, stamp
from newsextract.storage.schema import front_places, ledger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The links to articles on a front page as it was read."""

    id: str
    """The ledger's key of its address: a site may have several."""
    at: datetime
    ids: Sequence[str] | None
    """The ledger's keys of the addresses, each once, in the order of the page; `None` if it is the same page still."""


@each
def note_front_page(connection: Connection, page: FrontPage) -> None:
    """Note where each link stands: those that stood there at the last look go on with their stay, others begin one.

    Noting a page twice changes nothing, and one that is noted too late is left out.
    """
    columns, now = front_places.c, stamp(page.at)
    is_there = columns.front_id == page.id
    last = connection.execute(select(func.max(columns.date_last)).where(is_there)).scalar()
    if last is not None and last >= now:
        return
    stands = is_there, columns.date_last == last
    if page.ids is None:
        connection.execute(update(front_places).where(*stands).values(date_last=now))
        return
    standing = select(columns.address_id, columns.date_first, columns.best_place).where(*stands)
    known = {row.address_id: row for row in connection.execute(standing)}
    new = []
    for place, key in enumerate(page.ids, 1):
        if row := known.get(key):
            is_it = (columns.address_id == key) & (columns.date_first == row.date_first)
            best = min(row.best_place, place)
            connection.execute(update(front_places).where(is_it).values(date_last=now, place=place, best_place=best))
        else:
            made = {"address_id": key, "date_first": now, "date_last": now}
            new.append({**made, "front_id": page.id, "place": place, "best_place": place})
    insert_missing(connection, front_places, new)


def front_places_of(connection: Connection, article_id: str) -> Sequence[Mapping[str, Any]]:
    """Return the stays of an article, under any address of it, oldest first."""
    other = select(ledger.c.id).where(ledger.c.article_id == article_id)
    is_its = or_(front_places.c.address_id == article_id, front_places.c.address_id.in_(other))
    found = select(front_places).where(is_its).order_by(front_places.c.date_first)
    return [dict(row) for row in connection.execute(found).mappings()]
