"""Who has a vote, and what several pages say together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.tools.comparing.comparison import Source, compare
from newsextract.tools.comparing.summary import summarise
from newsextract.tools.comparing.voting import LEAST_MEASURED, MEASURED, Candidate, refusals
from tests.tools.comparing.conftest import BODY, EXTRACTORS, STORY, Keeps

RESULTS = Path(__file__).parents[3] / "docs" / "results.md"


def reasons(names: str, *pairs: list[float]) -> list[str]:
    candidates = [Candidate(name, is_empty=False, is_on_page=True) for name in names.split()]
    return [reason.partition(":")[0] for reason in refusals(candidates, pairs)]


ALL_ALIKE = [1.0, 1.0, 1.0]
WEAK, LONELY = "known to be weak", "agrees with nobody"


@pytest.mark.parametrize(
    ("names", "pairs", "expected"),
    [
        ("auto mss own", [ALL_ALIKE] * 3, ["", "", ""]),
        ("auto mss dom_criteria", [ALL_ALIKE] * 3, ["", "", WEAK]),
        ("auto mss own", [[1, 0.9, 0.4], [0.9, 1, 0.49], [0.4, 0.49, 1]], ["", "", LONELY]),
        # Two that disagree are what there is to compare, and so are weak ones that somebody asks for.
        ("auto mss", [[1, 0.1], [0.1, 1]], ["", ""]),
        ("dom_criteria html_killer", [[1, 0.9], [0.9, 1]], ["", ""]),
        ("auto dom_criteria html_killer", [ALL_ALIKE] * 3, ["", "", ""]),
        ("auto mss own", [[1, 0.1, 0.1], [0.1, 1, 0.1], [0.1, 0.1, 1]], ["", "", ""]),
        # Agreeing with one that is weak is no agreement.
        ("auto mss own dom_criteria", [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]], ["", "", LONELY, WEAK]),
    ],
)
def test_the_weak_and_the_lonely_have_no_vote_while_two_others_have(
    names: str, pairs: list[list[float]], expected: list[str]
) -> None:
    assert reasons(names, *pairs) == expected


def test_the_weak_are_those_of_the_table_of_results() -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", RESULTS.read_text("utf-8"), re.MULTILINE)
    means = {name: float(cells.split("|")[-3].strip().strip("*")) for name, cells in rows}
    assert {name: means[name] for name in MEASURED} == dict(MEASURED)
    assert set(means) - set(MEASURED) == {"everything"}
    assert {name for name, mean in MEASURED.items() if mean < LEAST_MEASURED} == {
        "boilerpipe", "dom_criteria", "html_killer",
    }  # fmt: skip


def test_a_weak_extractor_does_not_decide_what_the_majority_keeps() -> None:
    exact, greedy = Keeps(BODY), Keeps(("Home", "All rights", *BODY))
    extractors = {"one": exact, "two": exact, "dom_criteria": greedy, "html_killer": greedy, "boilerpipe": greedy}
    page = compare(Source("a", Page(STORY)), extractors)
    assert page["voters"] == [0, 1]
    assert page["unanimity"] == 1.0
    assert page["extractors"][0]["majority"] == 1.0
    assert page["extractors"][2]["no_vote"].startswith("known to be weak: a token F1 of 0.78")


def summary_of(*pages: str, **extractors: Any) -> dict[str, Any]:
    return summarise([compare(Source(str(n), Page(html)), extractors) for n, html in enumerate(pages)])


def test_the_summary_counts_votes_and_pairs_over_pages_and_lists_where_they_differ_most() -> None:
    other = "<p>A new bridge opened. It is forty metres long.</p><p>The ferry stops.</p>"
    found = summary_of(other, STORY, **EXTRACTORS)
    rows = {row["name"]: row for row in found["extractors"]}
    assert (rows["exact"]["votes"], rows["everything"]["votes"], rows["fails"]["failures"]) == (2, 0, 2)
    assert rows["nothing"]["reasons"] == [("kept nothing", 2)]
    assert [one["page"] for one in found["differing"]] == [1, 0]
    assert found["differing"][0]["unanimity"] < found["differing"][1]["unanimity"] == 1.0
    assert found["pairs"] == sorted(found["pairs"], key=lambda pair: -pair["f1"])
    assert len(found["pairs"]) == 6
    assert all(pair["pages"] == 2 for pair in found["pairs"])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("dom_criteria", "mss", "auto", "eatiht"), ["auto", "mss"]),
        (("dom_criteria", "eatiht", "mss"), ["mss", "eatiht"]),
        (("everything", "auto"), ["auto", "everything"]),
        (("mss",), ["mss"]),
    ],
)
def test_the_report_opens_with_auto_and_the_strongest_other(names: tuple[str, ...], expected: list[str]) -> None:
    found = summary_of(STORY, **{name: create_extractor(name) for name in names})
    assert [names[number] for number in found["opening"]] == expected


def test_a_page_that_nobody_keeps_has_a_summary() -> None:
    found = summary_of("", **EXTRACTORS)
    assert (found["unanimity"], found["pairs"], found["differing"]) == (None, [], [])
