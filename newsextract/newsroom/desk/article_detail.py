"""The page of an article: its text, what is known about it, its revisions, its story, its watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.article_facts import Fact, facts
from newsextract.newsroom.desk.desk_database import Tables, list_of, names_in, rows
from newsextract.newsroom.desk.removed_pages import Removal, removals
from newsextract.newsroom.desk.revision_history import Revision, revisions
from newsextract.newsroom.desk.story_detail import Story, story_of
from newsextract.newsroom.desk.watch_matches import Match, matches_of

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True)
class ArticlePage:
    """What the page of an article shows."""

    row: dict[str, Any]
    authors: list[str]
    facts: dict[str, list[Fact]]
    warnings: list[str]
    revisions: list[Revision]
    story: Story | None
    matches: list[Match]
    removal: Removal | None


def article(connection: sqlite3.Connection, article_id: str) -> ArticlePage | None:
    """Return the article with this id; `None` if there is none."""
    tables = Tables.of(connection)
    found = rows(connection, "select * from articles where id = ?", [article_id]) if "articles" in tables else []
    if not found:
        return None
    row = found[0]
    return ArticlePage(
        row=row,
        authors=names_in(row.get("authors")),
        facts=facts(row),
        warnings=[str(warning) for warning in list_of(row.get("warnings"))],
        revisions=revisions(connection, tables, [article_id]),
        story=story_of(connection, tables, article_id),
        matches=matches_of(connection, tables, article_id),
        removal=removals(connection, tables, [article_id]).get(article_id),
    )
