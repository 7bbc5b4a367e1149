from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.word_folding import fold, spans, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Élysée", "elysee"), ("STRASSE", "straße"), ("cœur", "COEUR"), ("İstanbul", "istanbul"),
        ("ISPARTA", "ısparta"),
        ("Łódź", "lodz"), ("Ørsted", "orsted"), ("Ærø", "aero"), ("Đà", "da"), ("ΟΔΌΣ", "οδός"), ("Πέτρος", "ΠΕΤΡΟΣ"),
        ("Ёлка", "елка"),
        ("за́мок", "замок"), ("Ｔｏｋｙｏ", "tokyo"), ("ｶﾞ", "ガ"), ("أحمد", "احمد"), ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"), ("ﬁnance", "finance"), ("Zu\u00adsammen", "zusammen"), ("हिन्दी", "हिन्दी"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_are_one(one: str, other: str) -> None:
    assert words(one) == words(other)
    assert words(unicodedata.normalize("NFD", one)) == words(other)


@pytest.mark.parametrize(("one", "other"), [("мой", "мои"), ("в", "ガ"), ("か", "が"), ("हिन्दी", "हनद"), ("ё", "о")])
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert words(one) != words(other)


def test_apostrophes_and_hyphens_end_words_and_some_scripts_have_a_word_a_character() -> None:
    assert words("L’Élysée, porte-parole 2.0") == ["l", "elysee", "porte", "parole", "2", "0"]
    assert words("東京タワー ไทย हिन्दी नमस्ते।") == [*"東京タワー", *"ไทย", "हिन्दी", "नमस्ते"]


@given(st.text())
def test_every_word_has_its_place_and_folding_again_changes_nothing(text: str) -> None:
    places = list(spans(text))
    assert [fold(text[start:end]) for start, end in places] == words(text)
    assert all(fold(fold(word)) == fold(word) for word in words(text))
