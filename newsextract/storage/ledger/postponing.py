"""Postpones the visits of hosts that ask us to come back later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import or_, update

from newsextract.storage.database.batches import chunks
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.schema.crawl_tables import ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Postponement:
    """A host's request not to be visited before a time."""

    host: str
    """With the port, if the URLs have one."""
    sites: tuple[str, ...]
    """The sites that may have URLs on the host."""
    until: datetime


def postpone(connection: Connection, wishes: Sequence[Postponement]) -> list[None]:
    """Move all visits of the hosts that are due earlier to the times that the hosts named."""
    for wish in wishes:
        until = stamp(wish.until)
        beginnings = (f"{scheme}://{wish.host}/" for scheme in ("http", "https"))
        is_there = or_(*(ledger.c.url.startswith(beginning, autoescape=True) for beginning in beginnings))
        for some in chunks(sorted(wish.sites)):
            is_early = ledger.c.site.in_(some) & (ledger.c.next_visit < until)
            connection.execute(update(ledger).where(is_early, is_there).values(next_visit=until))
    return [None] * len(wishes)
