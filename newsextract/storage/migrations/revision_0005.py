"""A table of where articles stood on front pages."""

from __future__ import annotations

from alembic import op

from newsextract.storage.schema import front_places, metadata

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make it where it is missing."""
    metadata.create_all(op.get_bind(), [front_places])
