"""Versions of articles: the same behaviour on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.reading.feed_article import EXTRACTOR, FEED
from newsextract.storage.articles.article_store import put_articles
from newsextract.storage.database.connection import writing
from newsextract.storage.revisions.change import Change, Stored
from newsextract.storage.revisions.revision_store import Revision, note_revisions, revisions_of, text_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.storage.articles.article_store import ArticleStore


def version(body: str, hour: int, headline: str = "Flood") -> Article:
    return Article(
        url="https://a.example/flood",
        headline=headline,
        articleBody=body,
        metadata=ArticleMetadata(f"2026-05-20T{hour:02}:00:00+00:00"),
    )


FIRST = version("At least 12 dead. The river rises.", 8)
SECOND = version("At least 15 dead. The river rises.", 9)
THIRD = version("At least 15 dead. The river falls.", 10, "After the flood")


class Watch:
    """Stores versions, and records which changes would be reported."""

    def __init__(self, store: ArticleStore) -> None:
        self.store = store
        self.told: list[str | None] = []

    def put(self, article: Article) -> Stored:
        with writing(self.store.engine) as connection:
            return put_articles(connection, [article], effects=[self.effect, self.tell])[0]

    def effect(self, connection: Connection, changes: Sequence[Change]) -> None:
        note_revisions(connection, changes)

    def tell(self, _: Connection, changes: Sequence[Change]) -> None:
        self.told += [change.article.articleBody for change in changes if change.is_new or change.differences]

    def revisions(self) -> list[Revision]:
        (row,) = self.store.rows()
        with self.store.engine.connect() as connection:
            return revisions_of(connection, row["id"])

    def at(self, hour: int) -> str | None:
        (row,) = self.store.rows()
        with self.store.engine.connect() as connection:
            found = text_at(connection, row["id"], datetime(2026, 5, 20, hour, 30, tzinfo=UTC))
        return None if found is None else found.article_body


@pytest.fixture
def watch(store: ArticleStore) -> Watch:
    return Watch(store)


def test_every_earlier_text_can_be_shown(watch: Watch) -> None:
    for article in (FIRST, SECOND, THIRD):
        watch.put(article)
    found = watch.revisions()
    assert [(one.number, one.date_seen[11:13], one.article_body) for one in found] == [
        (0, "08", FIRST.articleBody), (1, "09", SECOND.articleBody), (2, "10", THIRD.articleBody),
    ]  # fmt: skip
    assert [watch.at(hour) for hour in (7, 8, 9, 23)] == [
        None,
        FIRST.articleBody,
        SECOND.articleBody,
        THIRD.articleBody,
    ]
    assert watch.told == [FIRST.articleBody, SECOND.articleBody, THIRD.articleBody]


def test_a_revision_has_what_differs(watch: Watch) -> None:
    for article in (FIRST, SECOND, THIRD):
        watch.put(article)
    first, second, third = watch.revisions()
    assert first.changes is None
    assert second.changes is not None
    assert second.changes["numbers"] == [{"before": "12", "after": "15", "context": "At least 15 dead"}]
    assert second.changes["body"][0]["words"][1] == ["-", "12"]
    assert third.changes is not None
    assert third.changes["headline"]["after"] == "After the flood"
    assert (third.changes["added_words"], third.changes["removed_words"]) == (3, 1)


def test_an_article_that_never_changed_has_one_version(watch: Watch) -> None:
    watch.put(FIRST)
    watch.put(FIRST)
    assert [(one.number, one.article_body) for one in watch.revisions()] == [(0, FIRST.articleBody)]
    with watch.store.engine.connect() as connection:
        assert revisions_of(connection, "0" * 32) == []


def test_another_look_is_stored_and_nobody_is_told(watch: Watch) -> None:
    watch.put(FIRST)
    look = version("“At least 12 dead”.\nThe river rises!", 9, "FLOOD")
    assert watch.put(look) is Stored.CHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [look.articleBody]
    assert len(watch.revisions()) == 1
    watch.put(SECOND)
    assert [one.number for one in watch.revisions()] == [0, 1]
    assert watch.told == [FIRST.articleBody, SECOND.articleBody]


def test_a_lead_that_changes_is_a_revision(watch: Watch) -> None:
    watch.put(replace(FIRST, description="One."))
    assert watch.put(replace(SECOND, description=None, articleBody=FIRST.articleBody)) is Stored.UNCHANGED
    assert watch.put(replace(SECOND, description="Two.", articleBody=FIRST.articleBody)) is Stored.CHANGED
    assert [one.description for one in watch.revisions()] == ["One.", "Two."]


def test_a_lead_that_comes_back_with_the_same_text_is_no_revision(watch: Watch) -> None:
    watch.put(replace(FIRST, description="One."))
    assert watch.put(SECOND) is Stored.CHANGED
    assert [row["description"] for row in watch.store.rows()] == ["One."]
    assert watch.put(replace(SECOND, description="One.")) is Stored.UNCHANGED
    assert [one.description for one in watch.revisions()] == ["One.", "One."]


def test_of_two_readings_of_one_text_the_article_told_is_the_one_stored(watch: Watch) -> None:
    told: list[Change] = []
    readings = [replace(FIRST, description="One."), replace(FIRST, section="Town")]
    with writing(watch.store.engine) as connection:
        put_articles(connection, readings, effects=[lambda _, changes: told.extend(changes)])
    (row,) = watch.store.rows()
    (change,) = told
    assert (
        (change.article.description, change.article.section) == (row["description"], row["section"]) == ("One.", None)
    )


def test_two_crawlers_that_find_the_same_change_make_one_revision(watch: Watch) -> None:
    watch.put(FIRST)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(watch.put, [SECOND] * 8))
    assert [one.number for one in watch.revisions()] == [0, 1]


def test_a_long_text_is_kept_whole(watch: Watch) -> None:
    watch.put(version("新聞。" * 20_000, 8))
    watch.put(version("報紙。" * 20_000, 9))
    assert [len(one.article_body or "") for one in watch.revisions()] == [60_000, 60_000]


def from_feed(body: str, hour: int) -> Article:
    return replace(version(body, hour), extraction=ExtractionReport(EXTRACTOR, 0.5, {"articleBody": FEED}))


def test_a_page_that_replaces_its_feeds_text_is_no_revision(watch: Watch) -> None:
    watch.put(from_feed("At least 12 dead.", 7))
    assert watch.put(FIRST) is Stored.CHANGED
    (only,) = watch.revisions()
    assert only.article_body == FIRST.articleBody
    watch.put(SECOND)
    assert [one.article_body for one in watch.revisions()] == [FIRST.articleBody, SECOND.articleBody]


def test_it_corrects_the_last_revision_of_a_feeds_text_that_changed(watch: Watch) -> None:
    first, second = from_feed("At least 10 dead.", 6), from_feed("At least 12 dead.", 7)
    for article in (first, second, SECOND):
        watch.put(article)
    before, last = watch.revisions()
    assert (before.article_body, last.article_body) == (first.articleBody, SECOND.articleBody)
    assert last.date_seen[11:13] == "07"
    assert last.changes is not None
    assert last.changes["numbers"][0]["after"] == "15"


def test_a_feeds_text_replaces_no_page(watch: Watch) -> None:
    watch.put(FIRST)
    assert watch.put(from_feed("At least 99 dead.", 9)) is Stored.UNCHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [FIRST.articleBody]


def test_the_same_words_from_the_page_take_the_mark_away(watch: Watch) -> None:
    watch.put(from_feed(FIRST.articleBody or "", 7))
    assert watch.put(FIRST) is Stored.CHANGED
    assert [row["extractor"] for row in watch.store.rows()] == [None]
    assert watch.put(FIRST) is Stored.UNCHANGED
