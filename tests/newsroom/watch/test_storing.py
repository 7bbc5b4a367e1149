"""Matches in the database, on every kind of database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from newsextract.article import Article, ArticleMetadata
from newsextract.newsroom.watch import Rule, RuleIndex, match_again, match_changes
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.schema import articles, matches
from newsextract.storage.search.queries import parse_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.storage.articles import ArticleStore
    from newsextract.storage.revisions import Change

RULES = RuleIndex([Rule("Brücke 東京", parse_query("pont OR bridge*")), Rule("sport", parse_query("sport NOT golf"))])
EARLIER = "2026-01-01T00:00:00+00:00"


def article(number: int, body: str, day: int = 20) -> Article:
    obtained = ArticleMetadata(f"2026-05-{day}T10:00:00+00:00")
    return Article(f"https://a.example/{number}", headline=f"News {number}", articleBody=body, metadata=obtained)


def put(store: ArticleStore, *given: Article, index: RuleIndex = RULES, fail: bool = False) -> list[tuple[Any, ...]]:
    new: list[tuple[Any, ...]] = []

    def then(_: Connection, changes: Sequence[Change]) -> None:
        new.extend((change.row["headline"], match["rule"]) for change in changes for match in change.matches)
        if fail:
            raise RuntimeError("after the matches")

    def match(connection: Connection, changes: Sequence[Change]) -> None:
        match_changes(connection, index, changes)

    with writing(store.engine) as connection:
        put_articles(connection, given, effects=[match, then])
    return new


def stored(store: ArticleStore) -> list[dict[str, Any]]:
    with store.engine.connect() as connection:
        return [dict(row) for row in connection.execute(select(matches).order_by(matches.c.rule)).mappings()]


def test_an_article_is_matched_as_it_is_stored(store: ArticleStore) -> None:
    new = put(store, article(1, "A sport for bridge builders. 🌉"), article(2, "Golf is no sport."))
    assert new == [("News 1", "Brücke 東京"), ("News 1", "sport")]
    one, other = stored(store)
    assert (one["rule"], one["revision"], other["rule"]) == ("Brücke 東京", RULES.rules[0].revision, "sport")
    (passage,) = one["passages"]
    start, end = passage["marks"][0]
    assert (passage["field"], passage["text"][start:end]) == ("body", "bridge")


def test_a_change_takes_away_what_is_no_longer_true_and_keeps_the_date_of_the_rest(store: ArticleStore) -> None:
    put(store, article(1, "A sport for bridge builders."))
    with writing(store.engine) as connection:
        connection.execute(update(matches).values(date_matched=EARLIER))
    assert put(store, article(1, "Golf and sport: a viaduct, or bridge.")) == []
    (row,) = stored(store)
    assert (row["rule"], row["date_matched"]) == ("Brücke 東京", EARLIER)
    assert "viaduct" in row["passages"][0]["text"]
    assert put(store, article(1, "Sport, bridge.")) == [("News 1", "sport")]


def test_what_fails_takes_article_and_matches_back(store: ArticleStore) -> None:
    with pytest.raises(RuntimeError):
        put(store, article(1, "A bridge."), fail=True)
    assert (store.count(), stored(store)) == (0, [])


def test_stored_articles_are_matched_again_with_other_rules(store: ArticleStore) -> None:
    put(store, *(article(number, "A bridge and a tunnel.", 10 + number) for number in range(9)))
    other = RuleIndex([Rule("Brücke 東京", parse_query("tunnel")), Rule("new", parse_query("bridge"))])
    since = datetime(2026, 5, 15, tzinfo=UTC)
    (found,) = match_again(store.engine, other, since - timedelta(hours=1))
    assert [len(fits) for _, fits in found] == [2] * 4
    revisions = {row["revision"] for row in stored(store) if row["rule"] == "Brücke 東京"}
    assert revisions == {RULES.rules[0].revision, other.rules[0].revision}
    with store.engine.connect() as connection:
        late = set(
            connection.execute(select(articles.c.id).where(articles.c.date_first_seen >= "2026-05-15")).scalars()
        )
    assert {row["article_id"] for row in stored(store) if row["rule"] == "new"} == late
