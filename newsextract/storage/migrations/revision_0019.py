"""The leases of sites and hosts, and the heartbeats of runs by the clock of the database."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Index, MetaData, String, Table, inspect

revision = "0019"
down_revision = "0018"

_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}

metadata = MetaData()
site_leases = Table(
    "site_leases",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("run_id", String(32), comment="the run that visits it; empty: none"),
    Column("done_ms", BigInteger, comment="when a run last came to its end; the database's clock, ms since 1970"),
    Index("ix_site_leases_run", "run_id"),
    **_UNICODE,
)
host_leases = Table(
    "host_leases",
    metadata,
    Column("host", String(255), primary_key=True, comment="with its port, if it is not the usual one"),
    Column("run_id", String(32), comment="the run that may send requests to it; empty: none"),
    Column("free_ms", BigInteger, nullable=False, comment="earliest request of the next run; clock as above"),
    Column("delay_ms", BigInteger, nullable=False, comment="what its last run left between two requests"),
    Column("asked_ms", BigInteger, nullable=False, comment="as far as the host asked for it; 0: it did not"),
    Index("ix_host_leases_run", "run_id"),
    **_UNICODE,
)
_BEAT = "the same by the database's clock, in milliseconds since 1970"


def upgrade() -> None:
    """Add the tables and the column, unless an interrupted step has."""
    connection = op.get_bind()
    if "beat_ms" not in {column["name"] for column in inspect(connection).get_columns("runs")}:
        op.add_column("runs", Column("beat_ms", BigInteger, comment=_BEAT))
    for each in (site_leases, host_leases):
        each.create(connection, checkfirst=True)
        for index in each.indexes:
            index.create(connection, checkfirst=True)  # the step may have broken off between table and index
