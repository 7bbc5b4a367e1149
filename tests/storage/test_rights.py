"""The rights ledger: what was said, from when to when, and what articles have of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.article import Article, ArticleMetadata, UsageRights
from newsextract.storage.articles import move_article, row_of
from newsextract.storage.database import writing
from newsextract.storage.revisions import Stored
from newsextract.storage.rights import SiteSaid, history, note_site
from newsextract.storage.rows import stamp

if TYPE_CHECKING:
    from newsextract.storage.articles import ArticleStore

START = datetime(2026, 5, 20, 9, tzinfo=UTC)
SITE = "https://a.example"


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def said(store: ArticleStore, key: str, url: str = "") -> list[tuple[str, str, str, str]]:
    with store.engine.connect() as connection:
        rows = history(connection, key, url)
    return [(row["source"], row["statement"], row["date_first_seen"], row["date_last_seen"]) for row in rows]


def article(number: int, *statements: str) -> Article:
    rights = UsageRights(ai=False, statements=statements) if statements else None
    seen = ArticleMetadata(dateDownloaded=stamp(day(number)))
    return Article(f"{SITE}/1", headline="Rain", articleBody="It rains.", usageRights=rights, metadata=seen)


def test_a_site_may_return_to_what_it_said(store: ArticleStore) -> None:
    for number, text in enumerate(("a", "a", "b", "", "", "a")):
        with writing(store.engine) as connection:
            note_site(connection, [SiteSaid(SITE, "robots.txt", text, day(number))])
            note_site(connection, [SiteSaid(SITE, "tdmrep.json", "", day(number))])
    spans = [("a", 0, 1), ("b", 2, 2), ("", 3, 4), ("a", 5, 5)]
    wanted = [("robots.txt", text, stamp(day(first)), stamp(day(last))) for text, first, last in spans]
    assert said(store, "", f"{SITE}/news/1?page=2") == wanted


def test_an_article_has_the_rights_of_its_last_reading_though_its_text_is_the_same(store: ArticleStore) -> None:
    before = ("header x-robots-tag: noai", "robots.txt disallow: gptbot")
    assert store.put(article(0, *before)) is Stored.NEW
    assert store.put(article(1, "meta robots: noarchive", "link license: https://a.example/terms")) is Stored.UNCHANGED
    (row,) = store.rows()
    assert row["usage_rights"]["statements"] == ["meta robots: noarchive", "link license: https://a.example/terms"]
    assert store.put(article(2)) is Stored.UNCHANGED
    (row,) = store.rows()
    assert row["usage_rights"] is None
    key = row_of(article(0))["id"]
    times = [stamp(day(number)) for number in range(3)]
    wanted = [
        ("header", "x-robots-tag: noai", times[0], times[0]),
        ("header", "", times[1], times[2]),
        ("link", "license: https://a.example/terms", times[1], times[1]),
        ("link", "", times[2], times[2]),
        ("meta", "robots: noarchive", times[1], times[1]),
        ("meta", "", times[2], times[2]),
    ]
    assert said(store, key) == wanted
    with writing(store.engine) as connection:
        assert move_article(connection, key, "f" * 32)
    assert said(store, "f" * 32) == wanted
