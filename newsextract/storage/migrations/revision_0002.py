"""A table of the articles that vanished from their sites."""

from __future__ import annotations

from alembic import op

from newsextract.storage.schema import metadata, removals

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make it where it is missing."""
    metadata.create_all(op.get_bind(), [removals])
