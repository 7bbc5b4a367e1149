"""Articles found by their words: the same ones in every database."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from newsextract.article import Article
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.database.connection import StorageError
from newsextract.storage.search.article_search import search
from tests.conftest import DATABASES, own_database

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = {
    "fr": ("L'Élysée annonce", "Le Premier ministre a parlé d’un pont à Besançon. Il est content."),
    "en": ("The new bridge", "The prime minister opened it. I am 42, he said: e=mc2 & co."),
    "zh": ("桥梁开放", "市长今天开放了桥梁，人们等待了很多年。iPhone发布会也在那里。"),
    "ja": ("新しい橋が開通", "東京都の新聞によると、橋は来年までに完成する。"),
    "th": ("เปิดสะพานใหม่", "นายกเทศมนตรีเปิดสะพานใหม่ในวันนี้"),
    "de": ("Straße gesperrt", "Die Brücke ist zu, der Bürgermeister schweigt."),
    "el": ("Νέα γέφυρα", "Ο ΔΗΜΑΡΧΟΣ άνοιξε τη γέφυρα."),
    "hi": ("नया पुल", "महापौर ने पुल खोला।"),
    "rare": ("Ménage-à-trois", "foo.bar@example.com http://example.com/path don't 𠀀𠀁 字"),
}


@pytest.fixture(scope="module", params=DATABASES)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArticleStore]:
    """A filled database that tests only read."""
    with own_database(request.param, tmp_path_factory.mktemp("library")) as url:
        store = ArticleStore.open(url)
        yield fill(store)
        store.close()


@pytest.fixture
def filled(store: ArticleStore) -> ArticleStore:
    return fill(store)


def fill(store: ArticleStore) -> ArticleStore:
    for number, (name, (headline, body)) in enumerate(TEXTS.items()):
        url = f"https://{name}.example/{number}"
        store.put(Article(url=url, headline=headline, articleBody=body, datePublished=f"2026-05-{number + 10}"))
    return store


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("elysee", "fr"),
        ("ÉLYSÉE Annonce", "fr"),
        ("l'elysee", "fr"),
        ("Besancon", "fr"),
        ("prime", "en"),
        ("prime minister", "en"),
        ('"prime minister"', "en"),
        ('"minister prime"', ""),
        ('"bridge the"', ""),
        ("a", "rare fr"),
        ("am 42", "en"),
        ("min*", "en fr"),
        ("MINIST* b*", "en fr"),
        ('"prime min"*', "en"),
        ("mc2", "en"),
        ("the of", ""),
        ("the", "en"),
        ("桥梁", "zh"),
        ("开放了桥梁", "zh"),
        ("梁桥", ""),
        ("桥", "zh"),
        ("iphone", "zh"),
        ("发布", "zh"),
        ("新聞", "ja"),
        ("東京* 橋", "ja"),
        ("สะพาน", "th"),
        ("straße", "de"),
        ("brucke", "de"),
        ("δημαρχος", "el"),
        ("γέφυρα", "el"),
        ("पुल", "hi"),
        ("महापौर", "hi"),
        ("menage trois", "rare"),
        ("foo.bar@example.com", "rare"),
        ("don't", "rare"),
        ("𠀀𠀁", "rare"),
        ("nothing", ""),
        ("", ""),
        ("* \" ' - :", ""),
        ("-prime", "en"),
        ("prime)", "en"),
        ("NOT prime", ""),
        ("headline:prime", ""),
        ('"prime', "en"),
        ("prime\x00", "en"),
        ("(prime & ~minister) <-> | ! @ > < + \\ '", "en"),
        ("\ud800 prime", "en"),
    ],
)
def test_finds(query: str, found: str, library: ArticleStore) -> None:
    assert [hit.site.removesuffix(".example") for hit in search(library.engine, query)] == found.split()


def test_tells_what_it_found_the_newest_first(library: ArticleStore) -> None:
    first, second = search(library.engine, "minist*")
    assert (first.date_published, second.date_published) == ("2026-05-11", "2026-05-10")
    assert first.headline == "The new bridge"
    assert first.url == "https://en.example/1"
    assert first.snippet == TEXTS["en"][1]
    assert search(library.engine, "minist*", limit=1) == [first]


def test_a_long_text_is_shown_about_the_word(store: ArticleStore) -> None:
    store.put(
        Article(url="https://a.example/", headline="A", articleBody="Word. " * 40_000 + "Bridge. " + "End. " * 99)
    )
    (hit,) = search(store.engine, "bridge")
    assert "Bridge. End." in hit.snippet
    assert hit.snippet.startswith("… Word.")
    assert len(hit.snippet) < 200


def test_an_article_of_very_many_words_is_stored_and_found(store: ArticleStore) -> None:
    body = " ".join(f"word{number}" for number in range(90_000)) + " 新" * 30_000
    store.put(Article(url="https://a.example/", headline="A", articleBody=body))
    end = time.monotonic() + 100  # MariaDB takes up what is too much for its cache in the background
    while not (found := search(store.engine, "word16000 word1*")) and time.monotonic() < end:
        time.sleep(0.1)
    assert len(found) == 1


def test_what_changes_is_found_as_it_is(filled: ArticleStore) -> None:
    article = Article(url="https://en.example/1", headline="Changed", articleBody="Now the mayor has opened it.")
    filled.put(article)
    assert search(filled.engine, "minister") == []
    assert len(search(filled.engine, "mayor")) == 1
    filled.put(replace(article, articleBody="Gone."))
    assert search(filled.engine, "mayor") == []
    with filled.engine.begin() as connection:
        connection.execute(text("delete from articles"))
    assert search(filled.engine, "gone") == []
    assert search(filled.engine, "elysee") == []


def test_a_sqlite_without_full_text_search_stores_all_the_same(store: ArticleStore) -> None:
    if store.engine.dialect.name != "sqlite":
        pytest.skip("only SQLite may be built without it")
    with store.engine.begin() as connection:
        for name in ("insert", "update", "delete"):
            connection.execute(text(f"drop trigger articles_fts_{name}"))
        connection.execute(text("drop table articles_fts"))
    store.put(Article(url="https://a.example/", headline="A"))
    with pytest.raises(StorageError, match="FTS5"):
        search(store.engine, "a")
