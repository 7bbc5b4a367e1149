"""Articles whose canonical URL is on another site get the id of their own URL.

Before, that page's row was theirs, and whoever was stored later had it. The pages that may have lost their row so are
due again, and are fetched whether they have changed or not.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from alembic import op
from sqlalchemy import Column, MetaData, String, Table, Text, or_, select, update

from newsextract.page.urls import same_owner, url_key
from newsextract.storage.schema.row_moves import move_article

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

revision = "0009"
down_revision = "0008"

_KNOWN_BY = "hash of the URL that it is known by"
_ROWS_AT_ONCE = 500
_FORGOTTEN = dict.fromkeys(("etag", "last_modified", "content_hash", "article_id"))

metadata = MetaData()
articles = Table(
    "articles",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("url", Text, nullable=False),
    Column("canonical_url", Text, nullable=False),
)
ledger = Table(
    "ledger",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("etag", Text),
    Column("last_modified", String(64)),
    Column("content_hash", String(32)),
    Column("article_id", String(32)),
    Column("next_visit", String(40)),
)


def upgrade() -> None:
    """Give the rows their ids; what an interrupted step has done is not done again."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":  # which has no comments
        op.alter_column("articles", "id", existing_type=String(32), existing_nullable=False, comment=_KNOWN_BY)
    found = connection.execute(select(articles)).all()
    moved = {
        old: _hash(url_key(url))
        for old, url, canonical in found
        if old == _hash(url_key(canonical)) and not same_owner(url, canonical)
    }
    for old, own in moved.items():
        if not move_article(connection, old, own):
            # It has a row from when it stated no canonical URL: that one goes on, and this one stays beside it.
            move_article(connection, old, _hash(f"{own} {old}"))
    _visit_again(connection, moved)


def _visit_again(connection: Connection, moved: Mapping[str, str]) -> None:
    """Make the pages due that had, or may have had, the rows which were moved."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    ids = sorted(moved)
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        some = ids[start : start + _ROWS_AT_ONCE]
        is_concerned = or_(ledger.c.id.in_(some), ledger.c.article_id.in_(some))
        rows = connection.execute(select(ledger.c.id, ledger.c.article_id).where(is_concerned)).all()
        for key, article_id in rows:
            is_own = moved.get(article_id) == key
            changes = {"article_id": key} if is_own else {**_FORGOTTEN, "next_visit": now}
            connection.execute(update(ledger).where(ledger.c.id == key).values(changes))


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
