"""The normal forms of one text for each use: databases hold these words and fingerprints, so they must not change."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.text import as_read, caseless, split_sentences, unmarked
from newsextract.page.urls import without_accents
from newsextract.page.word_folding import words as searched_words
from newsextract.reading.metadata.comparing import fold
from newsextract.storage.differences import sentences_of, tokens_of, visible
from newsextract.storage.likeness import said_words, shingles

TEXT = " Élysée\u00a0: STRASSE\u00ad, Οδός\u200e ﬁn Ёлка\u200b\n&amp; 東京 1 234,5\u2061 "
DECOMPOSED = unicodedata.normalize("NFD", TEXT)


def test_a_reader_s_text_is_on_one_line_and_has_nothing_invisible() -> None:
    assert as_read(TEXT) == "Élysée : STRASSE, Οδός\u200e ﬁn Ёлка &amp; 東京 1 234,5\u2061"


def test_metadata_have_no_entities_and_no_signs_of_direction_either() -> None:
    assert fold(TEXT) == "Élysée : STRASSE, Οδός ﬁn Ёлка & 東京 1 234,5"


def test_rules_and_searches_find_words_without_accents_and_compatibility_forms() -> None:
    expected = ["elysee", "strasse", "οδοσ", "fin", "елка", "amp", "東", "京", "1", "234", "5"]
    assert searched_words(TEXT) == searched_words(DECOMPOSED) == expected


def test_revisions_keep_accents_and_know_numbers() -> None:
    said = ["élysée", "strasse", "οδόσ", "fin", "ёлка", "amp", "東", "京", "1234.5"]
    assert [token.said for token in tokens_of(visible(TEXT))] == said
    assert [sentence.said for sentence in sentences_of(DECOMPOSED)] == [tuple(said[:5]), tuple(said[5:])]


def test_copies_are_found_by_the_same_shingles_as_ever() -> None:
    said = said_words(caseless(TEXT.replace("\u00ad", "")))
    assert said == ["élysée", "strasse", "οδόσ", "fin", "ёлка", "amp", "東", "京", "1", "234", "5"]
    assert sorted(shingles(said))[:3] == [473378434, 1260945312, 1321980707]


def test_paths_are_compared_without_accents() -> None:
    assert without_accents("Catégorie-ÉTÉ-ﬁn") == "categorie-ete-fin"


@given(st.text())
def test_plain_texts_take_the_same_form_as_when_nothing_is_known_of_them(text: str) -> None:
    assert caseless(text) == unicodedata.normalize("NFKC", text).casefold()
    visible = re.sub("[\u00ad\u200b\u2060\ufeff]", "", text)
    visible = "".join(char for char in visible if char.isspace() or unicodedata.category(char) != "Cc")
    assert as_read(text) == " ".join(visible.split())
    assert not any(unicodedata.combining(char) for char in unmarked(text))


@given(st.text("ab .!?。”\n\u2028"))
def test_sentences_joined_are_their_line(line: str) -> None:
    assert "".join(split_sentences(line)) == line
