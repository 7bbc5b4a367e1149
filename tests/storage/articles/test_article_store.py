"""Articles in a database: the same behaviour on each of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from newsextract.article import Article, ArticleMetadata, Author, Breadcrumb, ExtractionReport, Image
from newsextract.storage.articles.article_store import ArticleStore, put_articles
from newsextract.storage.database.connection import StorageError, writing
from newsextract.storage.revisions.change import Change, Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

ARTICLE = Article(
    url="https://www.example.com/a?id=1",
    canonicalUrl="https://www.example.com/a",
    headline="Brücke geöffnet – 桥梁开放 🎉",
    articleBody="One paragraph.\nAnother.",
    datePublished="2026-05-20T08:00:00+02:00",
    authors=[Author("Jean-Noël Dupont", None, None)],
    keywords=["pont", "l'été"],
    breadcrumbs=[Breadcrumb("Ville", "https://www.example.com/ville")],
    mainImage=Image("https://www.example.com/a.jpg"),
    isAccessibleForFree=True,
    wordCount=3,
    metadata=ArticleMetadata("2026-05-20T09:00:00+00:00", 0.9),
    extraction=ExtractionReport("mss", 0.9, {"headline": "json_ld"}, ["one warning"]),
)
LATER = ArticleMetadata("2026-05-21T09:00:00+00:00", 0.9)


def test_storing_twice_is_storing_once(store: ArticleStore) -> None:
    assert store.put(ARTICLE) is Stored.NEW
    before = list(store.rows())
    assert store.put(replace(ARTICLE, metadata=LATER)) is Stored.UNCHANGED
    assert list(store.rows()) == before
    assert store.count() == 1


def test_a_changed_article_keeps_when_it_was_first_seen(store: ArticleStore) -> None:
    store.put(ARTICLE)
    changed = replace(ARTICLE, articleBody="Another text.", metadata=LATER, authors=None)
    assert store.put(changed) is Stored.CHANGED
    (row,) = store.rows()
    assert row["article_body"] == "Another text."
    assert row["authors"] is None
    assert row["date_downloaded"] == "2026-05-21T09:00:00+00:00"
    assert row["date_first_seen"] == "2026-05-20T09:00:00+00:00"


@pytest.mark.parametrize(
    "canonical",
    ["http://www.example.com/a", "https://example.com/a", "https://www.example.com/a/?utm_source=rss#top"],
)
def test_spellings_of_one_address_are_one_row(canonical: str, store: ArticleStore) -> None:
    store.put(ARTICLE)
    store.put(replace(ARTICLE, canonicalUrl=canonical, headline="New headline"))
    assert [row["headline"] for row in store.rows()] == ["New headline"]


def test_other_addresses_are_other_rows(store: ArticleStore) -> None:
    for path in ("a", "b", "A", "a?id=2"):
        store.put(replace(ARTICLE, canonicalUrl=f"https://example.com/{path}"))
    assert store.count() == 4


def test_without_a_canonical_address_the_own_one_counts(store: ArticleStore) -> None:
    store.put(replace(ARTICLE, canonicalUrl=None))
    (row,) = store.rows()
    assert row["canonical_url"] == row["url"] == ARTICLE.url


def test_values_come_back_as_they_were(store: ArticleStore) -> None:
    store.put(ARTICLE)
    (row,) = store.rows()
    assert row["headline"] == ARTICLE.headline
    assert row["authors"] == [{"name": "Jean-Noël Dupont", "nameRaw": None, "url": None, "type": "Person"}]
    assert row["keywords"] == ["pont", "l'été"]
    assert row["breadcrumbs"] == [{"name": "Ville", "url": "https://www.example.com/ville"}]
    assert row["main_image"] == "https://www.example.com/a.jpg"
    assert row["images"] is None
    assert row["is_accessible_for_free"] is True
    assert row["sources"] == {"headline": "json_ld"}
    assert row["warnings"] == ["one warning"]
    assert row["site"] == "example.com"


def test_two_may_write_at_once(store: ArticleStore) -> None:
    articles = [replace(ARTICLE, canonicalUrl=f"https://example.com/{number % 20}") for number in range(80)]
    with ThreadPoolExecutor(4) as threads:
        stored = list(threads.map(store.put, articles))
    assert store.count() == 20
    assert Stored.CHANGED not in stored


def test_sqlite_lets_readers_read_meanwhile(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    with store.engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar_one() == "wal"
    store.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "is not a database URL"),
        ("articles.db", "is not a database URL"),
        ("nosql://localhost/a", "is not a database URL"),
        ("nosql://reader:s/e@cret@localhost/a", r"'nosql://reader:\*\*\*@localhost/a' is not a database URL"),
        (
            "postgresql://reader:secret@localhost:54x/a",
            r"reader:\*\*\*@localhost:54x/a' is not a database URL \(its port",
        ),
        ("sqlite:////dev/null/articles.db", "cannot open the database"),
    ],
)
def test_says_why_it_cannot_open(url: str, message: str) -> None:
    with pytest.raises(StorageError, match=message):
        ArticleStore.open(url)


AWKWARD = Article(
    url="https://www.example.com/" + "ö" * 4000,
    headline="A\0B \ud83d C 🎉",
    articleBody="新聞 " * 50_000 + "é" * 200_000,
    articleBodyHtml="<p>" + "ß" * 2_000_000,
    description="d" * 70_000,
    inLanguage="x" * 50,
    datePublished="2026-05-20" * 9,
    keywords=["a\0b", "\udfff"],
    wordCount=1,
    authors=[Author("Jean\0", None, None)],
    metadata=ArticleMetadata("2026-05-20T09:00:00+00:00", float("nan")),
    extraction=ExtractionReport("package." * 20, float("inf"), {"a": "\0"}, ["one"]),
)


def test_holds_whatever_the_web_has(store: ArticleStore) -> None:
    assert store.put(AWKWARD) is Stored.NEW
    assert store.put(AWKWARD) is Stored.UNCHANGED
    (row,) = store.rows()
    assert row["headline"] == "AB \ufffd C 🎉"
    assert row["article_body"] == AWKWARD.articleBody
    assert (row["keywords"], row["authors"][0]["name"]) == (["ab", "\ufffd"], "Jean")
    assert (row["probability"], row["confidence"], row["sources"]) == (None, None, {"a": ""})
    assert row["in_language"] == "x" * 35
    cut = ["description", "article_body_html", "date_published", "in_language", "extractor"]
    assert row["warnings"] == ["one", *(f"{name} was cut for the database" for name in cut)]


def test_a_batch_is_stored_like_its_articles_one_by_one(store: ArticleStore) -> None:
    def of(path: str, body: str) -> Article:
        return replace(ARTICLE, canonicalUrl=f"https://example.com/{path}", articleBody=body)

    store.put(of("known", "Same."))
    store.put(of("other", "Before."))
    batch = [
        of("known", "Same."), of("new", "One."), of("new", "One."), of("other", "After."),
        replace(of("new", "Two."), metadata=LATER), of("known", "Then."), of("known", "Same."),
    ]  # fmt: skip
    with writing(store.engine) as connection:
        stored = [result.name for result in put_articles(connection, batch, run_id="a" * 32)]
    assert stored == ["UNCHANGED", "NEW", "UNCHANGED", "CHANGED", "CHANGED", "CHANGED", "CHANGED"]
    rows = {row["canonical_url"].rpartition("/")[2]: row for row in store.rows()}
    assert {name: row["article_body"] for name, row in rows.items()} == {
        "known": "Same.", "new": "Two.", "other": "After.",
    }  # fmt: skip
    assert rows["new"]["date_first_seen"] == "2026-05-20T09:00:00+00:00"
    assert rows["new"]["date_downloaded"] == "2026-05-21T09:00:00+00:00"
    assert rows["new"]["run_id"] == "a" * 32
    with writing(store.engine) as connection:
        assert put_articles(connection, []) == []


def test_batches_of_several_writers_do_not_wait_for_each_other(store: ArticleStore) -> None:
    batches = [
        [replace(ARTICLE, canonicalUrl=f"https://example.com/{number}", headline=f"{turn}") for number in order]
        for turn in range(8)
        for order in [range(30) if turn % 2 else range(29, -1, -1)]
    ]

    def put(batch: list[Article]) -> None:
        with writing(store.engine) as connection:
            put_articles(connection, batch)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(put, batches))
    assert store.count() == 30


@pytest.mark.parametrize("url", ["mysql://root@127.0.0.1:1/none", "mariadb://root@127.0.0.1:1/none"])
def test_mariadb_needs_no_driver_in_its_url(url: str) -> None:
    with pytest.raises(StorageError, match=r"cannot open the database .*Can't connect to MySQL server"):
        ArticleStore.open(url)


def test_what_a_change_brings_about_is_in_its_transaction(store: ArticleStore) -> None:
    seen: list[tuple[str, str | None]] = []

    def note(_: Connection, changes: Sequence[Change]) -> None:
        versions = ((change.row, change.before or {}) for change in changes)
        seen.extend((row["headline"], before.get("headline")) for row, before in versions)

    def fail(_: Connection, changes: Sequence[Change]) -> None:
        raise ValueError(f"{len(changes)} changes")

    for headline, effect in (("One", note), ("One", note), ("Two", note)):
        with writing(store.engine) as connection:
            put_articles(connection, [replace(ARTICLE, headline=headline)], effects=[effect])
    with pytest.raises(ValueError, match="1 changes"), writing(store.engine) as connection:
        put_articles(connection, [replace(ARTICLE, headline="Three")], effects=[fail])
    assert seen == [("One", None), ("Two", "One")]
    assert [row["headline"] for row in store.rows()] == ["Two"]
