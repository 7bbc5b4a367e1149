"""The end of the leases of runs that have ended, or died."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import case, update

from newsextract.storage.database.batches import chunks
from newsextract.storage.database.database_time import database_ms
from newsextract.storage.schema.crawl_tables import host_leases, site_leases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


def release_leases(connection: Connection, run_ids: Sequence[str]) -> None:
    """Release the sites and hosts of these runs; the next requests to the hosts wait a whole delay."""
    # Nobody knows when the last request was sent. A host that was asked to rest keeps its time.
    next_ms = database_ms() + host_leases.c.delay_ms
    free_ms = case((host_leases.c.free_ms > next_ms, host_leases.c.free_ms), else_=next_ms)
    for some in chunks(sorted(run_ids)):
        connection.execute(update(site_leases).where(site_leases.c.run_id.in_(some)).values(run_id=None))
        is_held = host_leases.c.run_id.in_(some)
        connection.execute(update(host_leases).where(is_held).values(run_id=None, free_ms=free_ms))
