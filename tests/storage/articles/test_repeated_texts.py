"""One text of a site is one article, whichever run or crawler stores it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.article import Article
from newsextract.reading.notices import PageState
from newsextract.storage.articles.repeated_texts import put_new_texts
from newsextract.storage.database.connection import writing
from newsextract.storage.ledger.ledger import Admission, Finding, Role, VisitRecord, admit, record
from newsextract.storage.revisions.change import Stored

if TYPE_CHECKING:
    from newsextract.storage.articles.article_store import ArticleStore

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
STORY = Article(url="https://www.example.com/a", headline="The bridge opens", articleBody="It opened.\nIn May.")
PRINTED = replace(STORY, url="https://example.com/print/a", headline="The bridge opens (print)")


def put(store: ArticleStore, *articles: Article) -> list[Stored]:
    with writing(store.engine) as connection:
        return put_new_texts(connection, articles, run_id="a run")


def urls(store: ArticleStore) -> list[str]:
    return sorted(row["url"] for row in store.rows())


def test_a_text_that_an_earlier_run_has_stored_is_no_new_article(store: ArticleStore) -> None:
    assert put(store, STORY) == [Stored.NEW]
    assert put(store, PRINTED) == [Stored.SAME_TEXT]
    assert put(store, replace(STORY, headline="The bridge is open")) == [Stored.CHANGED]
    assert urls(store) == [STORY.url]


def test_the_first_of_a_batch_counts(store: ArticleStore) -> None:
    other = replace(STORY, url="https://example.com/b", articleBody="Another text.")
    assert put(store, PRINTED, other, STORY) == [Stored.NEW, Stored.NEW, Stored.SAME_TEXT]
    assert urls(store) == [other.url, PRINTED.url]


def test_the_same_text_on_two_sites_and_no_text_at_all_are_articles(store: ArticleStore) -> None:
    elsewhere = replace(STORY, url="https://other.example/a")
    videos = [Article(url=f"https://example.com/video/{n}", headline="A film") for n in range(2)]
    assert set(put(store, STORY, elsewhere, *videos)) == {Stored.NEW}


def test_a_text_that_an_article_no_longer_has_is_free(store: ArticleStore) -> None:
    today = replace(STORY, url="https://example.com/today")
    put(store, today)
    assert put(store, replace(today, articleBody="The news of the next day."), STORY) == [Stored.CHANGED, Stored.NEW]


def test_of_two_crawlers_at_once_one_stores_it(store: ArticleStore) -> None:
    addresses = [replace(STORY, url=f"https://example.com/{n}") for n in range(12)]
    with ThreadPoolExecutor(2) as pool:
        found = [result for results in pool.map(lambda one: put(store, one), addresses) for result in results]
    assert sorted(result.name for result in found) == ["NEW", *["SAME_TEXT"] * 11]
    assert store.count() == 1


def test_what_a_visit_stored_that_broke_off_is_not_stored_in_another_version(store: ArticleStore) -> None:
    finding = Finding(STORY.url or "", "example.com", Role.ARTICLE)
    ended = VisitRecord(
        id=finding.id, url=finding.url, site=finding.site, role=finding.role, state=PageState.ARTICLE, at=NOW
    )
    with writing(store.engine) as connection:
        admit(connection, [Admission((finding,), NOW)])
    assert put(store, STORY) == [Stored.NEW]
    read_otherwise = replace(STORY, headline="The bridge opens - The Plain")
    assert put(store, read_otherwise) == [Stored.UNFINISHED]
    assert [row["headline"] for row in store.rows()] == [STORY.headline]
    with writing(store.engine) as connection:
        record(connection, [ended])
    assert put(store, read_otherwise) == [Stored.CHANGED]


def test_a_text_that_changed_after_a_visit_broke_off_is_stored(store: ArticleStore) -> None:
    with writing(store.engine) as connection:
        admit(connection, [Admission((Finding(STORY.url or "", "example.com", Role.ARTICLE),), NOW)])
    assert put(store, STORY) == [Stored.NEW]
    updated = replace(STORY, articleBody="It opened in June.")
    assert put(store, updated) == [Stored.CHANGED]
    assert put(store, updated) == [Stored.UNFINISHED], "a transaction that is repeated"
    assert [row["article_body"] for row in store.rows()] == [updated.articleBody]
