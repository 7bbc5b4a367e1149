"""Warnings for rows that are stored: for the article of a page, whatever its canonical URL says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article import Article
from newsextract.storage.articles.article_store import put_articles
from newsextract.storage.articles.flagging import Flag, flag
from newsextract.storage.database.connection import writing

if TYPE_CHECKING:
    from newsextract.storage.articles.article_store import ArticleStore

TRUE = Article("https://a.example/rain", "https://a.example/rain", headline="Rain", articleBody="It rained.")
SHORT = Article("https://a.example/amp/rain", "https://a.example/rain", headline="Rain", articleBody="It rained.")
WALL = Article("https://b.test/1", "https://a.example/rain", headline="One", articleBody="Please register.")


def flagged(store: ArticleStore, *articles: Article) -> list[bool]:
    flags = [Flag(each.url or "", each.canonicalUrl or "", "a wall") for each in articles]
    with writing(store.engine) as connection:
        return flag(connection, flags)


def warnings(store: ArticleStore) -> dict[str, list[str]]:
    return {row["url"]: row["warnings"] or [] for row in store.rows()}


def test_a_warning_is_for_the_page_and_not_for_the_article_it_names(store: ArticleStore) -> None:
    with writing(store.engine) as connection:
        put_articles(connection, [TRUE, WALL])
    assert flagged(store, WALL, WALL) == [True, True]
    assert warnings(store) == {TRUE.url: [], WALL.url: ["a wall"]}


def test_a_row_is_found_by_its_canonical_url_too(store: ArticleStore) -> None:
    with writing(store.engine) as connection:
        put_articles(connection, [SHORT])
    assert flagged(store, TRUE, SHORT) == [False, True]
    assert warnings(store) == {SHORT.url: ["a wall"]}
