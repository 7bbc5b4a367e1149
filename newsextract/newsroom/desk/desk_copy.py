"""Copies the newest articles of PostgreSQL or MariaDB, with all that the desk shows of them, into a SQLite file.

Datasette reads SQLite only. The copy is made when the desk is opened, and is gone when it is closed.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, and_, func, insert, or_, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from newsextract.newsroom.desk.desk_database import DeskError
from newsextract.page.word_folding import words
from newsextract.setting_types import without_passwords
from newsextract.storage.database.connection import StorageError, open_engine
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.schema.crawl_tables import articles, ledger, runs, sites
from newsextract.storage.schema.full_text_index import WORD_TABLES
from newsextract.storage.schema.history_tables import matches, revisions, site_runs, stories, story_articles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection, Table

DAYS = 7
"""Days that are copied by default."""

MOST_ARTICLES = 100_000
"""More take minutes to copy, and the desk is measured with so many."""

_BATCH = 500
_WORDS = WORD_TABLES["sqlite"]


@contextmanager
def as_sqlite(database: str, days: int) -> Iterator[str]:
    """Yield the database itself if SQLite can read it, else the path of a copy of its last days.

    Raises:
        DeskError: the database cannot be read; the message says why.
    """
    if not _is_server(database):
        yield database
        return
    with TemporaryDirectory(prefix="newsextract-desk-") as folder:
        path = Path(folder, "desk.db")
        try:
            copied, since = copy_days(database, path, datetime.now(UTC) - timedelta(days=days))
        except StorageError as error:
            raise DeskError(str(error)) from error
        except SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise DeskError(f"cannot copy {without_passwords(database)}: {cause}") from error
        cut = ", the newest that fit" if copied >= MOST_ARTICLES else ""
        print(  # noqa: T201 - for whoever started it
            f"Copied {copied:,} articles first seen since {since:%Y-%m-%d %H:%M} UTC{cut}; "
            "start the desk again for newer ones.",
            file=sys.stderr,
        )
        yield str(path)


def copy_days(database: str, path: Path, since: datetime) -> tuple[int, datetime]:
    """Copy articles first seen since a time into a new file; return how many, and since when they are complete.

    Of the ledger the pages are copied that were visited in that time, and those of the articles.

    Raises:
        StorageError: a database cannot be opened or read.
    """
    source, target = open_engine(database), open_engine(f"sqlite:///{path}")
    try:
        # A snapshot, so that no story is without its articles.
        isolated = source.execution_options(isolation_level="REPEATABLE READ")
        with isolated.connect() as reading, target.begin() as writing:
            first = _first(reading, stamp(since))
            count = _copy_articles(reading, writing, first)
            for table, query in _queries(first).items():
                _copy(reading, writing, table, query)
    finally:
        source.dispose()
        target.dispose()
    return count, datetime.fromisoformat(first)


def _is_server(database: str) -> bool:
    """Return whether a database is another one than SQLite; what is no URL is left to who opens it."""
    try:
        return "://" in database and make_url(database).get_backend_name() != "sqlite"
    except ArgumentError:
        return False


def _first(connection: Connection, since: str) -> str:
    """Return the time from which on articles are copied, later than `since` if there are too many."""
    newest = select(articles.c.date_first_seen).order_by(articles.c.date_first_seen.desc())
    nth = connection.execute(newest.offset(MOST_ARTICLES - 1).limit(1)).scalar()
    return max(since, nth or since)


def _queries(first: str) -> dict[Table, Select[Any]]:
    """Return what is copied of each table but `articles`."""
    ids = select(articles.c.id).where(articles.c.date_first_seen >= first)
    told = select(story_articles.c.story_id).where(story_articles.c.article_id.in_(ids))
    is_visited = and_(ledger.c.role == "candidate", ledger.c.date_visited >= first)
    return {
        revisions: select(revisions).where(revisions.c.article_id.in_(ids)),
        story_articles: select(story_articles).where(story_articles.c.article_id.in_(ids)),
        stories: select(stories).where(or_(stories.c.id.in_(told), stories.c.merged_into.in_(told))),
        matches: select(matches).where(matches.c.article_id.in_(ids)),
        ledger: select(ledger).where(or_(is_visited, ledger.c.article_id.in_(ids))),
        runs: select(runs).where(func.coalesce(runs.c.date_ended, runs.c.date_heartbeat) >= first),
        site_runs: select(site_runs).where(site_runs.c.date >= first),
        sites: select(sites),
    }


def _copy_articles(reading: Connection, writing: Connection, first: str) -> int:
    """Copy articles with their words, and return how many."""
    count = 0
    for batch in _batches(reading, select(articles).where(articles.c.date_first_seen >= first)):
        writing.execute(insert(articles), batch)
        writing.execute(insert(_WORDS.table), [_WORDS.row_of(row, words) for row in batch])
        count += len(batch)
    return count


def _copy(reading: Connection, writing: Connection, table: Table, query: Select[Any]) -> None:
    for batch in _batches(reading, query):
        writing.execute(insert(table), batch)


def _batches(connection: Connection, query: Select[Any]) -> Iterator[list[Mapping[str, Any]]]:
    found = connection.execution_options(stream_results=True).execute(query)
    for part in found.mappings().partitions(_BATCH):
        yield [dict(row) for row in part]
