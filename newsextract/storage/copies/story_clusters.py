"""Stories as sets of linked articles, which grow and flow into each other, and never lose an article.

A story's time begins with its first article: what is dated long before or after that does not join, so that horoscopes
and forecasts that are alike from day to day do not make one story of a year.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from newsextract.storage.schema.history_tables import cluster_articles, clusters

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from newsextract.storage.copies.likeness import Likeness


@dataclass(frozen=True, slots=True)
class Member:
    """An article that is in a story or may come into one."""

    article_id: str
    day: int
    """Since 1970."""
    date_first_seen: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """A story as its table has it."""

    id: str
    date_first_seen: str
    day: int
    """Of its first article."""


def cluster_of(connection: Connection, article_id: str) -> Cluster | None:
    """Return the story that an article is in."""
    query = select(clusters.c.id, clusters.c.date_first_seen, clusters.c.day).join(
        cluster_articles, cluster_articles.c.cluster_id == clusters.c.id
    )
    row = connection.execute(query.where(cluster_articles.c.article_id == article_id)).first()
    return None if row is None else Cluster(*row)


def link(connection: Connection, one: Member, other: Member, found: Likeness, window_days: int) -> int:
    """Put two copies into one story, if its time allows that; return how many of the two came into one by it."""
    first, second = cluster_of(connection, one.article_id), cluster_of(connection, other.article_id)
    if first is not None and second is not None:
        if first.id != second.id:
            _merge(connection, first, second, window_days)
        return 0
    story = first or second
    if story is None:
        older, newer = sorted((one, other), key=_age)
        _begin(connection, older, newer, found)
        return 2
    new = one if first is None else other
    if abs(new.day - story.day) > window_days:
        return 0
    _join(connection, story.id, new.article_id, found.similarity, found.containment)
    return 1


def _age(member: Member) -> tuple[str, int, str]:
    return member.date_first_seen, member.day, member.article_id


def _begin(connection: Connection, first: Member, second: Member, found: Likeness) -> None:
    connection.execute(
        insert(clusters),
        [{"id": first.article_id, "date_first_seen": first.date_first_seen, "day": first.day, "merged_into": None}],
    )
    _join(connection, first.article_id, first.article_id, 1.0, 1.0)
    _join(connection, first.article_id, second.article_id, found.similarity, found.containment)


def _join(connection: Connection, cluster_id: str, article_id: str, similarity: float, containment: float) -> None:
    row = {"article_id": article_id, "cluster_id": cluster_id, "similarity": similarity, "containment": containment}
    connection.execute(insert(cluster_articles), [row])


def _merge(connection: Connection, one: Cluster, other: Cluster, window_days: int) -> None:
    if abs(one.day - other.day) > window_days:
        return
    older, newer = sorted((one, other), key=lambda story: (story.date_first_seen, story.id))
    for table, column in ((cluster_articles, "cluster_id"), (clusters, "merged_into")):
        connection.execute(update(table).where(table.c[column] == newer.id).values({column: older.id}))
    connection.execute(update(clusters).where(clusters.c.id == newer.id).values(merged_into=older.id))
