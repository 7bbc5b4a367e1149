"""Normal forms, words and languages of texts: databases hold these words and fingerprints, so they must not change."""

from __future__ import annotations

import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.languages import is_code, is_known, is_right_to_left, month_forms, weekday_names
from newsextract.page.page import Page
from newsextract.page.page_words import page_words
from newsextract.page.text import as_read, caseless, split_sentences, unmarked
from newsextract.page.word_folding import fold, spans, words
from newsextract.reading.metadata.comparing import fold as fold_metadata
from newsextract.reading.metadata.written_dates import WIDESPREAD, month_names
from newsextract.storage.differences import sentences_of, tokens_of, visible
from newsextract.storage.likeness import said_words, shingles

TEXT = " Élysée\u00a0: STRASSE\u00ad, Οδός\u200e ﬁn Ёлка\u200b\n&amp; 東京 1 234,5\u2061 "
DECOMPOSED = unicodedata.normalize("NFD", TEXT)


def test_a_reader_s_text_is_on_one_line_and_has_nothing_invisible() -> None:
    assert as_read(TEXT) == "Élysée : STRASSE, Οδός\u200e ﬁn Ёлка &amp; 東京 1 234,5\u2061"


def test_metadata_have_no_entities_and_no_signs_of_direction_either() -> None:
    assert fold_metadata(TEXT) == "Élysée : STRASSE, Οδός ﬁn Ёлка & 東京 1 234,5"


def test_rules_and_searches_find_words_without_accents_and_compatibility_forms() -> None:
    expected = ["elysee", "strasse", "οδοσ", "fin", "елка", "amp", "東", "京", "1", "234", "5"]
    assert words(TEXT) == words(DECOMPOSED) == expected


def test_revisions_keep_accents_and_know_numbers() -> None:
    said = ["élysée", "strasse", "οδόσ", "fin", "ёлка", "amp", "東", "京", "1234.5"]
    assert [token.said for token in tokens_of(visible(TEXT))] == said
    assert [sentence.said for sentence in sentences_of(DECOMPOSED)] == [tuple(said[:5]), tuple(said[5:])]


def test_copies_are_found_by_the_same_shingles_as_ever() -> None:
    said = said_words(caseless(TEXT.replace("\u00ad", "")))
    assert said == ["élysée", "strasse", "οδόσ", "fin", "ёлка", "amp", "東", "京", "1", "234", "5"]
    assert sorted(shingles(said))[:3] == [473378434, 1260945312, 1321980707]


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


@pytest.mark.parametrize(("one", "other"), [
    ("Élysée", "elysee"), ("STRASSE", "straße"), ("cœur", "COEUR"), ("İstanbul", "istanbul"),
    ("ISPARTA", "ısparta"),
    ("Łódź", "lodz"), ("Ørsted", "orsted"), ("Ærø", "aero"), ("Đà", "da"), ("ΟΔΌΣ", "οδός"), ("Πέτρος", "ΠΕΤΡΟΣ"),
    ("Ёлка", "елка"),
    ("за́мок", "замок"), ("Ｔｏｋｙｏ", "tokyo"), ("ｶﾞ", "ガ"), ("أحمد", "احمد"), ("مُحَمَّد", "محمد"),
    ("שָׁלוֹם", "שלום"), ("ﬁnance", "finance"), ("Zu\u00adsammen", "zusammen"), ("हिन्दी", "हिन्दी"),
])  # fmt: skip
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


@pytest.mark.parametrize("language", WIDESPREAD)
def test_the_widespread_languages_have_weekdays(language: str) -> None:
    assert len(weekday_names(language)) >= 7


def test_knows_former_codes_and_regions() -> None:
    assert month_forms("iw") == month_forms("he")
    assert month_names("de-AT")["jänner"] == 1
    assert month_names("pt-BR")["fevereiro"] == 2
    assert is_code("eo")
    assert not is_code("qq")


def test_knows_directions() -> None:
    assert [is_right_to_left(code) for code in ("ar", "he", "fa", "ur", "en")] == [True, True, True, True, False]
    assert not is_known("qq")


PAGE = Page(
    """<title>Flood in Porto | Gazette</title><meta property="og:description" content="The river rises again.">
    <script type="application/ld+json">{"headline": "A flood that nobody saw"}</script>
    <h1>Flood in Porto</h1><p>PORTO (AP) — At least 12 people died, the mayor said. Yes.</p>
    <p>The river <b>rises</b> still.</p><table><tr><td>12</td><td>dead</td><td>in Porto</td></tr></table>
    <pre><code>flood = 12\nreturn flood</code></pre>
    <article><div style="display: none"><p>Readers who <b>pay</b> know it.</p><p>Read on</p></div></article>
    <p>水位上升了</p>"""
)


@pytest.mark.parametrize(("text", "is_said"), [
    ("At least 12 people died, the mayor said.", True), ("at least 12 PEOPLE died – the mayor", True),
    ("At least 13 people died, the mayor said.", False), ("At least 12 people died, the mayor says.", False),
    ("At least people died", False), ("Flood in Porto", True), ("A flood that nobody saw", True),
    ("The river rises again.", True), ("12 | dead | in Porto", True), ("return flood", True),
    ("Readers who pay know it.", True), ("Read on", True), ("水位上升", True), ("水位下降", False),
    ("Porto", False), ("", True),
])  # fmt: skip
def test_it_knows_what_the_page_said(text: str, is_said: bool) -> None:
    assert page_words(PAGE).says(text) is is_said


def test_texts_that_are_not_on_the_page_may_be_added() -> None:
    assert not page_words(PAGE).says("A text from the feed")
    assert page_words(PAGE, None, "A text from the feed").says("A text from the feed")


def test_the_same_words_are_the_same_page_whatever_the_markup() -> None:
    one, other = (Page(f"<!-- {number} --><p class=c{number}>Rain in Spain</p>") for number in range(2))
    assert page_words(one) == page_words(other) != page_words(Page("<p>Rain in Spain</p><p>3 comments</p>"))


def test_hardly_any_other_sentence_seems_to_be_said() -> None:
    draw = random.Random(1)  # noqa: S311 - the same numbers in each run
    said = page_words(Page("".join(f"<p>{' '.join(str(draw.random()) for _ in range(20))}</p>" for _ in range(50))))
    assert len(said.sequences) < 4_000
    assert sum(said.says(f"{draw.random()} x {draw.random()}") for _ in range(300)) == 0


def test_a_page_without_words_says_nothing() -> None:
    assert not page_words(Page("<p></p>")).says("Rain in Spain")


def test_a_further_page_or_the_data_for_scripts_makes_another_page() -> None:
    plain, of_two, of_two_others = (
        Page("<p>Rain in Spain</p>", continued=tuple(Page(f"<p>{text}</p>") for text in further))
        for further in ((), ["Ten are missing"], ["Ninety are missing"])
    )
    assert len({page_words(page).hash for page in (plain, of_two, of_two_others)}) == 3
    assert page_words(of_two).says("Ten are missing")
    assert page_words(plain, data="Ten are missing").hash != page_words(plain, data="Ninety are missing").hash
