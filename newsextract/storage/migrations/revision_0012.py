"""A column by which the texts of a site are known again, whichever run or crawler stored them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from alembic import op
from sqlalchemy import Column, MetaData, String, Table, Text, bindparam, inspect, select, update

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0012"
down_revision = "0011"

_ROWS_AT_ONCE = 500

articles = Table(
    "articles",
    MetaData(),
    Column("id", String(32), primary_key=True),
    Column("site", String(255)),
    Column("article_body", Text),
    Column("text_hash", String(32), comment="of site and body: what two addresses of one text share"),
)


def upgrade() -> None:
    """Add the column and its index, unless an interrupted step has, and fill it for the articles that there are."""
    connection = op.get_bind()
    there = inspect(connection)
    if "text_hash" not in {column["name"] for column in there.get_columns(articles.name)}:
        column = articles.c.text_hash
        op.add_column(articles.name, Column(column.name, column.type, comment=column.comment))
    _fill(connection)
    if "ix_articles_text" not in {index["name"] for index in there.get_indexes(articles.name)}:
        op.create_index("ix_articles_text", articles.name, ["text_hash"])


def _fill(connection: Connection) -> None:
    """Write the hashes, some rows at a time, in the order of the ids."""
    rows = select(articles.c.id, articles.c.site, articles.c.article_body).where(articles.c.id > bindparam("after"))
    rows = rows.order_by(articles.c.id).limit(_ROWS_AT_ONCE)
    change = update(articles).where(articles.c.id == bindparam("known")).values(text_hash=bindparam("hash"))
    last = ""
    while found := connection.execute(rows, {"after": last}).all():
        values = [
            {"known": row.id, "hash": _hash(f"{row.site}\n{row.article_body}")} for row in found if row.article_body
        ]
        if values:
            connection.execute(change, values)
        last = found[-1].id


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
