"""The outbox: messages of what is new, how far each target has come, and what a target does not take."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0008"
down_revision = "0007"

_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}

metadata = MetaData()


def _long_text() -> Text:
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def _hash(name: str, **options: Any) -> Column[str]:
    return Column(name, String(32), **options)


def _time(name: str, **options: Any) -> Column[str]:
    return Column(name, String(40), **options)


Table(
    "outbox",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="the place in the order of all messages"),
    _hash("message_id", nullable=False, comment="the same for the same news, for readers that meet it twice"),
    Column("kind", String(16), nullable=False, comment="article, revision or match"),
    _hash("article_id", nullable=False),
    Column("payload", _long_text(), nullable=False, comment="the envelope as JSON: see docs/delivery.md"),
    _time("date_created", nullable=False),
    Index("ix_outbox_message", "message_id", unique=True),
    **_UNICODE,
)
Table(
    "outbox_head",
    metadata,
    Column("name", String(16), primary_key=True, comment="of the one row that there is"),
    Column("position", BigInteger, nullable=False, comment="of the newest message, also when it is gone"),
    **_UNICODE,
)
Table(
    "deliveries",
    metadata,
    Column("target", String(255), primary_key=True),
    Column("position", BigInteger, nullable=False, comment="of the last message that it has"),
    Column("refusals", Integer, nullable=False, comment="of the message behind it"),
    _hash("held_by", comment="the sender that is at it"),
    _time("held_until"),
    _time("date_sought", nullable=False, comment="when a sender last had it in its settings"),
    **_UNICODE,
)
Table(
    "dead_letters",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("target", String(255), nullable=False),
    _hash("message_id", nullable=False),
    Column("kind", String(16), nullable=False),
    Column("payload", _long_text(), nullable=False),
    Column("reason", String(255), nullable=False, comment="why the target does not take it"),
    _time("date_refused", nullable=False),
    Index("ix_dead_letters", "target", "message_id", unique=True),
    **_UNICODE,
)


def upgrade() -> None:
    """Make the tables, with their indexes; those that an interrupted step has made stay."""
    connection = op.get_bind()
    metadata.create_all(connection)
    for table in metadata.tables.values():
        for index in table.indexes:
            index.create(connection, checkfirst=True)  # the step may have broken off between table and index
