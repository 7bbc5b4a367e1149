"""How far work that goes on from where it was has come, such as the deletion of old fingerprint keys."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, String, inspect

revision = "0020"
down_revision = "0019"

_COMMENT = "for work that goes on from where it was: as far as that is"


def upgrade() -> None:
    """Add the column, unless an interrupted step has."""
    if "done_until" not in {column["name"] for column in inspect(op.get_bind()).get_columns("locks")}:
        op.add_column("locks", Column("done_until", String(40), comment=_COMMENT))
