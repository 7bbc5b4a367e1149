from __future__ import annotations

from time import process_time

import pytest

from newsextract import Page, create_extractor
from newsextract.reading.extraction.html_killer import HtmlKiller
from newsextract.reading.notices import BadExtractorOption

PAGE = """<html><body><p>Before the title</p><h1>The title</h1><p>One <a href="#">link</a> and <span>span</span>.</p>
<div>In a div</div><div>and the next</div><ul><li>An item</li></ul><h2>A sub-heading</h2>
<form><p>Sign up</p></form><p>First line<br>second line</p></body></html>"""


def test_keeps_what_the_script_keeps() -> None:
    assert [block.text for block in HtmlKiller().extract(Page(PAGE)).blocks] == [
        "The title",
        "One link and span.",
        "In a div",
        "and the next",
        "First line second line",
    ]


def test_segments_end_at_breaks_and_paragraphs_only() -> None:
    found = HtmlKiller().extract(Page(PAGE))
    assert found.text.splitlines()[1:3] == ["One link and span.", "In a div and the next First line"]
    assert list(found.segments or ()) == [
        ("h", "The title"),
        ("p", "One link and span."),
        ("p", "In a div and the next First line"),
        ("p", "second line"),
    ]


def test_the_scripts_rules_do_not_take_cubic_time_in_tags_that_are_never_closed() -> None:
    began = process_time()
    assert by_script("<x>" * 2_000) == []
    assert process_time() - began < 10  # formerly two minutes


def test_without_a_title_nothing_is_dropped_before() -> None:
    assert HtmlKiller().extract(Page("<p>Hello</p>")).text == "Hello"


def test_further_titles_are_removed() -> None:
    assert HtmlKiller().extract(Page("<h1>One</h1><p>a</p><h1>Two</h1><p>b</p>")).text == "One\na\nb"


def by_script(markup: str) -> list[tuple[str, str]]:
    return list(HtmlKiller(rules="script").extract(Page(markup)).segments or ())


TITLE = "<h1>One long title</h1>"


def test_the_script_stops_at_a_second_title() -> None:
    found = by_script(f"<p>Before it</p>{TITLE}<p>Behind it</p><h1 class=x>Two</h1><p>No more of it</p>")
    assert found == [("h", "One long title"), ("p", "Behind it")]


@pytest.mark.parametrize("line", ["Home | News", "Tags: rain, wind", "by X.Y."])
def test_the_script_leaves_out_lines_that_look_like_menus_and_short_ones(line: str) -> None:
    assert by_script(f"{TITLE}<p>A line of it</p><p>{line}</p><p>Another line</p>")[1:] == [
        ("p", "A line of it"),
        ("p", "Another line"),
    ]


def test_the_script_drops_other_elements_with_what_follows_them() -> None:
    # Up to the next end tag that is not one of a paragraph: here that of the table.
    assert by_script(f"{TITLE}<table><tr><td>x</table>yes, it is<br>that it is")[1:] == [
        ("p", "yes, it is"),
        ("p", "that it is"),
    ]
    assert by_script(f"{TITLE} one <em>two</em> three<br>")[1:] == [("p", "one three")]


def test_the_script_joins_words_on_two_lines_and_blanks_character_references() -> None:
    found = by_script(f"{TITLE}<p>rain\nfalls &eacute;t&eacute; AT&T; now\u3000and then</p>")
    assert found[1] == ("p", "rainfalls t AT now\u3000and then")


def test_the_script_takes_elements_whose_names_begin_alike() -> None:
    assert by_script(f"{TITLE}<p>a line <link rel=x>b</p><ul><li>c</li></ul><pre>d</pre>")[1:] == [("p", "a line d")]


def test_the_script_begins_behind_a_body_without_attributes() -> None:
    assert by_script("<html><title>T</title><body><p>The first line</p></body><p>b</p>") == [("p", "The first line")]


def test_what_the_script_keeps_is_a_selection_of_blocks() -> None:
    page = Page(
        "<h1>The title</h1><p>Some words of it.</p><ul><li>An item here</li></ul><p>More <b>words</b> of it.</p>"
    )
    kept = create_extractor("html_killer", rules="script").extract(page)
    # What stands between `<` and `>` goes if it is short, here the first word of the paragraph.
    assert kept.text.splitlines() == ["The title", "Some words of it.", "words of it."]
    assert [block.text for block in kept.blocks] == ["The title", "Some words of it.", "More words of it."]
    with pytest.raises(BadExtractorOption, match="neither 'report' nor 'script'"):
        create_extractor("html_killer", rules="paper")


def test_a_mask_is_refused_where_the_source_is_read() -> None:
    with pytest.raises(BadExtractorOption, match="cleaning hides nothing"):
        create_extractor("html_killer:rules=script:cleaning=wutsi")
