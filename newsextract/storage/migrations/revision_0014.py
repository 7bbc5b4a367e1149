"""Sitemaps and feeds are kept for each site that names them: keys of their address and their site.

Beside that, pages are due again whose row another site's page has taken for good: the step to ids of own URLs made due
only those whose row was still in the wrong hands.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from alembic import op
from sqlalchemy import Column, MetaData, String, Table, Text, bindparam, select, update

from newsextract.page.urls import same_owner

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0014"
down_revision = "0013"

metadata = MetaData()
articles = Table("articles", metadata, Column("id", String(32), primary_key=True), Column("url", Text))
ledger = Table(
    "ledger",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("url", Text),
    Column("site", String(255)),
    Column("role", String(16)),
    Column("etag", Text),
    Column("last_modified", String(64)),
    Column("content_hash", String(32)),
    Column("article_id", String(32)),
    Column("next_visit", String(40)),
)
_FORGOTTEN = dict.fromkeys(("etag", "last_modified", "content_hash", "article_id"))


def upgrade() -> None:
    """Give each row of a source the key by which it is found from now on."""
    connection = op.get_bind()
    _visit_again(connection)
    rows = connection.execute(select(ledger.c.id, ledger.c.site, ledger.c.url).where(ledger.c.role == "source")).all()
    keys = [{"before": row.id, "after": _hash(f"{row.site}\n{row.url}")} for row in rows]
    change = update(ledger).where(ledger.c.id == bindparam("before")).values(id=bindparam("after"))
    if keys:
        connection.execute(change, keys)


def _visit_again(connection: Connection) -> None:
    """Make the pages due that have the row of another site's page for theirs."""
    shared = select(ledger.c.id, ledger.c.url, articles.c.url.label("held")).where(
        ledger.c.article_id == articles.c.id, ledger.c.article_id != ledger.c.id
    )
    lost = [{"lost": row.id} for row in connection.execute(shared).all() if not same_owner(row.url, row.held)]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if lost:
        change = update(ledger).where(ledger.c.id == bindparam("lost"))
        connection.execute(change.values(**_FORGOTTEN, next_visit=now), lost)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
