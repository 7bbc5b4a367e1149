"""The tables of the database, from their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docs.generators.markdown import code, table
from newsextract.storage import schema, word_index

if TYPE_CHECKING:
    from sqlalchemy import Column, Table

_PURPOSES = {
    "articles": "One row for each article, as its page was last read. [The fields](../fields.md) name their columns.",
    "article_words": "The words of each article, for search. On SQLite a table of FTS5, by the article's number.",
    "stories": "Stories: one row for each group of copies.",
    "story_articles": "Which article belongs to which story, and how much they share.",
    "dead_letters": "Messages that a target has refused for good.",
    "deliveries": "How far each target has got.",
    "fingerprint_keys": "What copies are found by.",
    "ledger": "All known URLs: when each was seen and visited, how that ended, and when it is due again.",
    "locks": "What only one process may do at a time.",
    "matches": "Which watch rule matches which article, with the passages that show it.",
    "outbox": "Messages that wait to be sent.",
    "outbox_head": "The number of the newest message.",
    "kept_pages": "The kept pages of articles, for `newsextract replay`.",
    "warc_records": "Where what was fetched is in the WARC files.",
    "revisions": "The versions of articles that have changed, and what has changed.",
    "front_places": "Where articles stood on the front pages of their sites, a row for each stay.",
    "rights": "What pages and sites have said about their use, by source, from when to when.",
    "removals": "Articles that a visit missed: since when, whether a second one did too, and whether they came back.",
    "runs": "One row for each run of a crawl.",
    "site_runs": "What each run saw of each site: what its health is judged by.",
    "sites": "When each site was first and last visited.",
}


def tables_reference() -> str:
    """Return a section for each table."""
    declared = {**schema.metadata.tables, "article_words": word_index.article_words}
    assert set(declared) == set(_PURPOSES), "say here what each table is for"
    return "\n".join(f"## `{name}`\n\n{_PURPOSES[name]}\n\n{_columns(declared[name])}" for name in sorted(declared))


def _columns(declared: Table) -> str:
    rows = ([code(column.name), _type(column), _about(column)] for column in declared.columns)
    return table(["column", "type", ""], rows)


def _type(column: Column[Any]) -> str:
    words = str(column.type).lower()
    return f"{words}, key" if column.primary_key else f"{words}, never null" if not column.nullable else words


def _about(column: Column[Any]) -> str:
    return str(column.comment or "").replace("*", "\\*")
