"""Articles in the order of their publication, wherever on Earth it was, on each database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article import Article, ArticleMetadata
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from newsextract.storage.articles.article_store import ArticleStore

STATED = {
    "Lima": "2026-05-20T03:00:00-05:00",  # 08:00 in UTC
    "nowhere": "2026-05-20T07:30:00",
    "Paris": "2026-05-20T00:59:00+02:00",  # 22:59 of the day before
    "Shanghai": "2026-05-20T05:09:00+08:00",  # 21:09 of the day before
    "a day": "2026-05-19",
}


def test_local_times_are_sorted_as_the_moments_that_they_are(store: ArticleStore) -> None:
    for name, stated in sorted(STATED.items()):
        store.put(
            Article(f"https://a.example/{name}", headline=f"Rain in {name}", articleBody="x", datePublished=stated)
        )
    assert [hit.headline for hit in search(store.engine, "rain")] == [f"Rain in {name}" for name in STATED]
    assert {row["date_published"]: row["date_published_utc"] for row in store.rows()} == {
        "2026-05-20T03:00:00-05:00": "2026-05-20T08:00:00+00:00",
        "2026-05-20T07:30:00": "2026-05-20T07:30:00+00:00",
        "2026-05-20T00:59:00+02:00": "2026-05-19T22:59:00+00:00",
        "2026-05-20T05:09:00+08:00": "2026-05-19T21:09:00+00:00",
        "2026-05-19": "2026-05-19T00:00:00+00:00",
    }


def test_what_is_no_date_sorts_as_none(store: ArticleStore) -> None:
    store.put(Article("https://a.example/1", headline="Rain", datePublished="soon"))
    (row,) = store.rows()
    assert (row["date_published"], row["date_published_utc"]) == ("soon", None)


def test_what_kind_of_page_it_is_and_why_is_stored(store: ArticleStore) -> None:
    found = ArticleMetadata("2026-05-20T09:00:00+00:00", 0.9, "live", ["live blog", "running text"])
    store.put(Article("https://a.example/1", headline="Rain", metadata=found))
    (row,) = store.rows()
    assert (row["probability"], row["page_kind"], row["reasons"]) == (0.9, "live", ["live blog", "running text"])
