"""Words that were made where a page is read: the index gets the same as without them."""

from __future__ import annotations

from newsextract.page.word_folding import words
from newsextract.storage.word_index import WORD_TABLES, KnownWords, join_words

BODY = "L'Élysée annonce: 新聞 2.0\n\ufdfa et la suite."
ROW = {"id": "a", "number": 1, "headline": "Été", "article_body": BODY, "site": "a.example", "in_language": "fr"}


def known(text: str) -> KnownWords:
    found = KnownWords()
    found.put(text, join_words(text))
    return found


def test_every_index_gets_the_same_row_with_known_words() -> None:
    for table in WORD_TABLES.values():
        assert table.row_of(ROW, known(BODY).of) == table.row_of(ROW, words)


def test_known_words_are_used_once() -> None:
    found = KnownWords()
    found.put(BODY, "made\nelsewhere")
    assert found.of(BODY) == ["made", "elsewhere"]
    assert found.of(BODY) == words(BODY)


