"""The stories of some articles, as they are in the database, and as links change them in a transaction.

A story's time begins with its first article: what is dated long before or after that does not join, so that horoscopes
and forecasts that are alike from day to day do not make one story of a year.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import bindparam, insert, select, update

from newsextract.storage.database.batches import chunks
from newsextract.storage.schema.history_tables import stories, story_articles

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from newsextract.storage.copies.likeness import Likeness

_STORIES = (
    select(story_articles.c.article_id, stories.c.id, stories.c.date_first_seen, stories.c.day)
    .join(stories, story_articles.c.story_id == stories.c.id)
    .where(story_articles.c.article_id.in_(bindparam("ids", expanding=True)))
)
_BEGIN, _JOIN = insert(stories), insert(story_articles)


@dataclass(frozen=True, slots=True)
class Member:
    """An article that is in a story or may join one."""

    article_id: str
    day: int
    """Days since 1970."""
    date_first_seen: str


@dataclass(frozen=True, slots=True)
class Story:
    """A row of the story table."""

    id: str
    date_first_seen: str
    day: int
    """The day of its first article."""


@dataclass(frozen=True, slots=True)
class Stories:
    """The stories of some articles; only these may be asked for and linked."""

    connection: Connection
    by_article: dict[str, Story]
    window_days: int
    """The most days between a story's first article and any other."""
    _begun: list[dict[str, Any]] = field(default_factory=list)
    _joined: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, connection: Connection, article_ids: Collection[str], window_days: int) -> Self:
        """Read the stories of articles, in few statements."""
        found = {
            row[0]: Story(row[1], row[2], row[3])
            for some in chunks(sorted(article_ids))
            for row in connection.execute(_STORIES, {"ids": some})
        }
        return cls(connection, found, window_days)

    def link(self, one: Member, other: Member, found: Likeness) -> int:
        """Put two copies into one story, if their dates allow it; return how many of the two newly joined a story.

        What has changed is written with `write`.
        """
        first, second = self.by_article.get(one.article_id), self.by_article.get(other.article_id)
        if first is not None and second is not None:
            if first.id != second.id:
                self._merge(first, second)
            return 0
        story = first or second
        if story is None:
            older, newer = sorted((one, other), key=_age)
            self._begin(older, newer, found)
            return 2
        new = one if first is None else other
        if abs(new.day - story.day) > self.window_days:
            return 0
        self._join(story, new, found.similarity, found.containment)
        return 1

    def write(self) -> None:
        """Write the new stories and members, in few statements."""
        for statement, rows in ((_BEGIN, self._begun), (_JOIN, self._joined)):
            if rows:
                self.connection.execute(statement, rows)
                rows.clear()

    def _begin(self, first: Member, second: Member, found: Likeness) -> None:
        story = Story(first.article_id, first.date_first_seen, first.day)
        row = {"id": story.id, "date_first_seen": story.date_first_seen, "day": story.day, "merged_into": None}
        self._begun.append(row)
        self._join(story, first, 1.0, 1.0)
        self._join(story, second, found.similarity, found.containment)

    def _join(self, story: Story, new: Member, similarity: float, containment: float) -> None:
        row = {"article_id": new.article_id, "story_id": story.id}
        self._joined.append(row | {"similarity": similarity, "containment": containment})
        self.by_article[new.article_id] = story

    def _merge(self, one: Story, other: Story) -> None:
        if abs(one.day - other.day) > self.window_days:
            return
        self.write()
        older, newer = sorted((one, other), key=lambda story: (story.date_first_seen, story.id))
        for table, column in ((story_articles, "story_id"), (stories, "merged_into")):
            moved = update(table).where(table.c[column] == newer.id).values({column: older.id})
            self.connection.execute(moved)
        self.connection.execute(update(stories).where(stories.c.id == newer.id).values(merged_into=older.id))
        self.by_article.update({key: older for key, story in self.by_article.items() if story.id == newer.id})


def _age(member: Member) -> tuple[str, int, str]:
    return member.date_first_seen, member.day, member.article_id
