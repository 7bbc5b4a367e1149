"""What rendering a site's pages in a browser has led to, by the reasons that the ledger keeps of their visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.ledger.ledger_rows import Role
from newsextract.storage.schema.crawl_tables import ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

RENDERED = "rendered"
"""The reason of an article that was read from a rendered page."""

IN_VAIN = ", rendered too"
"""How the reason of a page ends that is no article in the browser either."""


@dataclass(frozen=True, slots=True)
class RenderedVisits:
    """How many pages of a site were rendered, and how many of these are articles."""

    tried: int = 0
    articles: int = 0


def rendered_visits(connection: Connection, questions: Sequence[tuple[str, datetime]]) -> list[RenderedVisits]:
    """Return what rendering has led to since a time, for each site asked about."""
    return [_of_site(connection, site, since) for site, since in questions]


def _of_site(connection: Connection, site: str, since: datetime) -> RenderedVisits:
    is_one = (ledger.c.role == Role.ARTICLE) & (ledger.c.site == site) & (ledger.c.date_visited >= stamp(since))
    is_rendered = (ledger.c.reason == RENDERED) | ledger.c.reason.like(f"%{IN_VAIN}")
    query = select(ledger.c.reason, func.count()).where(is_one & is_rendered).group_by(ledger.c.reason)
    found = {str(row[0]): int(row[1]) for row in connection.execute(query)}
    return RenderedVisits(sum(found.values()), found.get(RENDERED, 0))
