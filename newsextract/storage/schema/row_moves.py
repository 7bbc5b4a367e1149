"""Changes the id of an article's row, with all references to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import column, delete, insert, inspect, select, table, update

from newsextract.storage.schema.full_text_index import article_words

if TYPE_CHECKING:
    from sqlalchemy import ColumnClause, Connection

_IDS = (
    ("revisions", "article_id"),
    ("story_articles", "article_id"),
    ("story_articles", "story_id"),
    ("stories", "id"),
    ("stories", "merged_into"),
    ("matches", "article_id"),
    ("kept_pages", "article_id"),
    # Their names before revision 0018, in a database that is being migrated.
    ("cluster_articles", "article_id"),
    ("cluster_articles", "cluster_id"),
    ("clusters", "id"),
    ("clusters", "merged_into"),
    ("raw_pages", "article_id"),
)
"""Tables and columns that have the id of an article; a story's is that of its first article.

Messages in the outbox are not among them: they stay as written.
"""

_ARTICLES = table("articles", column("id"), column("number"))
_KEYS = table("fingerprint_keys", column("article_number"))


def number_of(article_id: str) -> int:
    """Return the number of an article in the full-text index and the fingerprints."""
    return int(article_id[:15], 16)


def move_article(connection: Connection, old: str, new: str) -> bool:
    """Give an article's row another id; return False and change nothing if a row has that id already.

    Tables that a database does not have yet, as it is being migrated, are passed over.
    """
    if connection.execute(select(_ARTICLES.c.id).where(_ARTICLES.c.id == new)).first():
        return False
    known = set(inspect(connection).get_table_names())
    # On SQLite, triggers do this.
    has_words = article_words.name in known and connection.dialect.name != "sqlite"
    words = _take_words(connection, old) if has_words else None
    connection.execute(update(_ARTICLES).where(_ARTICLES.c.id == old).values(id=new, number=number_of(new)))
    if words is not None:
        connection.execute(insert(article_words).values(article_id=new, words=words))
    for name, referring in _IDS:
        if name in known:
            place: ColumnClause[str] = column(referring)
            connection.execute(update(table(name, place)).where(place == old).values({referring: new}))
    if _KEYS.name in known:
        numbered = update(_KEYS).where(_KEYS.c.article_number == number_of(old))
        connection.execute(numbered.values(article_number=number_of(new)))
    return True


def _take_words(connection: Connection, article_id: str) -> str | None:
    """Delete the words of an article from the index, which refers to its row, and return them."""
    is_its = article_words.c.article_id == article_id
    words: str | None = connection.execute(select(article_words.c.words).where(is_its)).scalar()
    connection.execute(delete(article_words).where(is_its))
    return words
