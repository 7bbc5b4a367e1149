"""An index by which the desk counts the pages of each site; two articles may have one number.

The number is a hash of the id, and unique as the id is. A second unique index let two writers of one article collide on
PostgreSQL: ON CONFLICT settles conflicts of one index only.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect

revision = "0016"
down_revision = "0015"

_STATES = "ix_ledger_states"
_NUMBER = "ix_articles_number"


def upgrade() -> None:
    """Make the indexes; what an interrupted step has done is not done again."""
    inspector = inspect(op.get_bind())
    if _STATES not in {index["name"] for index in inspector.get_indexes("ledger")}:
        op.create_index(_STATES, "ledger", ["role", "site", "state"])
    is_unique = {index["name"]: bool(index["unique"]) for index in inspector.get_indexes("articles")}
    if is_unique.get(_NUMBER):
        op.drop_index(_NUMBER, "articles")
    if is_unique.get(_NUMBER, True):
        op.create_index(_NUMBER, "articles", ["number"])
