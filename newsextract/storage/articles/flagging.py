"""Adds warnings to the rows of articles that are already stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from newsextract.storage.ledger.ledger import address_id
from newsextract.storage.schema.crawl_tables import articles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Flag:
    """A warning for a page's article, found by either of its URLs; a canonical URL may belong to another article."""

    url: str
    canonical_url: str
    warning: str


def flag(connection: Connection, flags: Sequence[Flag]) -> list[bool]:
    """Add warnings to rows; return for each whether its article is stored. Repeating it changes nothing."""
    return [_flag(connection, one) for one in flags]


def _flag(connection: Connection, one: Flag) -> bool:
    ids = {address_id(url) for url in (one.url, one.canonical_url) if url}
    is_it = articles.c.id.in_(sorted(ids)) & (articles.c.url == one.url)
    found = connection.execute(select(articles.c.warnings).where(is_it)).first()
    if found is None:
        return False
    known = list(found[0] or [])
    if one.warning not in known:
        connection.execute(update(articles).where(is_it).values(warnings=[*known, one.warning]))
    return True
