"""Which errors of a database pass, such as a restart or a lock, and which will come again whenever one tries."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

_SQLITE = ("locked", "busy", "disk is full", "disk i/o", "unable to open")
"""Of the messages that SQLite gives: a file that is in use, or on a disk that is full or away."""

_POSTGRESQL = ("08", "40", "53", "55P03", "57", "58", "25006")
"""Beginnings of its error codes: connection, deadlock, no room or memory, lock, shutdown, system, a standby for now."""

_MYSQL = frozenset({
    1020,  # changed since it was read
    1021, 1030, 1037, 1038, 1041, 1114,  # disk, engine, memory
    1040, 1203, 1226,  # too many connections
    1053, 1077, 1079,  # shutdown
    1158, 1159, 1160, 1161, 1927,  # connection
    1205, 1213, 1290, 1792, 1836,  # lock, deadlock, read-only for now
    2002, 2003, 2006, 2013, 2014, 2055,  # connection
})  # fmt: skip


def is_passing(error: BaseException) -> bool:
    """Tell whether the same may succeed when it is tried again later."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _is_passing_answer(error.orig)
    return isinstance(error, PoolTimeout) or (isinstance(error, OSError) and not isinstance(error, SQLAlchemyError))


def has_lost_connection(error: BaseException) -> bool:
    """Tell whether the connection broke off: the server went away, or it closed the door on what it was sent."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _is_passing_answer(answer: BaseException | None) -> bool:
    module = type(answer).__module__.partition(".")[0]
    name = type(answer).__name__
    if module == "sqlite3":
        return name == "OperationalError" and any(word in str(answer).lower() for word in _SQLITE)
    if module == "pymysql":
        return bool(answer and answer.args and answer.args[0] in _MYSQL) or name == "InterfaceError"
    code = getattr(answer, "sqlstate", None)
    if code:
        return str(code).startswith(_POSTGRESQL)
    return name in ("OperationalError", "InterfaceError")  # no code: the server was not reached
