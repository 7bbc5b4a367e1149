"""A story: an article and its copies on other sites, side by side, with what each of them adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import Tables, rows
from newsextract.newsroom.desk.revision_history import Revision, revisions
from newsextract.newsroom.desk.text_differences import Known
from newsextract.page.sentences import split_sentences

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

MOST_COPIES = 12
"""Copies shown on a page, those seen first."""
PAGE_STORIES = 100
_PLACES = 5000
"""Articles of stories, the last seen ones, among which the stories of that page are looked for."""

_COPIES = """
    select {columns} from story_articles c join articles a on a.id = c.article_id
    where c.story_id = ? order by a.date_first_seen, coalesce(a.date_published_utc, '~'), a.id limit ?
"""
_COLUMNS = """
    a.id, a.url, a.site, a.headline, a.article_body, a.in_language, a.word_count, a.date_published, a.date_first_seen,
    c.similarity
"""
_STORIES = """
    with recent as (
        select story_id from articles a join story_articles c on c.article_id = a.id
        order by a.date_first_seen desc, a.id limit :places
    )
    select c.story_id as id, count(*) as copies, count(distinct a.site) as sites,
        min(a.date_first_seen) as first_seen, max(a.date_first_seen) as last_seen
    from story_articles c join articles a on a.id = c.article_id
    where c.story_id in (select story_id from recent)
    group by 1 having count(*) > 1 order by last_seen desc, 1 limit :stories
"""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a copy."""

    text: str
    is_added: bool
    """Whether the first article does not say it."""


@dataclass(frozen=True)
class Copy:
    """One article of a story."""

    row: dict[str, Any]
    paragraphs: list[list[Sentence]]
    revisions: list[Revision]

    @property
    def added(self) -> int:
        """The number of sentences that the first article does not have."""
        return sum(sentence.is_added for paragraph in self.paragraphs for sentence in paragraph)


@dataclass(frozen=True)
class Story:
    """The data of a story's page, and of the part about it on an article's page."""

    id: str
    copies: list[Copy]
    """In the order in which they were seen."""
    total: int


def has_stories(tables: Tables) -> bool:
    """Return whether this database has stories."""
    return tables.has("story_articles", "article_id", "story_id", "similarity") and "articles" in tables


def story(connection: sqlite3.Connection, story_id: str) -> Story | None:
    """Return a story by its id or by that of one merged into it; `None` if it has fewer than two articles."""
    tables = Tables.of(connection)
    if not has_stories(tables):
        return None
    if tables.has("stories", "id", "merged_into"):
        merged = connection.execute("select merged_into from stories where id = ?", [story_id]).fetchone()
        story_id = merged[0] or story_id if merged else story_id
    found = rows(connection, _COPIES.format(columns=_COLUMNS), [story_id, MOST_COPIES])
    if len(found) < 2:
        return None
    total = connection.execute("select count(*) from story_articles where story_id = ?", [story_id]).fetchone()[0]
    history = revisions(connection, tables, [row["id"] for row in found])
    known = Known(found[0]["article_body"] or "")
    copies = [
        Copy(
            row,
            list(_paragraphs(row["article_body"] or "", known if number else None)),
            [revision for revision in history if revision.article_id == row["id"]],
        )
        for number, row in enumerate(found)
    ]
    return Story(story_id, copies, total)


def story_of(connection: sqlite3.Connection, tables: Tables, article_id: str) -> Story | None:
    """Return the story that an article belongs to; `None` if there is none."""
    if not has_stories(tables):
        return None
    found = connection.execute("select story_id from story_articles where article_id = ?", [article_id]).fetchone()
    return story(connection, found[0]) if found else None


def _paragraphs(text: str, known: Known | None) -> Iterator[list[Sentence]]:
    """Yield the sentences of each paragraph, marked if the known text does not have them."""
    for line in text.splitlines():
        pieces = split_sentences(line)
        sentences = [Sentence(piece, known is not None and not known.says(piece)) for piece in pieces if piece.strip()]
        if sentences:
            yield sentences


@dataclass(frozen=True)
class StoryLine:
    """A story in the list of stories."""

    row: dict[str, Any]
    headline: str | None
    language: str | None


def stories(connection: sqlite3.Connection) -> list[StoryLine]:
    """Return the stories that were extended last."""
    if not has_stories(Tables.of(connection)):
        return []
    lines = []
    for row in rows(connection, _STORIES, {"places": _PLACES, "stories": PAGE_STORIES}):
        first = rows(connection, _COPIES.format(columns="a.headline, a.in_language"), [row["id"], 1])[0]
        lines.append(StoryLine(row, first["headline"], first["in_language"]))
    return lines
