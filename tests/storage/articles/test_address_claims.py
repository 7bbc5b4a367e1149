"""Rows of pages that state the canonical URL of another: the same behaviour on each database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Article, ExtractionReport
from newsextract.storage.articles.article_store import ArticleStore, put_articles, row_of
from newsextract.storage.copies.copy_linking import link_stories
from newsextract.storage.copies.story_view import story_of
from newsextract.storage.database.connection import writing
from newsextract.storage.revisions.change import Change, Stored
from newsextract.storage.revisions.revision_store import note_revisions, revisions_of
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

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


def test_what_belongs_to_a_row_moves_with_it(store: ArticleStore) -> None:
    def effect(connection: Connection, changes: Sequence[Change]) -> None:
        note_revisions(connection, changes)
        link_stories(connection, changes)

    wrong = page("wrong", "right", "Wrong")
    for version in (wrong, replace(wrong, headline="Wronger", articleBody=f"{BODY} And more.")):
        with writing(store.engine) as connection:
            put_articles(connection, [version], effects=[effect])
    copy = replace(wrong, url="https://copies.example/1", canonicalUrl=None)
    with writing(store.engine) as connection:
        put_articles(connection, [copy], effects=[effect])
        put_articles(connection, [page("right", "right", "Right", OTHER_BODY)], effects=[effect])
    moved = row_of(page("wrong", None, "Wronger"))
    with store.engine.connect() as connection:
        assert [one.headline for one in revisions_of(connection, moved["id"])] == ["Wrong", "Wronger"]
        found = story_of(connection, moved["id"])
        assert found is not None
        assert {one.url for one in found.articles} == {wrong.url, copy.url}
    assert [(hit.url, hit.headline) for hit in search(store.engine, "wronger")] == [(wrong.url, "Wronger")]
    assert {row["number"] for row in store.rows() if row["id"] == moved["id"]} == {moved["number"]}
