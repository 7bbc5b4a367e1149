"""What counts as a change of an article, and what as another layout."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from newsextract.storage.revisions.article_differences import Differences, compare

if TYPE_CHECKING:
    from collections.abc import Mapping

BODY = (
    "The mayor opened the bridge on Monday. 12 people were hurt, he said.\n"
    "“It’s a good day”, said Ms Ellison – 1,234 guests came.\n"
    "Work began in 2019 and cost 3.5 million euros."
)


def row(
    body: str | None = BODY, headline: str = "Bridge open", lead: str | None = "A lead."
) -> Mapping[str, str | None]:
    return {"headline": headline, "description": lead, "article_body": body}


def found(before: str, after: str) -> Differences:
    differences = compare(row(before), row(after))
    assert differences is not None
    return differences


@pytest.mark.parametrize(
    "after",
    [
        BODY,
        BODY.replace("\n", "\n\n  "),
        BODY.replace("\n", " "),
        BODY.replace(". 12", ".\n12"),
        BODY.replace("“", '"').replace("”", '"').replace("’", "'"),
        BODY.replace("“", "« ").replace("”", " »"),
        BODY.replace("–", "—").replace("1,234", "1 234"),
        BODY.replace("1,234", "1234"),
        BODY.replace("Monday. 12", "Monday; 12"),
        BODY.replace("bridge", "bri\u00addge"),
        BODY + "\nRead more: the mayor's plans for the harbour",
        BODY + "\nLire aussi : le pont, un an après",
        "15 comments\nUpdated 5 minutes ago\n" + BODY,
        "Mis à jour il y a 3 heures\n" + BODY,
        "\n".join(reversed(BODY.split("\n"))),
    ],
)
def test_another_look_is_no_difference(after: str) -> None:
    assert compare(row(), row(after)) is None
    assert compare(row(after), row()) is None


def test_the_case_of_a_headline_is_its_look() -> None:
    assert compare(row(headline="Bridge Open"), row(headline="BRIDGE OPEN!")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("12 people", "15 people"),
        ("Ellison", "Forsythe"),
        ("hurt", "killed"),
        ("Work began in 2019 and cost 3.5 million euros.", ""),
        ("euros.", "euros. Nobody has paid yet."),
        ("3.5 million", "3.6 million"),
        ("12 people", "−12 people"),
        ("million euros", "million $"),
    ],
)
def test_a_word_a_number_a_name_or_a_sentence_is_a_difference(before: str, after: str) -> None:
    assert compare(row(), row(BODY.replace(before, after))) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("मौसम की जानकारी", "मौसम का जानकारी"),
        ("قتل ١٢ شخصا", "قتل ١٥ شخصا"),
        ("大橋通車", "大橋封閉"),
        ("สะพานเปิด", "สะพานปิด"),
    ],
)
def test_every_script_has_its_words(before: str, after: str) -> None:
    assert compare(row(before), row(after)) is not None


def test_says_what_changed_word_by_word() -> None:
    differences = found(BODY, BODY.replace("12 people were hurt", "15 people were hurt").replace("a good day", "a day"))
    assert [change.op for change in differences.body] == ["replace"]
    (change,) = differences.body
    assert change.before.startswith("12 people were hurt, he said.")
    assert change.words[:3] == [("-", "12"), ("+", "15"), ("=", "people were hurt, he said. “It’s a")]
    assert (differences.added_words, differences.removed_words) == (1, 2)
    assert [(number.before, number.after) for number in differences.numbers] == [("12", "15")]
    assert differences.numbers[0].context.startswith("15 people were hurt")
    assert differences.headline is None
    json.dumps(differences.as_json())


def test_added_and_removed_sentences_are_told_apart_from_moved_ones() -> None:
    first, second, third = BODY.split("\n")
    differences = found(BODY, f"{third}\nA new sentence.\n{first}")
    assert {(change.op, change.before or change.after) for change in differences.body} == {
        ("insert", "A new sentence."),
        ("delete", second),
    }


@pytest.mark.parametrize(
    ("before", "after"), [("12", "15"), ("1,234", "1,250"), ("1 234", "1 250"), ("1.234,5", "1.250"), ("١٢", "١٥")]
)
def test_numbers_are_told_in_any_spelling(before: str, after: str) -> None:
    differences = found(f"At least {before} dead after the flood.", f"At least {after} dead after the flood.")
    assert [(number.before, number.after) for number in differences.numbers] == [(before, after)]
    assert differences.numbers[0].context == f"At least {after} dead after the flood"


def test_headline_and_lead_have_changes_of_their_own() -> None:
    differences = compare(row(headline="12 hurt", lead="One. Two."), row(headline="15 hurt", lead="One. Three."))
    assert differences is not None
    assert differences.headline is not None
    assert differences.lead is not None
    assert (differences.headline.before, differences.headline.after) == ("12 hurt", "15 hurt")
    assert (differences.lead.before, differences.lead.after) == ("Two.", "Three.")
    assert differences.body == []


def test_a_lead_that_goes_away_is_no_difference_and_one_that_comes_is() -> None:
    assert compare(row(lead="A lead."), row(lead=None)) is None
    differences = compare(row(lead=None), row(lead="A lead."))
    assert differences is not None
    assert differences.lead is not None
    assert differences.lead.op == "insert"


def test_an_article_without_text_can_be_compared() -> None:
    assert compare(row(None), row(None)) is None
    differences = compare(row(None), row("One."))
    assert differences is not None
    assert [change.op for change in differences.body] == ["insert"]


def sentences(seed: int, number: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - the same text each time
    words = "the a of to bridge mayor town river said new old year city plan 12 15 green house water".split()
    return [" ".join(rng.choices(words, k=20)).capitalize() + "." for _ in range(number)]


@pytest.mark.timeout(100)
def test_a_live_blog_of_20_000_words_is_compared_at_once() -> None:
    old, new = sentences(1, 1000), sentences(2, 1000)
    rewritten = found("\n".join(old), "\n".join(new))
    assert rewritten.added_words > 100
    assert rewritten.body[0].words == []
    edited = [line.replace("mayor", "major") for line in old]
    assert len(found("\n".join(old), "\n".join(edited)).body) > 1
    assert len(found("\n".join(old), "\n".join(["One more.", *old])).body) == 1


def test_what_is_too_much_to_tell_is_counted() -> None:
    kept = sentences(3, 60)
    old = [line for one in kept for line in (one, one + " " + "x " * 2000)]
    new = [line for one in kept for line in (one, one + " " + "y " * 2000)]
    differences = found("\n".join(old), "\n".join(new))
    assert 0 < len(differences.body) < 60
    assert len(differences.body) + differences.left_out == 60
    assert len(json.dumps(differences.as_json())) < 1_000_000
