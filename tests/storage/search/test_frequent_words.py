"""Words that very many articles have: the newest ones are found without sorting all."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Article, ArticleMetadata
from newsextract.newsroom.desk import article_selection
from newsextract.newsroom.desk.article_selection import newest
from newsextract.newsroom.desk.choice import Choice
from newsextract.newsroom.desk.desk_database import Tables, open_read_only
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.search import article_search as frequent_words
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from pathlib import Path

_FIRST = datetime(2026, 5, 1, tzinfo=UTC)
QUERIES = ("bridge", "bridge NOT old", "old", "bri*", "bridge NEAR old")
"""Frequent among the newest articles, and only among those of long ago."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frequent") / "a.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    for number in range(40):
        told = (_FIRST + timedelta(hours=number * 7 % 40)).isoformat()
        words = "The old bridge." if number * 7 % 40 < 15 else "The bridge."
        url = f"https://a.example/{number}"
        published = None if number % 5 == 0 else told
        store.put(
            Article(url, headline="One", articleBody=words, datePublished=published, metadata=ArticleMetadata(told))
        )
    store.close()
    return path


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("recent", [3, 10, 30, 39])
def test_the_same_articles_are_found_in_the_same_order(
    path: Path, monkeypatch: pytest.MonkeyPatch, query: str, recent: int
) -> None:
    monkeypatch.setattr(article_selection, "WINDOW", 4)
    store = ArticleStore.open(f"sqlite:///{path}")
    with closing(open_read_only(path)) as desk:
        tables = Tables.of(desk)
        choices = [Choice(q=query), Choice(q=query, order="seen"), Choice(q=query, site="a.example")]
        plain = search(store.engine, query, 5), [newest(desk, tables, choice) for choice in choices]
        monkeypatch.setattr(frequent_words, "_MANY", 10)
        monkeypatch.setattr(frequent_words, "_RECENT", recent)
        assert plain[0]
        assert (search(store.engine, query, 5), [newest(desk, tables, choice) for choice in choices]) == plain
    store.close()
