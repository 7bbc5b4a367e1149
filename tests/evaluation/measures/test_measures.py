from __future__ import annotations

import math

import numpy as np
import pytest

from newsextract.evaluation.contest import snippet_scores
from newsextract.evaluation.measures import (
    Case,
    CleanEval,
    Text,
    cleaneval_words,
    cosine_scores,
    is_judgeable,
    shingle_counts,
    shingle_scores,
    token_accuracy,
    token_scores,
)
from newsextract.evaluation.metadata_contest import author_scores, counted_names, date_scores, headline_scores, names_in
from newsextract.evaluation.results import BODY, SHINGLE_F1


def test_token_scores_count_each_token_as_often_as_it_occurs() -> None:
    scores = token_scores(Text("The cat, the hat"), Text("the cat sat"))
    # Kept {the 2, cat 1, hat 1}, gold {the 1, cat 1, sat 1}: 2 in common of 4 and of 3.
    assert scores == {"token_precision": 0.5, "token_recall": pytest.approx(2 / 3), "token_f1": pytest.approx(4 / 7)}


def test_token_scores_count_characters_of_scripts_without_spaces() -> None:
    assert token_scores(Text("三月新聞"), Text("三月"))["token_precision"] == 0.5


def test_keeping_nothing_is_right_only_where_there_is_nothing() -> None:
    assert token_scores(Text(""), Text(""))["token_f1"] == 1
    assert token_scores(Text(""), Text("a"))["token_f1"] == 0
    assert token_scores(Text("a"), Text(""))["token_f1"] == 0


def test_token_accuracy_counts_what_was_rightly_left_out() -> None:
    visible = Text("menu home story one two footer")
    # TP story one, FP menu, FN two, TN home footer: 4 of 6.
    assert token_accuracy(Text("menu story one"), Text("story one two"), visible) == pytest.approx(4 / 6)


def test_a_page_is_judged_when_half_of_its_gold_is_visible() -> None:
    assert is_judgeable(Text("a b c d"), Text("a b x"))
    assert not is_judgeable(Text("a b c d"), Text("a x"))


def test_cleaneval_splits_as_the_public_script_does() -> None:
    gold = "URL: http://a.example/\n\n<h>The title\n<p>One two.\n<l>An item"
    # The URL line leaves white space behind, and that an empty first word.
    assert cleaneval_words(gold) == ["", "<h>", "The", "title", "<p>", "One", "two.", "<l>", "An", "item"]
    assert cleaneval_words("<P>one\x0btwo\u00a0three") == ["", "<P>", "one", "two\u00a0three"]


def test_cleaneval_scores_by_aligned_words_and_marks() -> None:
    scores = CleanEval("<h>Title\n<p>one two three four").scores("<p>one two\n<p>four menu")
    # Gold '' <h> Title <p> one two three four (8); kept '' <p> one two <p> four menu (7).
    # Aligned: '' | <p> one two | four = 5 words, of which one mark of 2 kept and 2 gold.
    assert scores["cleaneval_p"] == pytest.approx(5 / 7)
    assert scores["cleaneval_r"] == pytest.approx(5 / 8)
    assert scores["cleaneval_f"] == pytest.approx(2 * 5 / (7 + 8))
    assert scores["cleaneval_tag_f"] == pytest.approx(0.5)


def test_cleaneval_of_two_empty_texts_counts_the_empty_word() -> None:
    assert CleanEval("").scores("")["cleaneval_f"] == 1


def test_shingles_of_a_page_add_up_to_one() -> None:
    # Gold abcd bcde cdef, kept bcde cdef defx: 2 right, 1 wrong, 1 missed.
    assert shingle_counts("b c d e f x", "a b c d e f") == (0.5, 0.25, 0.25)


def test_shingle_scores_are_absent_where_nothing_could_be_right() -> None:
    assert shingle_scores("", "a b c d") == {"exact": 0.0, "shingle_recall": 0.0}
    assert shingle_scores("", "") == {"exact": 1.0}
    assert shingle_scores("A b, c d.", "A b c d") == {"exact": 1.0, "shingle_precision": 1.0, "shingle_recall": 1.0}


def test_shingle_f1_is_that_of_the_means() -> None:
    means = {"shingle_precision": np.array([0.75, 0.0]), "shingle_recall": np.array([0.5, 0.0])}
    with np.errstate(invalid="ignore"):
        assert BODY.joined[SHINGLE_F1](means).tolist() == pytest.approx([0.6, 0])


def test_cosine_of_word_counts() -> None:
    # (1, 1, 0) and (1, 1, 2): 2 / (√2 · √6).
    scores = cosine_scores(Text("a b"), Text("a b c c"))
    assert scores["cosine"] == pytest.approx(2 / math.sqrt(12))
    assert scores["exactitude"] == 0


