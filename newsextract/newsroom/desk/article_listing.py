"""The front page: one page of the newest articles of a selection, with details of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from newsextract.newsroom.desk.article_selection import WINDOW, can_search, has_watches, newest
from newsextract.newsroom.desk.choice import PAGE_ARTICLES, Choice
from newsextract.newsroom.desk.desk_database import Tables, rows
from newsextract.newsroom.desk.facets import Facet, facets
from newsextract.newsroom.desk.removed_pages import Removal, removals
from newsextract.newsroom.desk.revision_history import CHANGED
from newsextract.newsroom.desk.text_differences import Piece
from newsextract.storage.search.matching import Matcher, snippet
from newsextract.storage.search.queries import QueryError, parse_query

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_LEAD_CHARS = 260

_CARDS = """
    select rowid as place, id, url, site, headline, description, {body} as article_body, date_published, in_language,
        section, word_count, date_first_seen
    from articles where rowid in (select value from json_each(?))
"""


@dataclass
class Card:
    """An article in a list."""

    row: dict[str, Any]
    lead: list[Piece]
    """Its description or first words, or the context of the search words with these as `mark`."""
    watches: list[str] = field(default_factory=list)
    revisions: int = 0
    story: str | None = None
    copies: int = 0
    """Other articles of the story."""
    removal: Removal | None = None


@dataclass(frozen=True)
class Mistake:
    """An error in a query: the query before it, the character that it points at and what follows, and what it says."""

    before: str
    at: str
    after: str
    message: str

    @classmethod
    def of(cls, query: str, error: QueryError) -> Self:
        """Return the error with the query around it."""
        at = error.position
        return cls(query[:at], query[at : at + 1], query[at + 1 :], str(error))


@dataclass(frozen=True)
class Front:
    """What the front page shows."""

    choice: Choice
    cards: list[Card]
    facets: list[Facet]
    total: int
    """Articles of the selection, up to the number that is listed."""
    is_cut: bool
    """Whether there are older ones that are not listed."""
    stored: int
    """Articles in the database."""
    can_search: bool
    mistake: Mistake | None = None
    """What is wrong with the search."""
    bad_days: str = ""
    """What is wrong with the range of days."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE_ARTICLES))


def front(connection: sqlite3.Connection, choice: Choice) -> Front:
    """Return the data of the front page."""
    tables = Tables.of(connection)
    mistake, places, matcher = None, list[int](), None
    bad_days = choice.days.mistake
    try:
        places = [] if bad_days else newest(connection, tables, choice)
        matcher = Matcher(parse_query(choice.q)) if choice.q else None
    except QueryError as error:
        mistake = Mistake.of(choice.q, error)
    listed = places[:WINDOW]
    start = (choice.page - 1) * PAGE_ARTICLES
    return Front(
        choice=choice,
        cards=cards(connection, tables, listed[start : start + PAGE_ARTICLES], matcher),
        facets=facets(connection, tables, choice, listed),
        total=len(listed),
        is_cut=len(places) > WINDOW,
        stored=connection.execute("select count(*) from articles").fetchone()[0] if "articles" in tables else 0,
        can_search=can_search(tables),
        mistake=mistake,
        bad_days=bad_days,
    )


def cards(
    connection: sqlite3.Connection, tables: Tables, places: Sequence[int], matcher: Matcher | None = None
) -> list[Card]:
    """Return the articles with these row numbers, in this order."""
    if not places:
        return []
    # To find a search word the whole text is needed; otherwise its beginning is enough.
    body = "article_body" if matcher else f"substr(article_body, 1, {_LEAD_CHARS + 1})"
    found = {row["place"]: row for row in rows(connection, _CARDS.format(body=body), [json.dumps(places)])}
    made = {row["id"]: Card(row, _lead(row, matcher)) for place in places if (row := found.get(place))}
    _add_watches(connection, tables, made)
    _add_revisions(connection, tables, made)
    _add_stories(connection, tables, made)
    for article, removal in removals(connection, tables, list(made)).items():
        made[article].removal = removal
    return list(made.values())


def _lead(row: dict[str, Any], matcher: Matcher | None) -> list[Piece]:
    if matcher:
        found = snippet(matcher.read(row), matcher)
        return [Piece("mark" if part.is_found else "same", part.text) for part in found]
    lead = " ".join((row["description"] or row["article_body"] or "").split())
    shown = lead if len(lead) <= _LEAD_CHARS else lead[:_LEAD_CHARS].rsplit(" ", 1)[0] + " …"
    return [Piece("same", shown)] if shown else []


def _add_watches(connection: sqlite3.Connection, tables: Tables, made: dict[str, Card]) -> None:
    if has_watches(tables):
        found = "select distinct article_id, rule from matches where article_id in (select value from json_each(?))"
        for article, rule in connection.execute(f"{found} order by rule", [json.dumps(list(made))]):
            made[article].watches.append(rule)


def _add_revisions(connection: sqlite3.Connection, tables: Tables, made: dict[str, Card]) -> None:
    if tables.has("revisions", "article_id", "changes"):
        found = "select article_id, count(*) from revisions where article_id in (select value from json_each(?))"
        for article, count in connection.execute(f"{found} and {CHANGED} group by 1", [json.dumps(list(made))]):
            made[article].revisions = count


_STORIES = """
    select mine.article_id, mine.story_id, count(*) from story_articles mine
    join story_articles other on other.story_id = mine.story_id
    where mine.article_id in (select value from json_each(?)) group by 1, 2
"""


def _add_stories(connection: sqlite3.Connection, tables: Tables, made: dict[str, Card]) -> None:
    if tables.has("story_articles", "article_id", "story_id"):
        for article, story, count in connection.execute(_STORIES, [json.dumps(list(made))]):
            made[article].story, made[article].copies = story, count - 1
