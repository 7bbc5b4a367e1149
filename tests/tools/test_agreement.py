"""The agreement of extractors: in pairs, block by block, and where they differ."""

from __future__ import annotations

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import Extraction, create_extractor
from newsextract.tools.agreement import Agreement, Answer, answers_of, comparable_names
from tests.tools.extractors import EXTRACTORS, STORY, Dawdles, Keeps

NAMES = list(EXTRACTORS)


def agree(html: str = STORY) -> Agreement:
    page = Page(html)
    return Agreement(page, answers_of(page, EXTRACTORS))


def test_says_why_an_extractor_has_no_vote() -> None:
    reasons = dict(zip(NAMES, agree().refusals, strict=True))
    assert reasons["everything"] == "control, chooses nothing"
    assert reasons["nothing"] == reasons["fails"] == "kept nothing"


def test_counts_the_votes_for_each_block() -> None:
    found = agree()
    votes = dict(zip(found.page.outline.table.texts, found.votes.tolist(), strict=True))
    assert votes["The mayor opens a bridge"] == 2
    assert votes["The ferry makes its last journey on Friday evening."] == 4
    assert votes["All rights reserved by the Gazette."] == 1


def test_takes_for_the_majority_what_more_than_half_keep() -> None:
    assert agree().majority.raw.splitlines() == [
        "The mayor of the town opened the new bridge that its people had asked for.",
        "It is forty metres long, and it cost less than anybody had thought.",
        "The ferry makes its last journey on Friday evening.",
    ]


def test_lists_where_voters_differ_in_the_order_of_the_page() -> None:
    found = agree()
    texts = found.page.outline.table.texts
    told = [
        (" ".join(texts[one.first : one.last + 1])[:15], [NAMES[number] for number in one.keepers])
        for one in found.disputed
    ]
    assert told == [
        ("Home Sport", ["greedy", "everything"]),
        ("The mayor opens", ["titled", "greedy", "everything"]),
        ("It is forty met", ["exact", "titled", "greedy", "everything"]),
        ("All rights rese", ["greedy", "everything"]),
    ]


def test_compares_texts_in_pairs_the_same_either_way() -> None:
    pairs = agree().pairs
    assert all(pairs[n][n] == 1.0 for n in range(len(pairs)))
    assert pairs[0][1] == pairs[1][0]
    assert 0.9 < pairs[0][1] < 1.0
    assert pairs[NAMES.index("nothing")][0] == 0.0
    assert pairs[NAMES.index("nothing")][NAMES.index("fails")] == 1.0


def test_says_how_much_of_what_is_kept_all_keep() -> None:
    share = agree().unanimity
    assert share is not None
    assert 0.4 < share < 0.6
    assert agree("<p>Nothing that anybody wants</p>").unanimity is None


def test_counts_a_block_of_which_a_part_is_kept_by_its_larger_part() -> None:
    page = Page("<p>one <b>two three four five</b> six</p>")
    whole = page.blocks[0]
    parts = {"most": whole.cut(1, 2), "least": whole.cut(0, 1)}
    found = Agreement(page, [Answer(name, Extraction(name, (block,)), 0.0) for name, block in parts.items()])
    assert found.runs_kept.tolist() == [[False, True, False], [True, False, False]]
    assert found.blocks_kept.tolist() == [[True], [False]]


def test_places_what_was_found_through_a_mask_and_nothing_that_is_not_on_the_page() -> None:
    page = Page(STORY)
    elsewhere = Page("<p>a body from somewhere else</p>").blocks
    masked = create_extractor("everything", cleaning="wutsi").extract(page)
    found = Agreement(page, [Answer("masked", masked, 0.0), Answer("elsewhere", Extraction("e", elsewhere), 0.0)])
    assert found.blocks_kept[0].any()
    assert not found.blocks_kept[1].any()
    assert found.voters == (0,)


def test_shows_the_error_of_one_extractor_and_goes_on_with_the_others() -> None:
    answers = {answer.name: answer for answer in agree().answers}
    assert str(answers["fails"].error).startswith("ZeroDivisionError: no letters in")
    assert not answers["fails"].extraction
    assert answers["exact"].error is None
    assert answers["exact"].ms > 0


def test_stops_an_extractor_that_takes_too_long() -> None:
    slow, quick = answers_of(Page(STORY), {"slow": Dawdles(), "quick": Keeps(("ferry",))}, seconds=2.0)
    assert slow.error == "stopped after 2 seconds"
    assert quick.extraction


def test_compares_by_default_all_that_can_read_a_page_alone() -> None:
    names = comparable_names()
    assert names[0] == "auto"
    assert names[-1] == "everything"
    assert {"mss", "eatiht", "wutsi", "html_killer", "dom_criteria"} <= set(names)
    assert "template" not in names
