"""A table of the records in WARC files; pages that were kept in files of their own are forgotten."""

from __future__ import annotations

from alembic import op

from newsextract.storage.schema import kept_pages, metadata, warc_records

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make it where it is missing."""
    metadata.create_all(op.get_bind(), [warc_records])
    op.get_bind().execute(kept_pages.delete())
