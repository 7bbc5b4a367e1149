"""Articles in a database: one row per canonical URL, written as often as wanted."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Engine, create_engine, event, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from newsextract.storage.rows import row_of
from newsextract.storage.schema import articles, metadata
from newsextract.storage.upgrading import add_missing_columns
from newsextract.storage.upsert import upsert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.article import Article

_EXTRAS = {"postgresql": "postgres"}
_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
"""What a URL without a driver means, where SQLAlchemy would take another than the one we install."""

_KEPT_ON_UPDATE = ("id", "date_first_seen")


class StorageError(Exception):
    """The database cannot be used; the message says which and why."""


class Stored(Enum):
    """What storing an article did."""

    NEW = auto()
    CHANGED = auto()
    UNCHANGED = auto()


class ArticleStore:
    """The `articles` table of one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to a database by its SQLAlchemy URL and make the table, or its newer columns, if missing.

        Raises:
            StorageError: the URL is none, a driver is missing, or the database does not answer.
        """
        try:
            engine = _engine(url)
            metadata.create_all(engine)
            add_missing_columns(engine, articles)
        except (ArgumentError, NoSuchModuleError) as error:
            raise StorageError(f"{url!r} is no database URL ({error}); try sqlite:///output/newsextract.db") from error
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get(make_url(url).get_backend_name(), "")
            hint = f"pip install 'newsextract[{extra}]'" if extra else "install it"
            raise StorageError(f"{_shown(url)} needs the module {error.name}: {hint}") from error
        except (SQLAlchemyError, OSError) as error:
            cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
            raise StorageError(f"cannot open the database {_shown(url)}: {cause}") from error
        return cls(engine)

    def put(self, article: Article) -> Stored:
        """Store an article, over its earlier version if there is one; repeating it changes nothing."""
        row = row_of(article)
        with self.engine.begin() as connection:
            known = connection.execute(
                select(articles.c.content_hash).where(articles.c.id == row["id"])
            ).scalar_one_or_none()
            if known == row["content_hash"]:
                return Stored.UNCHANGED
            connection.execute(upsert(connection.dialect.name, articles, row, kept=_KEPT_ON_UPDATE))
        return Stored.NEW if known is None else Stored.CHANGED

    def count(self) -> int:
        """Return how many articles there are."""
        with self.engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(articles)).scalar_one()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the stored rows, in no particular order."""
        with self.engine.connect() as connection:
            for row in connection.execute(select(articles)).mappings():
                yield dict(row)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed)
    event.listen(engine, "connect", _write_ahead)
    return engine


def _write_ahead(connection: Any, _record: Any) -> None:
    """Let readers read while a crawl writes, and wait rather than fail when two of them write."""
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _shown(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)
