"""Indexes for large tables: the newest articles, of all, of a site, a language or a section; the oldest ledger rows.

An article without a date of publication is listed where it was first seen. Only the desk lists articles, and it reads
SQLite. The index of sites and dates of publication goes: nothing uses it any more. Without the ledger's, the daily
search for rows to forget reads the whole table.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect

revision = "0017"
down_revision = "0016"

_OLD = "ix_articles_site_published"
_MOMENT = "coalesce(date_published_utc, date_first_seen)"
_FORGETTABLE = "ix_ledger_forgettable"
_NEW = {
    "ix_articles_newest": _MOMENT,
    "ix_articles_site_newest": f"site, {_MOMENT}",
    "ix_articles_language_newest": f"in_language, {_MOMENT}",
    "ix_articles_section_newest": f"section, {_MOMENT}",
}


def upgrade() -> None:
    """Make the indexes and drop the old one, unless an interrupted step has."""
    connection = op.get_bind()
    if _FORGETTABLE not in {index["name"] for index in inspect(connection).get_indexes("ledger")}:
        op.create_index(_FORGETTABLE, "ledger", ["article_id", "date_first_seen"])
    if connection.dialect.name == "sqlite":
        op.execute(f"DROP INDEX IF EXISTS {_OLD}")
        for name, columns in _NEW.items():
            op.execute(f"CREATE INDEX IF NOT EXISTS {name} ON articles ({columns})")
    elif _OLD in {index["name"] for index in inspect(connection).get_indexes("articles")}:
        op.drop_index(_OLD, "articles")
