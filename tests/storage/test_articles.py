"""Articles as rows, whose they are, what is stored with them, and where they stood on front pages."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from itemadapter import ItemAdapter
from sqlalchemy import JSON, Float, MetaData, String, Table, Text, text

from docs.generators.field_reference import article_schema, fields_page
from newsextract.article import Article, ArticleMetadata, Author, Breadcrumb, ExtractionReport, Image, Kept, UsageRights
from newsextract.newsroom.delivery.messages import article_message
from newsextract.reading.notices import PageState
from newsextract.storage.articles import Flag, flag, move_article, put_articles, put_new_texts, row_of
from newsextract.storage.database import StorageError, writing
from newsextract.storage.front_pages import FrontPage, front_places_of, note_front_page
from newsextract.storage.ledger import Admission, Finding, Role, VisitRecord, address_id, admit, record
from newsextract.storage.revisions import Change, Stored
from newsextract.storage.rights import SiteSaid, history, note_site
from newsextract.storage.rows import stamp
from newsextract.storage.schema import columns_of
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from pathlib import Path


# Articles in a database: the same behaviour on each of them.

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


def test_sqlite_lets_readers_read_meanwhile(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    with store.engine.connect() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar_one() == "wal"
    store.close()


@pytest.mark.parametrize(("url", "message"), [
    ("", "is not a database URL"),
    ("nosql://reader:s/e@cret@localhost/a", r"'nosql://reader:\*\*\*@localhost/a' is not a database URL"),
    (
        "postgresql://reader:secret@localhost:54x/a",
        r"reader:\*\*\*@localhost:54x/a' is not a database URL \(its port",
    ),
    ("sqlite:////dev/null/articles.db", "cannot open the database"),
    ("mariadb://root@127.0.0.1:1/none", "cannot open the database .*Can't connect to MySQL server"),
])  # fmt: skip
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


# Rows of pages that state the canonical URL of another: the same behaviour on each database.

BODY = " ".join(f"The mayor opened bridge {number} on a day in May." for number in range(20))
OTHER_BODY = " ".join(f"Nobody in town {number} had heard of rain for years." for number in range(20))


def page(name: str, canonical: str | None, headline: str, body: str = BODY) -> Article:
    """Return an article of one site, whose canonical URL is another page of it."""
    stated = canonical and f"https://www.example.com/{canonical}"
    report = ExtractionReport("mss", 0.9)
    return Article(f"https://www.example.com/{name}", stated, headline, articleBody=body, extraction=report)


def headlines(store: ArticleStore) -> dict[str, str]:
    return {row["url"].rpartition("/")[2]: row["headline"] for row in store.rows()}


def test_a_canonical_url_of_another_site_keys_no_row(store: ArticleStore) -> None:
    true, copy = page("a", "a", "True"), replace(page("b", "a", "Copy", OTHER_BODY), url="https://other.example/b")
    for first, second in ((true, copy), (copy, true)):
        assert [store.put(article) for article in (first, second, first, second)] in (
            [Stored.NEW, Stored.NEW, Stored.UNCHANGED, Stored.UNCHANGED],
            [Stored.UNCHANGED] * 4,
        )
    assert headlines(store) == {"a": "True", "b": "Copy"}
    assert {row["canonical_url"] for row in store.rows()} == {"https://www.example.com/a"}


def test_another_version_of_a_page_is_its_article_whichever_comes_first(store: ArticleStore) -> None:
    main, amp = page("a", "a", "Bridge"), page("a.amp", "a", "The bridge", BODY[: len(BODY) // 2])
    assert [store.put(main), store.put(amp)] == [Stored.NEW, Stored.UNCHANGED]
    main, amp = page("c", "c", "Bridge"), page("c.amp", "c", "The bridge", BODY[: len(BODY) // 2])
    assert [store.put(amp), store.put(main), store.put(amp)] == [Stored.NEW, Stored.CHANGED, Stored.UNCHANGED]
    assert headlines(store) == {"a": "Bridge", "c": "Bridge"}


@pytest.mark.parametrize("together", [True, False])
def test_a_page_that_states_another_s_url_keeps_a_row_of_its_own(store: ArticleStore, together: bool) -> None:
    batch = [page("wrong", "right", "Wrong"), page("right", "right", "Right", OTHER_BODY)]
    for some in [batch] if together else [[article] for article in (*batch, *batch)]:
        with writing(store.engine) as connection:
            put_articles(connection, some)
    assert headlines(store) == {"wrong": "Wrong", "right": "Right"}
    late = page("late", "right", "Late", "Something else altogether stands here, and it is short.")
    assert store.put(late) is Stored.NEW
    assert headlines(store) == {"wrong": "Wrong", "right": "Right", "late": "Late"}
    assert late.extraction is not None
    assert "stored under its own URL" in late.extraction.warnings[0]


# A field's column follows from its declaration, and its value comes back.


@dataclass(frozen=True)
class Place:
    """A made-up part of an article."""

    name: str
    latitude: float | None = None
    """Degrees north."""


@dataclass
class Longer(Article):
    """An article with fields that `Article` does not have."""

    standfirst: str | None = None
    """What stands between the headline and the text."""
    firstEdition: str | None = field(default=None, metadata={"kept": Kept(chars=90, comment="of the paper")})  # noqa: N815
    places: list[Place] | None = None
    """Where it happens."""
    mood: float | None = field(default=None, metadata={"json_schema_extra": {"minimum": -1}})
    scratch: str | None = field(default=None, metadata={"kept": None})


LONGER = Longer("https://a.example/", standfirst="It opens.", places=[Place("Ulm", 48.4)], mood=0.5, scratch="x")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("standfirst", Text), ("first_edition", String), ("places", JSON), ("mood", Float), ("scratch", None)],
)
def test_a_new_field_has_a_column_as_its_declaration_says(name: str, kind: type | None) -> None:
    table = Table("longer", MetaData(), *(column.column() for column in columns_of(Longer)))
    assert (type(table.c[name].type) if name in table.c else None) is kind
    assert table.c.first_edition.comment == "of the paper"


def test_a_new_field_is_in_the_row_the_message_the_schema_and_the_docs() -> None:
    row = {column.name: column.value_of(LONGER) for column in columns_of(Longer)}
    assert (row["standfirst"], row["places"], row["mood"]) == ("It opens.", [{"name": "Ulm", "latitude": 48.4}], 0.5)
    message = json.loads(article_message(Change(LONGER, row_of(LONGER), None)).payload)["article"]
    assert message == json.loads(json.dumps(ItemAdapter(LONGER).asdict()))
    schema = article_schema(Longer)["properties"]
    assert schema["standfirst"] == {
        "type": ["string", "null"],
        "description": "What stands between the headline and the text.",
    }
    assert (schema["places"]["type"], schema["places"]["items"]["required"]) == (["array", "null"], ["name"])
    assert (schema["mood"]["type"], schema["mood"]["minimum"]) == (["number", "null"], -1)
    page = fields_page(Longer)
    assert "| `places` | array of object | Where it happens. | `places` |  |\n" in page
    assert "| `places[].latitude` | number | Degrees north. |  |  |\n" in page


# Warnings for rows that are stored: for the article of a page, whatever its canonical URL says.

TRUE = Article("https://a.example/rain", "https://a.example/rain", headline="Rain", articleBody="It rained.")
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


# One text of a site is one article, whichever run or crawler stores it.

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
    first, later = (replace(STORY, metadata=ArticleMetadata(stamp(NOW + timedelta(hours=hours)))) for hours in (-1, 1))
    with writing(store.engine) as connection:
        admit(connection, [Admission((finding,), NOW)])
    assert put(store, first) == [Stored.NEW]
    assert put(store, replace(first, headline="The bridge opens - The Plain")) == [Stored.UNFINISHED]
    assert [row["headline"] for row in store.rows()] == [STORY.headline]
    with writing(store.engine) as connection:
        record(connection, [ended])
    assert put(store, first) == [Stored.UNCHANGED]
    changed = replace(later, articleBody=f"{STORY.articleBody}\nTen are missing.")
    assert put(store, changed) == [Stored.CHANGED]
    assert put(store, changed) == [Stored.UNFINISHED], "the next visit broke off, too"


START = datetime(2026, 5, 20, 9, tzinfo=UTC)


def test_a_stay_lasts_from_the_first_to_the_last_look_in_a_row(store: ArticleStore) -> None:
    a, b, c = (address_id(f"https://site.example/{name}") for name in "abc")
    looks = [("front", 0, [a, b]), ("front", 1, [b, c, a]), ("sport", 2, [c]), ("front", 3, [c]), ("front", 4, [a, c]),
             ("front", 6, None)]  # fmt: skip
    for _ in range(2):  # the second time changes nothing
        for front, hours, ids in looks:
            with writing(store.engine) as connection:
                note_front_page(
                    connection,
                    [FrontPage(address_id(f"https://site.example/{front}/"), START + timedelta(hours=hours), ids)],
                )
    with store.engine.connect() as connection:
        found = {
            name: [
                (row["date_first"][11:13], row["date_last"][11:13], row["place"], row["best_place"])
                for row in front_places_of(connection, key)
            ]
            for name, key in (("a", a), ("b", b), ("c", c))
        }
    assert found == {
        "a": [("09", "10", 3, 1), ("13", "15", 1, 1)],
        "b": [("09", "10", 1, 1)],
        "c": [("10", "15", 2, 1), ("11", "11", 1, 1)],
    }


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
    for number, stated in enumerate(("a", "a", "b", "", "", "a")):
        with writing(store.engine) as connection:
            note_site(connection, [SiteSaid(SITE, "robots.txt", stated, day(number))])
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
