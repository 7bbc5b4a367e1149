"""A table of what every run saw of every site, to tell when a site falls silent or changes."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import JSON, Column, Index, Integer, MetaData, String, Table

revision = "0004"
down_revision = "0003"

_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}

site_runs = Table(
    "site_runs",
    MetaData(),
    Column("run_id", String(32), primary_key=True),
    Column("site", String(255), primary_key=True),
    Column("date", String(40), nullable=False, comment="ISO 8601, UTC: of the run's end"),
    Column("articles", Integer, nullable=False, comment="that were new in this run"),
    Column("pages", Integer, nullable=False, comment="read to be articles, whether they were or not"),
    Column("figures", JSON, nullable=False, comment="see newsextract.newsroom.health.figures"),
    Column(
        "troubles", String(255), nullable=False, comment="what was wrong with the site by then, with commas between"
    ),
    Index("ix_site_runs_site", "site", "date"),
    **_UNICODE,
)


def upgrade() -> None:
    """Make the table."""
    site_runs.create(op.get_bind(), checkfirst=True)
    for index in site_runs.indexes:
        index.create(op.get_bind(), checkfirst=True)  # the step may have broken off between table and index
