"""Links new and changed articles with their copies: an effect of storing them.

Across sites, runs and crawlers, also within one site. Articles stay as they are; a link once made stays too, whatever
becomes of the texts. Stories are sets of linked articles, which grow and flow into each other, and never lose one.

A story's time begins with its first article: what is dated long before or after that does not join, so that horoscopes
and forecasts that are alike from day to day do not make one story of a year.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from newsextract.storage.copies.copy_index import day_of, lookalikes, print_of, write_prints
from newsextract.storage.copies.likeness import likeness, said_words, shingles
from newsextract.storage.database.batches import hold
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import cluster_articles, clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.copies.copy_index import Lookalike, Print
    from newsextract.storage.copies.likeness import Likeness
    from newsextract.storage.revisions.change import Change

WINDOW_DAYS = 14
"""Between the dates of two copies, and between a story's first article and any other."""

_LOCK = "stories"
_MOST_OF_A_STORY = 8
_MOST_JUDGED = 20
"""Texts that are compared with one, at about a millisecond each, and none more of a story that it is a copy of."""


@dataclass(frozen=True, slots=True)
class Member:
    """An article that is in a story or may join one."""

    article_id: str
    day: int
    """Days since 1970."""
    date_first_seen: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """A row of the story table."""

    id: str
    date_first_seen: str
    day: int
    """The day of its first article."""


def cluster_of(connection: Connection, article_id: str) -> Cluster | None:
    """Return the story of an article; `None` if it is in none."""
    query = select(clusters.c.id, clusters.c.date_first_seen, clusters.c.day).join(
        cluster_articles, cluster_articles.c.cluster_id == clusters.c.id
    )
    row = connection.execute(query.where(cluster_articles.c.article_id == article_id)).first()
    return None if row is None else Cluster(*row)


def link(connection: Connection, one: Member, other: Member, found: Likeness, window_days: int) -> int:
    """Put two copies into one story, if their dates allow it; return how many of the two newly joined a story."""
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


def link_stories(connection: Connection, changes: Sequence[Change], *, window_days: int = WINDOW_DAYS) -> int:
    """Link articles with their copies, and return how many joined a story: for an effect of storing them.

    Of two crawlers one waits for the other's transaction here, so that copies which both bring at once find each other.
    """
    prints = [print_of(change.row) for change in changes]  # the slow part, before the lock makes others wait
    hold(connection, _LOCK)
    write_prints(connection, prints, window_days)
    bodies = {change.row["id"]: change.row["article_body"] for change in changes}
    return sum(_link(connection, one, bodies[one.article_id], window_days) for one in prints)


def _link(connection: Connection, one: Print, body: str | None, window_days: int) -> int:
    found = lookalikes(connection, one, window_days)
    if not found:
        return 0
    own = cluster_of(connection, one.article_id)
    chosen = _chosen(found, None if own is None else own.id)
    member = Member(one.article_id, one.day, one.date_first_seen)
    copies = _copies(connection, body, chosen)
    return sum(link(connection, member, other, how, window_days) for other, how in copies)


def _chosen(found: Iterable[Lookalike], own: str | None) -> list[Lookalike]:
    """Return the articles to compare with: from each story except `own`, those that share the most keys."""
    chosen: list[Lookalike] = []
    of_story: Counter[str] = Counter()
    for lookalike in found:
        if lookalike.story != own and of_story[lookalike.story] < _MOST_OF_A_STORY:
            of_story[lookalike.story] += 1
            chosen.append(lookalike)
    return chosen[:_MOST_JUDGED]


def _copies(connection: Connection, body: str | None, chosen: Sequence[Lookalike]) -> list[tuple[Member, Likeness]]:
    """Return the first article of each story that is a copy of the text, the closest copy first."""
    columns = articles.c.id, articles.c.article_body, articles.c.date_published, articles.c.date_first_seen
    query = select(*columns).where(articles.c.id.in_([lookalike.article_id for lookalike in chosen]))
    rows = {row["id"]: dict(row) for row in connection.execute(query).mappings()} if chosen else {}
    own = shingles(said_words(body))
    found: dict[str, tuple[Member, Likeness]] = {}
    for lookalike in chosen:
        row = rows[lookalike.article_id]
        if lookalike.story not in found:
            how = likeness(own, shingles(said_words(row["article_body"])))
            if how.is_copy:
                found[lookalike.story] = Member(row["id"], day_of(row), row["date_first_seen"]), how
    return sorted(found.values(), key=lambda pair: (-pair[1].similarity, pair[0].article_id))
