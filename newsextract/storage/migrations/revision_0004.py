"""A table of what pages and sites have said about their use."""

from __future__ import annotations

from alembic import op

from newsextract.storage.schema import metadata, rights

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make it where it is missing."""
    metadata.create_all(op.get_bind(), [rights])
