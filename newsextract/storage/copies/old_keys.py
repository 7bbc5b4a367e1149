"""Deletes the fingerprint keys of articles that were first seen so long ago that copies of them no longer come.

The row of a lock says how far that has come: each call goes on there, a few articles at a time, so that neither a
transaction grows long nor an article is looked at twice.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.database_thread import alone
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import fingerprint_keys, locks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

KEPT = timedelta(days=60)
"""An article is visited for two weeks, and its copies are dated within two weeks of it; the rest is for late ones."""

BATCH = 200
"""Articles in one transaction: some ten thousand keys."""

_LOCK = "old keys"
_SEEN, _NUMBER = articles.c.date_first_seen, articles.c.number


@alone
def forget_old_keys(connection: Connection, nows: Sequence[datetime]) -> list[bool]:
    """Delete the keys of the next articles first seen more than `KEPT` ago; return whether there are more of them.

    Another run that is at it at the moment is left alone.
    """
    return [_forget(connection, stamp(now - KEPT)) for now in nows]


def _forget(connection: Connection, before: str) -> bool:
    if connection.execute(select(locks.c.name).where(locks.c.name == _LOCK)).first() is None:
        insert_missing(connection, locks, [{"name": _LOCK}])
    own = select(locks.c.done_until).where(locks.c.name == _LOCK).with_for_update(skip_locked=True)
    row = connection.execute(own).one_or_none()
    if row is None:
        return False
    since = row.done_until or ""
    query = select(_SEEN).where(since < _SEEN, before > _SEEN).order_by(_SEEN).limit(1)
    # All that were seen at one moment go together, because the next call begins behind it.
    last = connection.execute(query.offset(BATCH - 1)).scalar()
    until = last or connection.execute(query.order_by(None).order_by(_SEEN.desc())).scalar()
    if until is None:
        return False
    numbers = select(_NUMBER).where(since < _SEEN, until >= _SEEN, _NUMBER.is_not(None))
    for some in chunks(connection.execute(numbers).scalars().all()):
        connection.execute(delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(some)))
    connection.execute(update(locks).where(locks.c.name == _LOCK).values(done_until=until))
    return last is not None
