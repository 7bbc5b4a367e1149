"""The outbox: messages of what is new, how far each target has come, and what a target does not take."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, Text
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
    _hash("message_id", nullable=False, unique=True, comment="the same for the same news, whenever it is told"),
    Column("kind", String(16), nullable=False, comment="article, revision or match"),
    _hash("article_id", nullable=False),
    Column("payload", _long_text(), nullable=False, comment="the envelope as JSON: see docs/delivery.md"),
    _time("date_created", nullable=False),
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
    Column("target", String(255), primary_key=True),
    _hash("message_id", primary_key=True),
    Column("payload", _long_text(), nullable=False),
    Column("reason", String(255), nullable=False, comment="why the target does not take it"),
    _time("date_refused", nullable=False),
    **_UNICODE,
)


def upgrade() -> None:
    """Make the tables; those that an interrupted step has made stay."""
    metadata.create_all(op.get_bind())
