"""What `newsextract compare` finds: who kept which block, who votes, how far they agree, and the file for people."""

from __future__ import annotations

from typing import Any

from lxml import html as lxml_html

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import Extraction, create_extractor
from newsextract.tools.compare import comparable_names, compare_page, kept_blocks, report_page
from tests.tools.extractors import EXTRACTORS, STORY, Dawdles, Keeps

NAMES = list(EXTRACTORS)


def compared(html: str = STORY) -> dict[str, Any]:
    return compare_page("story.html", Page(html), EXTRACTORS)


def row(name: str, html: str = STORY) -> dict[str, Any]:
    found: dict[str, Any] = compared(html)["extractors"][NAMES.index(name)]
    return found


def test_says_why_an_extractor_has_no_vote() -> None:
    assert row("everything")["remarks"] == "no vote: control, chooses nothing"
    assert row("nothing")["remarks"] == "no vote: kept nothing"
    assert row("exact")["remarks"] == ""


def test_lists_who_kept_each_block() -> None:
    by = {text: [NAMES[number] for number in numbers] for text, numbers in compared()["blocks"]}
    assert by["The mayor opens a bridge"] == ["titled", "greedy", "everything"]
    assert by["The ferry makes its last journey on Friday evening."] == [
        "exact", "titled", "greedy", "short", "everything",
    ]  # fmt: skip
    assert by["All rights reserved by the Gazette."] == ["greedy", "everything"]


def test_gives_the_agreement_with_the_majority_and_in_pairs() -> None:
    assert row("exact")["majority"] == 1.0  # three of four voters keep its blocks
    assert 0.9 < row("titled")["majority"] < 1.0
    pairs = [each["pairs"] for each in compared()["extractors"]]
    assert all(pairs[n][n] == 1.0 for n in range(len(pairs)))
    assert pairs[0][1] == pairs[1][0]
    assert pairs[NAMES.index("nothing")][0] == 0.0


def test_says_how_much_of_what_is_kept_all_keep() -> None:
    found = compared()
    assert 0.4 < found["unanimity"] < 0.6
    assert found["disputed"] == 4
    assert compared("<p>Nothing that anybody wants</p>")["unanimity"] is None


def test_counts_a_block_of_which_a_part_is_kept_by_its_larger_part() -> None:
    page = Page("<p>one <b>two three four five</b> six</p>")
    whole = page.blocks[0]
    assert kept_blocks(page, Extraction("most", (whole.cut(1, 2),))) == {0}
    assert kept_blocks(page, Extraction("least", (whole.cut(0, 1),))) == set()


def test_places_what_was_found_through_a_mask_and_nothing_that_is_not_on_the_page() -> None:
    page = Page(STORY)
    assert kept_blocks(page, create_extractor("everything", cleaning="wutsi").extract(page))
    elsewhere = Page("<p>a body from somewhere else</p>").blocks
    assert not kept_blocks(page, Extraction("e", elsewhere))


def test_shows_the_error_of_one_extractor_and_goes_on_with_the_others() -> None:
    assert row("fails")["remarks"].startswith("ZeroDivisionError: no letters in")
    assert row("exact")["ms"] > 0


def test_stops_an_extractor_that_takes_too_long() -> None:
    found = compare_page("a", Page(STORY), {"slow": Dawdles(), "quick": Keeps(("ferry",))}, seconds=2.0)
    slow, quick = found["extractors"]
    assert slow["remarks"] == "too slow"
    assert quick["words"] > 0


def test_compares_by_default_all_that_can_read_a_page_alone() -> None:
    names = comparable_names()
    assert names[0] == "auto"
    assert names[-1] == "everything"
    assert {"mss", "eatiht", "wutsi", "html_killer", "dom_criteria"} <= set(names)
    assert "template" not in names


def test_nothing_of_a_hostile_page_is_markup_in_the_file() -> None:
    breakout = "</script></title><img src=x onerror=alert(1)><script>alert(1)</script>"
    page = Page(f"<title>&lt;/title>{breakout}</title><p>{breakout.replace('<', '&lt;')} a bridge</p>")
    found = compare_page(breakout, page, {"everything": Keeps(("",)), f"x{breakout}": Keeps(("bridge",))})
    tree = lxml_html.document_fromstring(report_page([found, found]))
    assert len(tree.findall(".//script")) == 1
    assert not tree.findall(".//img")
    assert tree.findall(".//*[@data-by]")[-1].text_content().endswith("a bridge")
