"""The memory of each site in the table `site_memory`: bytes, with a revision number that prevents lost updates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from newsextract.storage.schema import site_memory

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from newsextract.reading.memory import MemoryStoreError, StoredMemory


class SiteMemoryStore:
    """The `site_memory` table of a database that `ArticleStore.open` has opened."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def load(self, site: str) -> StoredMemory | None:
        """Return the memory of a site; `None` if there is none."""
        columns = site_memory.c.revision, site_memory.c.memory
        try:
            with self.engine.connect() as connection:
                row = connection.execute(select(*columns).where(site_memory.c.site == site)).one_or_none()
        except SQLAlchemyError as error:
            raise _store_error(error) from error
        if row is None:
            return None
        from newsextract.reading.memory import StoredMemory  # noqa: PLC0415 - for workers, brings numpy

        return StoredMemory(int(row.revision), bytes(row.memory))

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        """Write the memory based on a revision, 0 for none; return `False` if a newer revision is stored."""
        values: dict[str, Any] = {
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
            return False  # another worker has just stored the site's first memory
        except SQLAlchemyError as error:
            raise _store_error(error) from error


def _store_error(error: SQLAlchemyError) -> MemoryStoreError:
    from newsextract.reading.memory import MemoryStoreError  # noqa: PLC0415 - likewise

    return MemoryStoreError(str(error).partition("\n")[0])
