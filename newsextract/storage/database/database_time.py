"""The clock of the database, in milliseconds since 1970: machines agree on it, whatever their own clocks say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy import Compiled


class database_ms(FunctionElement[int]):  # noqa: N801 - named like an SQL function, which it is
    """The time at which the database executes the statement; not that of the beginning of the transaction."""

    type = BigInteger()
    inherit_cache = True


@compiles(database_ms, "postgresql")
def _postgresql(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    return "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"


@compiles(database_ms, "sqlite")
def _sqlite(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    return "cast((julianday('now') - 2440587.5) * 86400000 as integer)"


@compiles(database_ms, "mysql")
@compiles(database_ms, "mariadb")
def _mysql(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    # As a difference, because unix_timestamp() reads a time by the session's zone, which may repeat an hour.
    return "cast(timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) / 1000 as signed)"
