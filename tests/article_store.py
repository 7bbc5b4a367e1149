"""The stored articles of a database, for tests and benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import func, select

from newsextract.storage.articles import put_articles
from newsextract.storage.database import open_engine, writing
from newsextract.storage.schema import articles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from newsextract.article import Article
    from newsextract.storage.revisions import Stored


class ArticleStore:
    """The `articles` table of one database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to a database by its SQLAlchemy URL, and bring its tables up to date."""
        return cls(open_engine(url))

    def put(self, article: Article) -> Stored:
        """Store one article, replacing its earlier version if there is one; repeating it changes nothing."""
        with writing(self.engine) as connection:
            return put_articles(connection, [article])[0]

    def count(self) -> int:
        """Return the number of stored articles."""
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
