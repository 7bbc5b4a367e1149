"""Ends transactions whose client has fallen silent: until then their locks keep all other crawls waiting.

A machine that stands still, or is cut off from the network, may do so in the middle of a transaction. The server would
wait for it for hours, and so would everyone who needs the same rows, such as for a heartbeat.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy import Engine

STALLED_SECONDS = 40
"""A third of the time after which a silent run is dead, so that the others' heartbeats still arrive. Between two
statements of a transaction, a crawl takes milliseconds."""

_LIMITS = {
    "postgresql": f"SET idle_in_transaction_session_timeout = '{STALLED_SECONDS}s'",
    # Executed by MariaDB alone: MySQL has no such limit, and takes it for a comment.
    "mysql": f"/*M!100300 SET SESSION idle_transaction_timeout = {STALLED_SECONDS} */",
}


def limit_stalls(engine: Engine) -> None:
    """Have the server end each later transaction of this engine that is idle for `STALLED_SECONDS`.

    The writer then finds its connection lost, and repeats what it did. SQLite has no server: the lock of a process
    that stands still remains until it goes on or ends.
    """
    statement = _LIMITS.get(engine.dialect.name)
    if statement is not None:
        event.listen(engine, "connect", partial(_set, statement=statement))
        engine.dispose()  # connections that were made before have no limit


def _set(connection: Any, _record: Any, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
    connection.commit()
