"""What the demo must know of its database before and after a crawl."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect, select
from sqlalchemy.engine import make_url

from newsextract.storage.database.connection import make_engine
from newsextract.storage.schema.crawl_tables import articles, ledger, runs

_FINISHED = "finished"


def file_of(url: str) -> Path | None:
    """Return the file of a database; `None` for other databases than SQLite, and for none."""
    parsed = make_url(url) if url else None
    is_file = parsed is not None and parsed.get_backend_name() == "sqlite" and parsed.database not in (None, ":memory:")
    return Path(str(parsed.database)) if parsed is not None and is_file else None


def sites_in(url: str) -> frozenset[str]:
    """Return the sites that a database knows; empty if it is new."""
    engine = make_engine(url)
    try:
        there = inspect(engine)
        tables = [table for table in (articles, ledger) if there.has_table(table.name)]
        with engine.connect() as connection:
            return frozenset(site for table in tables for site in connection.scalars(select(table.c.site).distinct()))
    finally:
        engine.dispose()


def is_finished(url: str) -> bool:
    """Return whether the last crawl ended by itself: after Ctrl-C nobody wants another."""
    engine = make_engine(url)
    try:
        if not inspect(engine).has_table(runs.name):
            return False
        with engine.connect() as connection:
            last = connection.scalar(select(runs.c.reason).order_by(runs.c.date_started.desc()).limit(1))
    finally:
        engine.dispose()
    return last == _FINISHED
