"""The memory of each site in the table `site_memory`: bytes, with a revision number that prevents lost updates.

A second column holds the memory that pages are read with: as it was when a run last ended, or from the first pages of
the site.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from newsextract.storage.rows import chunks
from newsextract.storage.schema import site_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine

    from newsextract.reading.memory import MemoryStoreError, StoredMemory


class SiteMemoryStore:
    """The `site_memory` table of a database that `ArticleStore.open` has opened."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def load(self, site: str) -> StoredMemory | None:
        """Return the memory of a site; `None` if there is none."""
        columns = site_memory.c.revision, site_memory.c.memory, site_memory.c.known
        try:
            with self.engine.connect() as connection:
                row = connection.execute(select(*columns).where(site_memory.c.site == site)).one_or_none()
        except SQLAlchemyError as error:
            raise _store_error(error) from error
        if row is None:
            return None
        from newsextract.reading.memory import StoredMemory  # noqa: PLC0415 - for workers, brings numpy

        return StoredMemory(int(row.revision), bytes(row.memory), None if row.known is None else bytes(row.known))

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        """Write the memory based on a revision, 0 for none; return `False` if a newer revision is stored."""
        values: dict[str, Any] = {
            "revision": revision + 1,
            "updated": datetime.now(UTC).isoformat(timespec="seconds"),
            "memory": packed,
        }
        if known is not None:
            values["known"] = known
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


def make_known(connection: Connection, runs: Sequence[Sequence[str]]) -> list[None]:
    """Let later runs read pages with all that was learned about these sites; each run passes its sites at its end."""
    for some in chunks(sorted({site for sites in runs for site in sites})):
        is_one = site_memory.c.site.in_(some)
        connection.execute(update(site_memory).where(is_one).values(known=site_memory.c.memory))
    return [None] * len(runs)
