"""The baseline: the tables of `newsextract.storage.schema` as they were when this revision was the only one.

New databases get the tables of the schema as they are now, without the steps: see `newsextract.storage.migrations`.
"""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change nothing: there are no older tables."""
