from __future__ import annotations

import pytest

from newsextract.evaluation.metadata_contest import (
    author_scores,
    counted_names,
    date_scores,
    headline_scores,
    names_in,
)


@pytest.mark.parametrize(
    ("found", "exact", "f1"),
    [
        ("RAIN, again: in Spain!", 1, 1),
        ("again rain in spain", 0, 1),
        # {rain in} of 2 words found and 4 of the gold: 2 · 1 · ½ / (1 + ½).
        ("Rain in", 0, 2 / 3),
        ("Sun", 0, 0),
        (None, 0, 0),
    ],
)
def test_headlines_are_compared_by_their_words(found: str | None, exact: float, f1: float) -> None:
    scores = headline_scores(found, "Rain again in Spain")
    assert scores == {"headline_exact": exact, "headline_f1": pytest.approx(f1)}


@pytest.mark.parametrize(
    ("found", "day"),
    [("2023-05-04T23:30:00-05:00", 1), ("2023-05-05T04:30:00+00:00", 0), ("2023-05-04", 1), (None, 0)],
)
def test_days_are_compared_as_they_are_written(found: str | None, day: float) -> None:
    assert date_scores(found, "2023-05-04") == {"date_day": day}


@pytest.mark.parametrize(
    ("found", "minute"),
    [
        ("2023-05-04T10:30:59+02:00", 1),
        ("2023-05-04T08:30:00Z", 1),
        ("2023-05-04T10:30:00Z", 0),
        # Without an offset, what is written decides.
        ("2023-05-04T10:30:00", 1),
        ("2023-05-04T08:30:00", 0),
        ("2023-05-04", 0),
        (None, 0),
    ],
)
def test_minutes_are_instants_where_both_have_an_offset(found: str | None, minute: float) -> None:
    assert date_scores(found, "2023-05-04T10:30:00+02:00")["date_minute"] == minute


@pytest.mark.parametrize(
    ("signatures", "names"),
    [
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
    ],
)  # fmt: skip
def test_signatures_are_taken_apart(signatures: list[str], names: set[str]) -> None:
    assert names_in(signatures) == names


def test_authors_are_sets_of_names() -> None:
    # One of two found is right, of three: 2 · 1 / (2 + 3).
    scores = author_scores({"ann lee", "zoe"}, {"ann lee", "bo chen", "cy dee"})
    assert scores == {"author_f1": pytest.approx(0.4), "author_exact": 0, "author_right": 1, "author_named": 5}
    assert author_scores(set(), {"ann lee"})["author_f1"] == 0


@pytest.mark.parametrize(
    ("persons", "organizations", "counted"),
    [
        ({"ann lee"}, {"the courier"}, {"ann lee"}),
        ({"ann lee"}, {"afp"}, {"ann lee", "afp"}),
        (set(), {"the courier"}, {"the courier"}),
        (set(), set(), set()),
    ],
)
def test_organizations_count_when_named_or_alone(persons: set[str], organizations: set[str], counted: set[str]) -> None:
    assert counted_names(persons, organizations, {"ann lee", "afp"}) == counted
