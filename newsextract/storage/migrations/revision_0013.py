"""What pages are read with, beside what is being learned: of an older database, all that it has."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, LargeBinary, inspect
from sqlalchemy.dialects.mysql import MEDIUMBLOB

revision = "0013"
down_revision = "0012"

_COMMENT = "the same when a run last came to its end: what pages are read with"


def upgrade() -> None:
    """Add the column and fill it, unless an interrupted step has added it."""
    if "known" not in {column["name"] for column in inspect(op.get_bind()).get_columns("site_memory")}:
        kind = LargeBinary(1 << 20).with_variant(MEDIUMBLOB(), "mysql", "mariadb")
        op.add_column("site_memory", Column("known", kind, comment=_COMMENT))
    op.execute("UPDATE site_memory SET known = memory WHERE known IS NULL")
