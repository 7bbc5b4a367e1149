"""Rows that had the id of another site's page, as a database is opened."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select, text

from newsextract.article import Article
from newsextract.reading.notices import PageState
from newsextract.storage.articles.article_store import ArticleStore, put_articles
from newsextract.storage.database.connection import open_engine, writing
from newsextract.storage.ledger.ledger import Role, VisitRecord, address_id, record
from newsextract.storage.revisions.revision_store import note_revisions, revisions_of
from newsextract.storage.schema.crawl_tables import ledger
from newsextract.storage.schema.row_moves import move_article
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.storage.revisions.change import Change

TRUE, COPY, OLD_COPY = "https://a.example/story", "https://copies.example/1", "https://copies.example/2"
MOBILE = "https://m.a.example/other"
LONG_AGO = datetime(2026, 5, 1, tzinfo=UTC)


def visited(url: str, state: str, article: str | None) -> VisitRecord:
    return VisitRecord(
        id=address_id(url),
        url=url,
        site="a.example",
        role=Role.ARTICLE,
        state=state,
        at=LONG_AGO,
        etag="tag",
        content_hash="0" * 32,
        article_id=article and address_id(article),
    )


def as_before(connection: Connection) -> None:
    """Write what earlier versions wrote: the id of a row is that of any canonical URL."""

    def effect(connection: Connection, changes: Sequence[Change]) -> None:
        note_revisions(connection, changes)

    for url, canonical in ((COPY, TRUE), (MOBILE, "https://a.example/other")):
        for headline in ("First", "Second"):
            article = Article(url, canonical, f"{headline} of {url}", articleBody=f"{headline} text")
            put_articles(connection, [article], effects=[effect])
    move_article(connection, address_id(COPY), address_id(TRUE))
    put_articles(connection, [Article(OLD_COPY, None, "Without a canonical URL", articleBody="Old text")])
    put_articles(connection, [Article("https://x.example/2", None, "With one", articleBody="New text")])
    connection.execute(
        text("update articles set url = :url, canonical_url = :stated where headline = 'With one'"),
        {"url": OLD_COPY, "stated": "https://x.example/2"},
    )
    ends = [(TRUE, PageState.DUPLICATE, None), (COPY, PageState.ARTICLE, TRUE), (MOBILE, PageState.ARTICLE, MOBILE)]
    record(connection, [visited(*end) for end in ends])
    connection.execute(text("update alembic_version set version_num = '0008'"))


def test_a_row_gets_the_id_of_its_own_url_and_the_page_it_stood_for_is_due(database_url: str) -> None:
    before = ArticleStore.open(database_url)
    with writing(before.engine) as connection:
        as_before(connection)
    rows = {row["headline"]: row["id"] for row in before.rows()}
    before.close()
    engine = open_engine(database_url)
    after = {row["headline"]: row["id"] for row in ArticleStore(engine).rows()}
    assert rows.keys() == after.keys()
    assert after[f"Second of {COPY}"] == address_id(COPY)
    assert after[f"Second of {MOBILE}"] == address_id("https://a.example/other")
    assert after["Without a canonical URL"] == address_id(OLD_COPY)
    assert len(set(after.values())) == 4
    assert address_id(TRUE) not in after.values()
    with engine.connect() as connection:
        assert len(revisions_of(connection, address_id(COPY))) == 2
        known = {row["url"]: row for row in connection.execute(select(ledger)).mappings()}
    assert (known[TRUE]["etag"], known[TRUE]["content_hash"], known[TRUE]["article_id"]) == (None, None, None)
    assert known[TRUE]["next_visit"] > "2026-05-02"
    assert (known[COPY]["etag"], known[COPY]["article_id"]) == ("tag", address_id(COPY))
    assert (known[MOBILE]["etag"], known[MOBILE]["article_id"]) == ("tag", address_id(MOBILE))
    assert [hit.url for hit in search(engine, "second copies")] == [COPY]
    engine.dispose()


def test_a_page_whose_row_its_owner_has_taken_back_is_due(database_url: str) -> None:
    before = open_engine(database_url)
    with writing(before) as connection:
        put_articles(connection, [Article(TRUE, None, "The true story", articleBody="True text")])
        record(connection, [visited(COPY, PageState.ARTICLE, TRUE), visited(MOBILE, PageState.ARTICLE, TRUE)])
        connection.execute(text("update ledger set next_visit = null"))
        connection.execute(text("update alembic_version set version_num = '0008'"))
    before.dispose()
    engine = open_engine(database_url)
    with engine.connect() as connection:
        known = {row["url"]: row for row in connection.execute(select(ledger)).mappings()}
    assert known[COPY]["next_visit"] is not None
    assert (known[COPY]["article_id"], known[COPY]["etag"]) == (None, None)
    assert (known[MOBILE]["next_visit"], known[MOBILE]["etag"]) == (None, "tag")
    engine.dispose()
