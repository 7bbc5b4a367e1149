"""How SQLite finds the newest of very many articles: it has no index of words that is in the order of dates.

Of a word that a hundred thousand articles have, all these were looked up and sorted to list the newest twenty. Instead
each of the newest articles is looked up in the index of words, until there are enough; if there are not, because the
word was frequent only long ago, all are sorted after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOMENT = "coalesce(date_published_utc, date_first_seen)"
"""By what articles are sorted, as the index of SQLite has it."""
HAS_WORDS = "exists (select 1 from articles_fts where articles_fts match :query and articles_fts.rowid = number)"
"""The condition that the index of words finds an article, looked up for this article."""

_MANY = 100_000
"""Articles with the words: to sort them takes half a second."""
_RECENT = 40_000
"""Newest articles that are looked up one by one at most, in a second."""
_COUNTED = "select count(*) from (select 1 from articles_fts where articles_fts match :query limit :many)"


def recent_start(scalar: Callable[[str, Mapping[str, Any]], Any], query: str, moment: str = MOMENT) -> str | None:
    """Return the moment since when articles are looked up one by one; `None` if all with these words are to be sorted.

    `scalar` executes a statement and returns its only value; `query` is in the language of FTS5.
    """
    # The words with a beginning are gathered anew at each look.
    if "*" in query or scalar(_COUNTED, {"query": query, "many": _MANY}) < _MANY:
        return None
    start: str | None = scalar(
        f"select {moment} from articles order by {moment} desc limit 1 offset :recent",  # noqa: S608 - of constants
        {"recent": _RECENT},
    )
    return start
