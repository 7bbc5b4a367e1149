"""The rights ledger: what pages and sites have said about their use, from when to when.

A row is a statement of one source; another one follows where the source says something else, an empty one where it says
nothing any more. What an article's rights are now is in its row of `articles`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy import bindparam, select, update

from newsextract.reading.usage_rights import PAGE_SOURCES, RightsStatement
from newsextract.storage.database_thread import each
from newsextract.storage.rows import fit, insert_missing, stamp, text_hash
from newsextract.storage.schema import articles, rights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

_KNOWN = (
    select(rights)
    .where(rights.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(rights.c.id, rights.c.source, rights.c.date_first_seen)
)


@dataclass(frozen=True, slots=True)
class SiteSaid:
    """What a file of a site says about use."""

    address: str
    """Scheme and host of the site."""
    source: str
    text: str
    """Empty if it says nothing, or there is none."""
    at: datetime


@each
def note_site(connection: Connection, said: SiteSaid) -> None:
    """Record what a site says."""
    row = _row(text_hash(said.address), said.source, said.address, said.text, stamp(said.at))
    _note(connection, [row], frozenset((said.source,)))


def note_articles(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Record what the pages of articles say, given as rows of `articles`."""
    said: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        told: dict[str, list[str]] = {name: [] for name in PAGE_SOURCES}
        for source, text in map(RightsStatement.read, (row["usage_rights"] or {}).get("statements") or ()):
            if source in told:
                told[source].append(text)
        for source, lines in told.items():
            said[row["id"], source] = _row(row["id"], source, row["url"], "\n".join(lines), row["date_downloaded"])
    _note(connection, said.values(), frozenset(PAGE_SOURCES))


def update_articles(connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Give stored articles, whose texts are the same as before, the rights that their pages state now."""
    changes = [{"key": row["id"], "to": row["usage_rights"]} for row in rows]
    if changes:
        changed = update(articles).where(articles.c.id == bindparam("key")).values(usage_rights=bindparam("to"))
        connection.execute(changed, changes)


def history(connection: Connection, article_id: str, url: str) -> list[dict[str, Any]]:
    """Return what an article's page and its site have said, by sources and times."""
    ids = [article_id, text_hash(site_address(url))]
    return [dict(row) for row in connection.execute(_KNOWN, {"ids": ids}).mappings()]


def site_address(url: str) -> str:
    """Return scheme and host of a URL: files that speak for a site do so for one host."""
    return urlsplit(url)._replace(path="", query="", fragment="").geturl()


def _note(connection: Connection, said: Iterable[dict[str, Any]], sources: frozenset[str]) -> None:
    now = {(row["id"], row["source"]): row for row in said}
    known: dict[tuple[str, str], Mapping[str, Any]] = {}
    for found in connection.execute(_KNOWN, {"ids": sorted({key for key, _ in now})}).mappings():
        if found["source"] in sources:
            known[found["id"], found["source"]] = dict(found)  # the newest comes last
    new = []
    for key, row in sorted(now.items()):
        before = known.get(key)
        if before is None or before["statement"] != row["statement"]:
            # Nothing is noted of who never said anything, and of what was read before the newest row.
            is_news = row["statement"] if before is None else row["date_first_seen"] >= before["date_last_seen"]
            new += [row] if is_news else []
        elif row["date_last_seen"] > before["date_last_seen"]:
            columns = rights.c
            is_it = columns.id == key[0], columns.source == key[1], columns.date_first_seen == before["date_first_seen"]
            connection.execute(update(rights).where(*is_it).values(date_last_seen=row["date_last_seen"]))
    insert_missing(connection, rights, new)  # another crawl may note the same in the same second


def _row(key: str, source: str, address: str, text: str, at: str) -> dict[str, Any]:
    row = {"id": key, "source": source, "address": address, "statement": text}
    return fit(rights, row | {"date_first_seen": at, "date_last_seen": at})[0]