@pytest.mark.parametrize(
    ("kept", "gold", "which"),
    [("One two.", "one  two", "equal"), ("two three", "one two three", "inside"), ("x a b", "a b", "around")],
)
def test_cosine_tells_equal_from_inside_and_around(kept: str, gold: str, which: str) -> None:
    scores = cosine_scores(Text(kept), Text(gold))
    assert [name for name in ("equal", "inside", "around") if scores[name]] == [which]


def test_words_that_only_share_letters_are_not_inside() -> None:
    assert cosine_scores(Text("art"), Text("party art2"))["inside"] == 0


def test_snippets_are_found_whatever_the_white_space() -> None:
    case = Case(Text(""), None, includes=("wanted  words", "missing"), excludes=("noise",))
    assert snippet_scores(Text("some wanted\nwords and noise"), case) == {"includes": 0.5, "excludes": 1.0}
    assert snippet_scores(Text("x"), Case(Text(""), None)) == {}


@pytest.mark.parametrize(("found", "exact", "f1"), [
    ("RAIN, again: in Spain!", 1, 1),
    ("again rain in spain", 0, 1),
    # {rain in} of 2 words found and 4 of the gold: 2 · 1 · ½ / (1 + ½).
    ("Rain in", 0, 2 / 3),
    ("Sun", 0, 0),
    (None, 0, 0),
])  # fmt: skip
def test_headlines_are_compared_by_their_words(found: str | None, exact: float, f1: float) -> None:
    scores = headline_scores(found, "Rain again in Spain")
    assert scores == {"headline_exact": exact, "headline_f1": pytest.approx(f1)}


@pytest.mark.parametrize(
    ("found", "day"), [("2023-05-04T23:30:00-05:00", 1), ("2023-05-05T04:30:00+00:00", 0), ("2023-05-04", 1), (None, 0)]
)
def test_days_are_compared_as_they_are_written(found: str | None, day: float) -> None:
    assert date_scores(found, "2023-05-04") == {"date_day": day}


@pytest.mark.parametrize(("found", "minute"), [
    ("2023-05-04T10:30:59+02:00", 1),
    ("2023-05-04T08:30:00Z", 1),
    ("2023-05-04T10:30:00Z", 0),
    # Without an offset, what is written decides.
    ("2023-05-04T10:30:00", 1),
    ("2023-05-04T08:30:00", 0),
    ("2023-05-04", 0),
    (None, 0),
])  # fmt: skip
def test_minutes_are_instants_where_both_have_an_offset(found: str | None, minute: float) -> None:
    assert date_scores(found, "2023-05-04T10:30:00+02:00")["date_minute"] == minute


@pytest.mark.parametrize(("signatures", "names"), [
    (["Ann Lee; Bo Chen | Cy Dee"], {"ann lee", "bo chen", "cy dee"}),
    (["Ann Lee und Bo Chen", "Cy Dee et Di Eck", "Ed Fox y Flo Gil"],
     {"ann lee", "bo chen", "cy dee", "di eck", "ed fox", "flo gil"}),
    (["Ann Lee, Bo Chen, and Cy Dee & Di Eck"], {"ann lee", "bo chen", "cy dee", "di eck"}),
    (["Dylan Bailey, MS, RD, FAND"], {"dylan bailey"}),
    (["Robert E. Moffit, Ph.D."], {"robert e moffit"}),
    (["Michael Greger, M.D. FACLM"], {"michael greger"}),
    (["Shelby Loos DVM", "Martin King Jr."], {"shelby loos", "martin king"}),
    (["RALPH D. RUSSO, BOB FERRANTE"], {"ralph d russo", "bob ferrante"}),
    (["AFP"], {"afp"}),
    (["By Ann O'Hara-Lee,"], {"ann o hara lee"}),
    (["", " ; "], set()),
])  # fmt: skip
def test_signatures_are_taken_apart(signatures: list[str], names: set[str]) -> None:
    assert names_in(signatures) == names


def test_authors_are_sets_of_names() -> None:
    # One of two found is right, of three: 2 · 1 / (2 + 3).
    scores = author_scores({"ann lee", "zoe"}, {"ann lee", "bo chen", "cy dee"})
    assert scores == {"author_f1": pytest.approx(0.4), "author_exact": 0, "author_right": 1, "author_named": 5}
    assert author_scores(set(), {"ann lee"})["author_f1"] == 0


@pytest.mark.parametrize(("persons", "organizations", "counted"), [
    ({"ann lee"}, {"the courier"}, {"ann lee"}), ({"ann lee"}, {"afp"}, {"ann lee", "afp"}),
    (set(), {"the courier"}, {"the courier"}), (set(), set(), set()),
])  # fmt: skip
def test_organizations_count_when_named_or_alone(persons: set[str], organizations: set[str], counted: set[str]) -> None:
    assert counted_names(persons, organizations, {"ann lee", "afp"}) == counted
