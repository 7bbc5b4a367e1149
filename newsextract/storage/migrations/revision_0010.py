"""The time of publication in UTC, which sorts, and what kind of page an article was taken for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import op
from sqlalchemy import JSON, Column, MetaData, String, Table, bindparam, inspect, select, update

from newsextract.storage.schema.article_columns import utc_time

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0010"
down_revision = "0009"

_ROWS_AT_ONCE = 1000
_INDEXES = {
    "ix_articles_published": ["date_published_utc"],
    "ix_articles_site_published": ["site", "date_published_utc"],
}
_FORMER_INDEX = "ix_articles_site_date"

articles = Table(
    "articles", MetaData(), Column("id", String(32)), Column("date_published", String(40)),
    Column("date_published_utc", String(40)),
)  # fmt: skip


def upgrade() -> None:
    """Add the columns, fill the first, and index it; what an interrupted step has done is not done again."""
    connection = op.get_bind()
    known = {column["name"] for column in inspect(connection).get_columns("articles")}
    for column in (
        Column("date_published_utc", String(40), comment="the same in UTC, which sorts"),
        Column("page_kind", String(16)),
        Column("reasons", JSON),
    ):
        if column.name not in known:
            op.add_column("articles", column)
    _fill(connection)
    indexes = {index["name"] for index in inspect(connection).get_indexes("articles")}
    for name, columns in _INDEXES.items():
        if name not in indexes:
            op.create_index(name, "articles", columns)
    if _FORMER_INDEX in indexes:
        op.drop_index(_FORMER_INDEX, "articles")


def _fill(connection: Connection) -> None:
    dated = select(articles.c.id, articles.c.date_published).where(articles.c.date_published.is_not(None))
    times = [{"key": key, "time": time} for key, stated in connection.execute(dated) if (time := utc_time(stated))]
    set_time = update(articles).where(articles.c.id == bindparam("key")).values(date_published_utc=bindparam("time"))
    for start in range(0, len(times), _ROWS_AT_ONCE):
        connection.execute(set_time, times[start : start + _ROWS_AT_ONCE])
