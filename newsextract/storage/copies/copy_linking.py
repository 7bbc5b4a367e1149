"""New and changed articles linked with their copies: an effect of storing them.

Across sites, runs and crawlers, also within one site. Articles stay as they are; a link once made stays too, whatever
becomes of the texts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import select

from newsextract.storage.copies.copy_index import day_of, lookalikes, print_of, write_prints
from newsextract.storage.copies.likeness import likeness
from newsextract.storage.copies.story_clusters import Member, cluster_of, link
from newsextract.storage.copies.text_shingles import said_words, shingles
from newsextract.storage.database.locking import hold
from newsextract.storage.schema.crawl_tables import articles

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


def link_stories(connection: Connection, changes: Sequence[Change], *, window_days: int = WINDOW_DAYS) -> int:
    """Link articles with their copies, and return how many came into a story: for an effect of storing them.

    Of two crawlers one waits for the other's transaction here, so that copies which both bring at once find each other.
    """
    prints = [print_of(change.row) for change in changes]  # what takes the time, before anybody has to wait
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
    """Return the articles to compare with: of each story that one is not in, those that have most in common with it."""
    chosen: list[Lookalike] = []
    of_story: Counter[str] = Counter()
    for lookalike in found:
        if lookalike.story != own and of_story[lookalike.story] < _MOST_OF_A_STORY:
            of_story[lookalike.story] += 1
            chosen.append(lookalike)
    return chosen[:_MOST_JUDGED]


def _copies(connection: Connection, body: str | None, chosen: Sequence[Lookalike]) -> list[tuple[Member, Likeness]]:
    """Return of each story the first article that is a copy of a text, the closest one first."""
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
