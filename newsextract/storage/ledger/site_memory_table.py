"""What is remembered of each site, in the table `site_memory`: bytes, with a revision against overwriting."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from newsextract.reading.site_memory.site_memories import ShelfError
from newsextract.storage.schema.crawl_tables import site_memory

if TYPE_CHECKING:
    from sqlalchemy import Engine


class SiteMemoryStore:
    """The `site_memory` table of a database that `ArticleStore.open` has opened."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def load(self, site: str) -> tuple[int, bytes] | None:
        """Return the revision and the memory of a site, if there is one."""
        columns = site_memory.c.revision, site_memory.c.memory
        try:
            with self.engine.connect() as connection:
                row = connection.execute(select(*columns).where(site_memory.c.site == site)).one_or_none()
        except SQLAlchemyError as error:
            raise ShelfError(str(error).partition("\n")[0]) from error
        return None if row is None else (int(row[0]), bytes(row[1]))

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        """Write the memory that was made from a revision, 0 for none; `False` if there is another one by now."""
        values = {
            "revision": revision + 1,
            "updated": datetime.now(UTC).isoformat(timespec="seconds"),
            "memory": packed,
        }
        try:
            with self.engine.begin() as connection:
                if not revision:
                    connection.execute(insert(site_memory).values(site=site, **values))
                    return True
                is_known = (site_memory.c.site == site) & (site_memory.c.revision == revision)
                return connection.execute(update(site_memory).where(is_known).values(**values)).rowcount == 1
        except IntegrityError:
            return False  # another worker was the first to meet the site
        except SQLAlchemyError as error:
            raise ShelfError(str(error).partition("\n")[0]) from error
