"""What the guide says of a database that holds other things, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from newsextract.article import Article
from newsextract.storage.articles.article_store import ArticleStore, row_of
from newsextract.storage.database.connection import make_engine, writing
from newsextract.storage.schema.crawl_tables import ledger
from newsextract.tools.demo_days.guide import sights

if TYPE_CHECKING:
    from pathlib import Path

SEEN = "2026-03-02T10:00:00+00:00"


def told(path: Path, *pages: tuple[Article, str, str]) -> list[str]:
    """Return the guide's sentences on articles with these pages, each with its URL and how its last visit ended."""
    url = f"sqlite:///{path}"
    store = ArticleStore.open(url)
    for article, _, _ in pages:
        store.put(article)
    store.close()
    engine = make_engine(url)
    with writing(engine) as connection:
        for number, (article, page, reason) in enumerate(pages):
            visit = {"id": str(number), "url": page, "site": "a.example", "role": "candidate", "depth": 1, "visits": 2}
            ended = {"state": "error" if reason else "article", "reason": reason or None, "date_visited": SEEN}
            counts = {"unchanged": 0, "failures": 0, "date_first_seen": SEEN, "article_id": row_of(article)["id"]}
            connection.execute(insert(ledger).values(**visit, **ended, **counts))
        sentences = [sentence for _, sentence in sights(connection)]
    engine.dispose()
    return sentences


def article(name: str, **fields: Any) -> Article:
    return Article(url=f"https://a.example/{name}", articleBody="The bridge is closed.", **fields)


def test_an_article_is_removed_once_if_all_its_pages_are(tmp_path: Path) -> None:
    twice, moved = article("twice", headline="Gone", publisher="The Tarn Gazette"), article("moved", headline="Moved")
    pages = (
        (twice, "https://a.example/twice", "http 410"),
        (twice, "https://a.example/twice?page=1", "http 404"),
        (moved, "https://a.example/old", "http 404"),
        (moved, "https://a.example/moved", ""),
    )
    assert [each for each in told(tmp_path / "a.db", *pages) if "removed" in each] == [
        "The Tarn Gazette has removed “Gone”: its text is kept"
    ]


def test_an_article_without_publisher_and_headline_is_named_by_site_and_url(tmp_path: Path) -> None:
    (sentence,) = told(tmp_path / "a.db", (article("bare"), "https://a.example/bare", "http 404"))
    assert sentence == "a.example has removed “https://a.example/bare”: its text is kept"
