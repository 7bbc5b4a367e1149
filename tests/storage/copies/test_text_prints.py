"""The prints of texts: kept for recent texts, and copies are the same whoever has made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from newsextract.article import Article, ArticleMetadata
from newsextract.storage.articles.article_store import ArticleStore, put_articles, text_key
from newsextract.storage.copies.copy_linking import link_stories
from newsextract.storage.copies.likeness import text_shingles
from newsextract.storage.copies.minhash import fingerprint
from newsextract.storage.copies.text_prints import TextPrint, TextPrints
from newsextract.storage.database.connection import writing
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import story_articles

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.storage.revisions.change import Change

TEXT = " ".join(f"Sentence number {n} of a text says what no other sentence of it has said so far." for n in range(20))


def article(site: str, body: str = TEXT) -> Article:
    seen = ArticleMetadata("2026-05-20T09:00:00+00:00")
    return Article(url=f"https://{site}.example/1", headline=site, articleBody=body, metadata=seen)


def put(store: ArticleStore, batch: Sequence[Article], prints: TextPrints | None = None) -> None:
    def effect(connection: Connection, changes: Sequence[Change]) -> None:
        link_stories(connection, changes, prints=prints)

    with writing(store.engine) as connection:
        put_articles(connection, batch, effects=[effect])


def linked(store: ArticleStore) -> int:
    with store.engine.connect() as connection:
        return len(connection.execute(select(story_articles)).all())


def test_a_print_has_the_keys_and_the_shingles_of_its_text() -> None:
    made = TextPrint.of(TEXT)
    assert made.keys == fingerprint(TEXT)
    assert made.shingles == text_shingles(TEXT)
    assert TextPrint.of(None) == TextPrint((), b"")


def test_what_was_not_used_for_longest_goes_first() -> None:
    prints = TextPrints(most_bytes=24)
    for name in ("a", "b", "c"):
        prints.put(name, TextPrint((), bytes(8)))
    assert prints.get("a") is not None
    prints.put("d", TextPrint((), bytes(8)))
    assert prints.get("b") is None
    assert all(prints.get(name) is not None for name in ("a", "c", "d"))
    prints.put("d", TextPrint((), bytes(4)))
    prints.put("e", TextPrint((), bytes(4)))
    assert prints.get("a") is not None


def test_a_print_that_is_known_is_not_made_again(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    one, prints = article("one"), TextPrints()
    prints.put(text_key(one) or "", TextPrint.of("Another text altogether. " * 50))
    put(store, [one], prints)
    put(store, [article("two")], prints)
    assert linked(store) == 0


def test_copies_are_found_when_no_print_is_kept(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    nothing = TextPrints(most_bytes=0)
    put(store, [article("one"), article("two", TEXT + " And one sentence more.")], nothing)
    put(store, [article("three", "Before it a sentence. " + TEXT)], nothing)
    assert linked(store) == 3


def test_rows_without_a_hash_of_their_text_are_copies_too(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    put(store, [article("one")])
    with writing(store.engine) as connection:
        connection.execute(update(articles).values(text_hash=None))
    put(store, [article("two")])
    assert linked(store) == 2
