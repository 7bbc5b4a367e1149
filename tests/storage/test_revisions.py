"""Versions of articles, and what changed between them."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.page.page import Page
from newsextract.page.page_words import page_words
from newsextract.reading.feed_entry import EXTRACTOR, FEED
from newsextract.reading.notices import HYDRATION
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.differences import Differences, compare
from newsextract.storage.revisions import Change, Stored, note_revisions, revisions_of
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection


# What counts as a change of an article, and what as another layout.

BODY = (
    "The mayor opened the bridge on Monday. 12 people were hurt, he said.\n"
    "“It’s a good day”, said Ms Ellison – 1,234 guests came.\n"
    "Work began in 2019 and cost 3.5 million euros."
)


def row(
    body: str | None = BODY, headline: str = "Bridge open", lead: str | None = "A lead."
) -> Mapping[str, str | None]:
    return {"headline": headline, "description": lead, "article_body": body}


def found(before: str, after: str) -> Differences:
    differences = compare(row(before), row(after))
    assert differences is not None
    return differences


@pytest.mark.parametrize("after", [
    BODY, BODY.replace("\n", "\n\n  "), BODY.replace("\n", " "), BODY.replace(". 12", ".\n12"),
    BODY.replace("“", '"').replace("”", '"').replace("’", "'"), BODY.replace("“", "« ").replace("”", " »"),
    BODY.replace("–", "—").replace("1,234", "1 234"), BODY.replace("1,234", "1234"),
    BODY.replace("Monday. 12", "Monday; 12"), BODY.replace("bridge", "bri\u00addge"),
    BODY + "\nRead more: the mayor's plans for the harbour", BODY + "\nLire aussi : le pont, un an après",
    "15 comments\nUpdated 5 minutes ago\n" + BODY, "Mis à jour il y a 3 heures\n" + BODY,
    "\n".join(reversed(BODY.split("\n"))),
])  # fmt: skip
def test_another_look_is_no_difference(after: str) -> None:
    assert compare(row(), row(after)) is None
    assert compare(row(after), row()) is None


@pytest.mark.parametrize(("before", "after"), [
    ("12 people", "15 people"), ("Ellison", "Forsythe"), ("hurt", "killed"),
    ("Work began in 2019 and cost 3.5 million euros.", ""), ("euros.", "euros. Nobody has paid yet."),
    ("3.5 million", "3.6 million"), ("12 people", "−12 people"), ("million euros", "million $"),
])  # fmt: skip
def test_a_word_a_number_a_name_or_a_sentence_is_a_difference(before: str, after: str) -> None:
    assert compare(row(), row(BODY.replace(before, after))) is not None


@pytest.mark.parametrize(("before", "after"), [
    ("मौसम की जानकारी", "मौसम का जानकारी"), ("قتل ١٢ شخصا", "قتل ١٥ شخصا"), ("大橋通車", "大橋封閉"),
    ("สะพานเปิด", "สะพานปิด"),
])  # fmt: skip
def test_every_script_has_its_words(before: str, after: str) -> None:
    assert compare(row(before), row(after)) is not None


def test_says_what_changed_word_by_word() -> None:
    differences = found(BODY, BODY.replace("12 people were hurt", "15 people were hurt").replace("a good day", "a day"))
    assert [change.op for change in differences.body] == ["replace"]
    (change,) = differences.body
    assert change.before.startswith("12 people were hurt, he said.")
    assert change.words[:3] == [("-", "12"), ("+", "15"), ("=", "people were hurt, he said. “It’s a")]
    assert (differences.added_words, differences.removed_words) == (1, 2)
    assert [(number.before, number.after) for number in differences.numbers] == [("12", "15")]
    assert differences.numbers[0].context.startswith("15 people were hurt")
    assert differences.headline is None
    json.dumps(differences.as_json())


def test_added_and_removed_sentences_are_told_apart_from_moved_ones() -> None:
    first, second, third = BODY.split("\n")
    differences = found(BODY, f"{third}\nA new sentence.\n{first}")
    assert {(change.op, change.before or change.after) for change in differences.body} == {
        ("insert", "A new sentence."),
        ("delete", second),
    }


@pytest.mark.parametrize(
    ("before", "after"), [("12", "15"), ("1,234", "1,250"), ("1 234", "1 250"), ("1.234,5", "1.250"), ("١٢", "١٥")]
)
def test_numbers_are_told_in_any_spelling(before: str, after: str) -> None:
    differences = found(f"At least {before} dead after the flood.", f"At least {after} dead after the flood.")
    assert [(number.before, number.after) for number in differences.numbers] == [(before, after)]
    assert differences.numbers[0].context == f"At least {after} dead after the flood"


def test_headline_and_lead_have_changes_of_their_own() -> None:
    differences = compare(row(headline="12 hurt", lead="One. Two."), row(headline="15 hurt", lead="One. Three."))
    assert differences is not None
    assert differences.headline is not None
    assert differences.lead is not None
    assert (differences.headline.before, differences.headline.after) == ("12 hurt", "15 hurt")
    assert (differences.lead.before, differences.lead.after) == ("Two.", "Three.")
    assert differences.body == []


def test_a_lead_that_goes_away_is_no_difference_and_one_that_comes_is() -> None:
    assert compare(row(lead="A lead."), row(lead=None)) is None
    differences = compare(row(lead=None), row(lead="A lead."))
    assert differences is not None
    assert differences.lead is not None
    assert differences.lead.op == "insert"


def sentences(seed: int, number: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - the same text each time
    words = "the a of to bridge mayor town river said new old year city plan 12 15 green house water".split()
    return [" ".join(rng.choices(words, k=20)).capitalize() + "." for _ in range(number)]


@pytest.mark.timeout(100)
def test_a_live_blog_of_20_000_words_is_compared_at_once() -> None:
    old, new = sentences(1, 1000), sentences(2, 1000)
    rewritten = found("\n".join(old), "\n".join(new))
    assert rewritten.added_words > 100
    assert rewritten.body[0].words == []
    edited = [line.replace("mayor", "major") for line in old]
    assert len(found("\n".join(old), "\n".join(edited)).body) > 1
    assert len(found("\n".join(old), "\n".join(["One more.", *old])).body) == 1


# Versions of articles: the same behaviour on each database.


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

    def revisions(self) -> list[Mapping[str, Any]]:
        (row,) = self.store.rows()
        with self.store.engine.connect() as connection:
            return revisions_of(connection, row["id"])


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    yield Watch(store)
    store.close()


def test_every_earlier_text_can_be_shown(store: ArticleStore) -> None:
    watch = Watch(store)
    for article in (FIRST, SECOND, THIRD):
        watch.put(article)
    found = watch.revisions()
    assert [(one["number"], one["date_seen"][11:13], one["article_body"]) for one in found] == [
        (0, "08", FIRST.articleBody), (1, "09", SECOND.articleBody), (2, "10", THIRD.articleBody),
    ]  # fmt: skip
    assert watch.told == [FIRST.articleBody, SECOND.articleBody, THIRD.articleBody]


def test_a_revision_has_what_differs(watch: Watch) -> None:
    for article in (FIRST, SECOND, THIRD):
        watch.put(article)
    first, second, third = watch.revisions()
    assert first["changes"] is None
    assert second["changes"] is not None
    assert second["changes"]["numbers"] == [{"before": "12", "after": "15", "context": "At least 15 dead"}]
    assert second["changes"]["body"][0]["words"][1] == ["-", "12"]
    assert third["changes"] is not None
    assert third["changes"]["headline"]["after"] == "After the flood"
    assert (third["changes"]["added_words"], third["changes"]["removed_words"]) == (3, 1)


def test_another_look_is_stored_and_nobody_is_told(watch: Watch) -> None:
    watch.put(FIRST)
    look = version("“At least 12 dead”.\nThe river rises!", 9, "FLOOD")
    assert watch.put(look) is Stored.UNCHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [look.articleBody]
    assert len(watch.revisions()) == 1
    watch.put(SECOND)
    assert [one["number"] for one in watch.revisions()] == [0, 1]
    assert watch.told == [FIRST.articleBody, SECOND.articleBody]


def _of_page(html: str, body: str, hour: int, headline: str = "Flood") -> Article:
    article = version(body, hour, headline)
    article.page_words = page_words(Page(html))
    return article


HTML = "<h1>Flood</h1><p>At least 12 dead, they say.</p><h2>What is next now</h2><p>The river rises.</p><p>{}</p>"


def test_what_was_only_read_differently_is_stored_and_no_revision(watch: Watch) -> None:
    watch.put(_of_page(HTML.format("3 shares"), "At least 12 dead, they say.\nWhat is next now\nThe river rises.", 8))
    less = "At least 12 dead, they say.\nThe river rises."
    assert watch.put(_of_page(HTML.format("4 shares"), less, 9)) is Stored.UNCHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [less]
    assert watch.put(_of_page(HTML.format("4 shares"), "The river rises.", 10)) is Stored.UNCHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [less], "the same page is the same article"
    assert len(watch.revisions()) == len(watch.told) == 1


def test_a_body_from_the_data_for_scripts_in_place_of_a_shown_one_is_no_revision(watch: Watch) -> None:
    shown, data = "At least 12 dead, they say.", "At least 12 dead, they say.\nThe river rises again."
    hydrated = ExtractionReport("auto", 0.5, {"articleBody": HYDRATION})
    page = "<h1>Flood</h1><p>At least 12 dead, they say.</p><p>{} shares</p>"
    watch.put(_of_page(page.format(3), shown, 8))
    for hour, body, report in ((9, data, hydrated), (10, shown, None)):
        read = replace(_of_page(page.format(hour), body, hour), extraction=report)
        assert watch.put(read) is Stored.UNCHANGED
        assert [row["article_body"] for row in watch.store.rows()] == [body]
    assert len(watch.revisions()) == 1


def test_a_row_of_which_a_cell_was_read_differently_is_no_revision(watch: Watch) -> None:
    html = "<p>It rains.</p><table><tr><td><h5>Power bar</h5><p>How fast it fills up.</p><td>1-{}</table><p>{}</p>"
    watch.put(_of_page(html.format(9, "3 shares"), "It rains.\nPower bar How fast it fills up.\t1-9", 8))
    watch.put(_of_page(html.format(9, "4 shares"), "It rains.\nPower bar\t1-9", 9))
    assert len(watch.revisions()) == 1
    watch.put(_of_page(html.format(8, "5 shares"), "It rains.\nPower bar\t1-8", 10))
    assert len(watch.revisions()) == 2


def test_what_the_page_itself_changed_is_a_revision_without_the_rest(watch: Watch) -> None:
    watch.put(_of_page(HTML.format("3 shares"), "At least 12 dead, they say.\nWhat is next now\nThe river rises.", 8))
    more = HTML.replace("12", "15").format("4 shares")
    assert watch.put(_of_page(more, "At least 15 dead, they say.\nThe river rises.", 9)) is Stored.CHANGED
    _, changed = watch.revisions()
    (change,) = changed["changes"]["body"]
    assert (change["before"], change["after"]) == ("At least 12 dead, they say.", "At least 15 dead, they say.")


def test_a_lead_that_changes_is_a_revision(watch: Watch) -> None:
    watch.put(replace(FIRST, description="One."))
    assert watch.put(replace(SECOND, description=None, articleBody=FIRST.articleBody)) is Stored.UNCHANGED
    assert watch.put(replace(SECOND, description="Two.", articleBody=FIRST.articleBody)) is Stored.CHANGED
    assert [one["description"] for one in watch.revisions()] == ["One.", "Two."]


def test_two_crawlers_that_find_the_same_change_make_one_revision(store: ArticleStore) -> None:
    watch = Watch(store)
    watch.put(FIRST)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(watch.put, [SECOND] * 8))
    assert [one["number"] for one in watch.revisions()] == [0, 1]


def from_feed(body: str, hour: int) -> Article:
    return replace(version(body, hour), extraction=ExtractionReport(EXTRACTOR, 0.5, {"articleBody": FEED}))


def test_a_page_that_replaces_its_feeds_text_is_no_revision(watch: Watch) -> None:
    watch.put(from_feed("At least 12 dead.", 7))
    assert watch.put(FIRST) is Stored.CHANGED
    (only,) = watch.revisions()
    assert only["article_body"] == FIRST.articleBody
    watch.put(SECOND)
    assert [one["article_body"] for one in watch.revisions()] == [FIRST.articleBody, SECOND.articleBody]


def test_a_feeds_text_replaces_no_page(watch: Watch) -> None:
    watch.put(FIRST)
    assert watch.put(from_feed("At least 99 dead.", 9)) is Stored.UNCHANGED
    assert [row["article_body"] for row in watch.store.rows()] == [FIRST.articleBody]
