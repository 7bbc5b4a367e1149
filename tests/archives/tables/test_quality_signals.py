"""Signals of a text's quality, counted by hand and against a plain reading of the papers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.archives.tables.quality_signals import (
    FIELDS,
    MEANINGS,
    REPEATED_NGRAMS,
    TOP_NGRAMS,
    quality_signals,
)
from newsextract.page.word_folding import written_words

TEXT = "The bridge is open again.\n• Trams run\nThe bridge is open again.\nAnd more follows…"


def test_the_lines_of_a_text() -> None:
    found = quality_signals(TEXT, "en-GB")
    assert found["quality_bullet_lines"] == 1 / 4
    assert found["quality_ellipsis_lines"] == 1 / 4
    assert found["quality_punctuated_lines"] == 3 / 4
    assert found["quality_short_lines"] == 1
    assert found["quality_repeated_lines"] == 1 / 4
    assert found["quality_repeated_line_chars"] == 25 / (25 + 11 + 25 + 17)
    assert found["quality_symbols"] == 1 / len(written_words(TEXT))


def test_the_words_of_a_text() -> None:
    found = quality_signals("the 42 be x2 and 7", "en")
    assert found["quality_stop_words"] == 3
    assert found["quality_alphabetic_words"] == 4 / 6
    assert found["quality_mean_word_length"] == 13 / 6


def test_indian_words_keep_their_vowels() -> None:
    found = quality_signals("सरकार ने कहा कि यह योजना किसानों के लिए है और देश की मदद करेगी।", "hi")
    assert found["quality_stop_words"] == 4
    assert 3 <= found["quality_mean_word_length"] <= 10
    assert found["quality_punctuated_lines"] == 1


def test_every_character_of_thai_counts_as_a_letter_but_digits_do_not() -> None:
    assert quality_signals("รัฐบาลช่วยเหลือผู้ที่ได้รับผลกระทบจากน้ำท่วม", "th")["quality_alphabetic_words"] == 1
    assert quality_signals("น้ำ ๑๒", "th")["quality_alphabetic_words"] == 3 / 5


@pytest.mark.parametrize(
    "line", ["„Es regnet.“", "«Il pleut !»", "(It rained.)", "بارش ہوئی۔", "Why? …”", "止めて。）"]
)
def test_a_line_may_end_with_a_closing_mark_behind_its_sentence(line: str) -> None:
    assert quality_signals(line, None)["quality_punctuated_lines"] == 1


def test_hash_signs_and_ellipses_have_a_limit_each() -> None:
    assert quality_signals("# one # two … three", "en")["quality_symbols"] == 2 / 3
    assert quality_signals("one... # two … three", "en")["quality_symbols"] == 2 / 3


def test_a_language_without_a_list_has_no_count_and_chinese_is_counted_by_character() -> None:
    assert quality_signals("the be to", "xx")["quality_stop_words"] is None
    assert quality_signals("the be to", None)["quality_stop_words"] is None
    assert quality_signals("我是在北京的人", "zh-Hans")["quality_stop_words"] == 4


@pytest.mark.parametrize("text", ["", " \n\n", "…", "?!"])
def test_a_text_without_a_word_has_no_signals(text: str) -> None:
    assert quality_signals(text, "en") == dict.fromkeys(MEANINGS)


def test_every_column_is_said_in_words() -> None:
    assert [field.name for field in FIELDS] == list(MEANINGS)
    assert list(quality_signals(TEXT, "en").keys() ^ MEANINGS.keys()) == []


@given(st.lists(st.sampled_from("ab bcd c".split()), min_size=1, max_size=60))
def test_repetition_is_that_of_a_plain_count(found: list[str]) -> None:
    signals = quality_signals(" ".join(found), None)
    total = sum(map(len, found))
    for n in TOP_NGRAMS:
        counts = Counter(tuple(found[start : start + n]) for start in range(len(found) - n + 1))
        most = max((len("".join(gram)) * count for gram, count in counts.items() if count > 1), default=0)
        assert signals[f"quality_top_{n}gram_chars"] == pytest.approx(min(most / total, 1))
    for n in REPEATED_NGRAMS:
        grams = [tuple(found[start : start + n]) for start in range(len(found) - n + 1)]
        counts = Counter(grams)
        inside = {start + step for start, gram in enumerate(grams) if counts[gram] > 1 for step in range(n)}
        assert signals[f"quality_repeated_{n}gram_chars"] == pytest.approx(
            sum(len(found[place]) for place in inside) / total
        )
