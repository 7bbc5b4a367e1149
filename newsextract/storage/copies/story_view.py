"""Reads stories for display: the copies of an article, which came first, and what each adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from newsextract.storage.copies.likeness import additions, text_likeness
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import stories, story_articles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

_COLUMNS = ("id", "url", "site", "headline", "in_language", "date_published", "date_first_seen")


@dataclass(frozen=True, slots=True)
class StoryArticle:
    """An article of a story."""

    id: str
    url: str
    site: str
    headline: str | None
    in_language: str | None
    date_published: str | None
    date_first_seen: str
    similarity: float
    """Similarity with the story's first article, as both are today: the share of common shingles, 0 to 1."""
    containment: float
    """The share of the shorter text's shingles that are common, 0 to 1."""
    adds: list[str]
    """Sentences that the first article does not have."""


@dataclass(frozen=True, slots=True)
class Story:
    """Articles that are copies of each other."""

    id: str
    date_first_seen: str
    articles: list[StoryArticle]
    """In the order in which they were first seen; of those seen at once, the one published earlier first."""


def story_of(connection: Connection, article_id: str) -> Story | None:
    """Return the story of an article; `None` if it has no copies."""
    query = select(story_articles.c.story_id).where(story_articles.c.article_id == article_id)
    found = connection.execute(query).scalar()
    return None if found is None else story(connection, found)


def story(connection: Connection, story_id: str) -> Story | None:
    """Return a story by its id, or by the id of a story that was merged into it; `None` if there is none."""
    query = select(stories.c.merged_into).where(stories.c.id == story_id)
    story_id = connection.execute(query).scalar() or story_id
    columns = [articles.c[name] for name in (*_COLUMNS, "date_published_utc", "article_body")]
    members = (
        select(*columns)
        .join(story_articles, story_articles.c.article_id == articles.c.id)
        .where(story_articles.c.story_id == story_id)
    )
    rows = sorted((dict(row) for row in connection.execute(members).mappings()), key=_order)
    if not rows:
        return None
    first = rows[0]["article_body"]
    told = [_article(rows[0], None), *(_article(row, first) for row in rows[1:])]
    return Story(story_id, rows[0]["date_first_seen"], told)


def _order(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["date_first_seen"], row["date_published_utc"] or "~", row["id"]


def _article(row: Mapping[str, Any], first: str | None) -> StoryArticle:
    """Return an article with what it adds to the first text; `first` is `None` for the first article itself."""
    known = {name: row[name] for name in _COLUMNS}
    if first is None:
        return StoryArticle(**known, similarity=1.0, containment=1.0, adds=[])
    how = text_likeness(first, row["article_body"])
    return StoryArticle(
        **known, similarity=how.similarity, containment=how.containment, adds=additions(first, row["article_body"])
    )
