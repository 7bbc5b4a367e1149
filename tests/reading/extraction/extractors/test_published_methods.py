"""Eatiht, WUTSI, DOM criteria and HTML-Killer: each against its paper or script, computed slowly or by hand."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, create_extractor
from newsextract.reading.extraction.dom_criteria import DomCriteria, _Nodes
from newsextract.reading.extraction.eatiht import Eatiht
from newsextract.reading.extraction.html_killer import HtmlKiller
from newsextract.reading.notices import BadExtractorOption

if TYPE_CHECKING:
    from lxml.html import HtmlElement


_SELECTED = (
    "//body//*[not(self::script or self::style or self::i or self::b or self::strong or self::span or self::a)]"
    "[text()[string-length(normalize-space()) > 20]]"
)
_SENTENCE_END = re.compile(
    r"""(?:(?<=[.!?])|(?<=[.!?]['"]))(?<!Mr\.)(?<!Mrs\.)(?<!Jr\.)(?<!Dr\.)(?<!Prof\.)(?<!Sr\.)\s+""", re.IGNORECASE
)


def sentences(element: HtmlElement) -> list[str]:
    text = re.sub(r"\[\d*\]", "", " ".join("".join(map(str, element.itertext())).split()))
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence and sentence[-1] in ".?!\"'"]


def reference(page: Page) -> set[str]:
    """Return the words of the sentences selected under the parent with most of them."""
    selected = page.tree.xpath(_SELECTED)
    histogram: Counter[HtmlElement] = Counter()
    for element in selected:
        histogram[element.getparent()] += len(sentences(element))
    if not histogram or not max(histogram.values()):
        return set()
    best = max(histogram, key=lambda parent: histogram[parent])
    inside = [element for element in selected if element is best or best in element.iterancestors()]
    return {word for element in inside for sentence in sentences(element) for word in sentence.split()}


_SENTENCE = st.sampled_from(
    [
        "{} one two three.", "{} who?", '{} said "no!"', "{} Mr. Brown's {} came!", "{} cited.[12] {} again.",
        "{} v2.0 out.",
    ]
)  # fmt: skip
_TEXT = st.lists(_SENTENCE, min_size=1, max_size=4).map(" ".join)
_PARAGRAPH = st.one_of(
    _TEXT.map("<p>{} </p> ".format),
    st.tuples(_TEXT, _TEXT).map(lambda pair: f"<p>{pair[0]} <b>{pair[1]}</b> </p> "),
    st.just("<p>{} a caption without any end mark</p> "),
    st.just("<p>{} short</p> "),
    _TEXT.map("<ul> <li>{}</li> </ul> ".format),
)
_INNER = st.recursive(
    _PARAGRAPH,
    lambda inner: st.tuples(st.sampled_from(["div", "section", "td"]), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0].replace('td', 'article')}> {' '.join(pair[1])} </{pair[0].replace('td', 'article')}> "
    ),
    max_leaves=12,
)
_LOOSE = st.one_of(st.just(""), _TEXT.map(" {} ".format))
_BODY = st.tuples(_LOOSE, _INNER, _LOOSE).map("".join)
"""With text that is directly in `body`, which the original does not select."""


@settings(max_examples=80, deadline=None)
@given(_BODY)
def test_equals_the_original_on_its_own_ground(template: str) -> None:
    numbers = count()
    markup = re.sub(r"\{\}", lambda _: f"w{next(numbers)}", template)
    page = Page(f"<html><body>{markup}</body></html>")
    found = Eatiht(every_script=False).extract(page)
    kept = set(re.sub(r"\[\d*\]", "", found.text).split())
    assert kept == reference(page)


def kept(markup: str, *, every_script: bool = True) -> list[str]:
    extractor = Eatiht(every_script=every_script)
    return [block.text for block in extractor.extract(Page(f"<html><body>{markup}</body></html>")).blocks]


LONG = "This is a sentence of the story."


def test_what_ends_no_sentence_is_left() -> None:
    assert kept(f"<div><p>{LONG}</p><p>A long caption without an end</p><p>{LONG}</p></div>") == [LONG, LONG]


def test_a_selected_part_of_a_block_is_cut_out() -> None:
    assert kept(f"<p>Short <em>{LONG}</em></p>") == [LONG]


@pytest.mark.parametrize("version", [1, 2])
def test_text_that_the_best_element_holds_itself_is_kept(version: int) -> None:
    page = Page(f"<body><section><div>{LONG}<p>{LONG}</p><p>{LONG}</p><p>{LONG}</p></div></section></body>")
    assert len(Eatiht(version=version).extract(page).blocks) == 4


def test_twenty_characters_are_a_label_and_twenty_one_a_text() -> None:
    assert kept(f"<p>  {'a' * 10}  {'b' * 8}. </p>") == []
    assert kept(f"<p>  {'a' * 10}  {'b' * 9}. </p>") == [f"{'a' * 10} {'b' * 9}."]


@pytest.mark.parametrize(("one", "other"), [
    ("Mr. and Mrs. Smith and Dr. Jones and Prof. Sr. and Jr. came", "He came in and sat down. Yes."),
    ('She said to them "no." and went', "He came in and sat down. Yes."),
    ("It was version 2.0.1 of it all.", "He came in and sat down. Yes."),
    ("It was so[1][2][] they said at first.", "He came in and sat down.[3] Yes."),
])  # fmt: skip
def test_counts_sentences_as_the_original(one: str, other: str) -> None:
    assert kept(f"<div><p>{one}</p></div><div><p>{other}</p></div>", every_script=False) == [other]


@pytest.mark.parametrize("number", ["[1]", "[<a href=#n>1</a>]", "<sup><a>[1]</a></sup>", "<sup>[<i>1</i>]</sup>"])
def test_a_note_between_sentences_hides_no_end(number: str) -> None:
    assert len(kept(f"<div><p>{LONG} A.</p></div><div><p>{LONG}{number} B. C.</p></div>")) == 1
    assert "C." in kept(f"<div><p>{LONG} A.</p></div><div><p>{LONG}{number} B. C.</p></div>")[0]


@pytest.mark.parametrize("text", [
    "昨天下午北京下了一场大雨，许多街道被水淹没。市政府表示，今天将派出更多工人清理道路。居民们希望交通早日恢复正常。",
    "昨日の午後、東京で大雨が降りました。「大変だ。」と市民は言いました。市は作業員を増やすと発表しました。",
    "आज शहर में बहुत तेज़ बारिश हुई। सड़कें पानी में डूब गईं। लोग घरों में रहे।",
    "هل نزل المطر على المدينة أمس؟ نعم، نزل المطر طوال الليل؟",
])  # fmt: skip
def test_every_script_has_its_sentence_marks(text: str) -> None:
    markup = f"<div><p>One sentence in the Latin script.</p></div><div><p>{text}</p></div>"
    assert kept(markup) == [text]
    assert kept(markup, every_script=False) == ["One sentence in the Latin script."]


STORY = (
    "<p>The first sentence stands here. And a second one follows.</p><p>Another paragraph of the story ends here.</p>"
)


def text_of(html: str, **options: object) -> str:
    return create_extractor("wutsi", **options).extract(Page(html)).text


def test_keeps_the_argmax_whole() -> None:
    page = f"<body><main><div>{STORY}<p>short</p></div></main><div><p>A teaser of some length, alone.</p></div></body>"
    assert text_of(page).splitlines() == [
        "The first sentence stands here. And a second one follows.",
        "Another paragraph of the story ends here.",
        "short",
    ]


def test_fuses_the_nodes_beside_the_argmax() -> None:
    more = "<section><p>What follows in the next section.</p></section>"
    page = f"<body><main><section>{STORY}</section>{more}</main><div><p>A teaser of some length.</p></div></body>"
    assert text_of(page).splitlines()[-1] == "What follows in the next section."


def test_one_long_teaser_does_not_beat_many_paragraphs() -> None:
    teaser = "<p>The first of four. The second of four. The third of four. The last of four.</p>"
    paragraphs = "".join(f"<p>Paragraph number {number} is a sentence.</p>" for number in range(8))
    page = f"<body><aside2><div>{teaser}</div></aside2><main><div>{paragraphs}</div></main></body>"
    assert len(text_of(page).splitlines()) == 8


def test_a_text_of_twenty_characters_is_long_enough() -> None:
    assert text_of(f"<div><p>{'x' * 19}.</p></div>")
    assert not text_of(f"<div><p>{'x' * 18}.</p></div>")


def test_a_part_of_a_name_hides_nothing() -> None:
    named = STORY.replace("<p>", '<p class="entry-content-read-more js-social-anchor-start">')
    assert len(text_of(f"<div>{named}</div>").splitlines()) == 2
    hidden = STORY.replace("<p>", '<p class="entry Related_Posts">')
    assert not text_of(f"<div>{hidden}</div>")


def test_does_not_see_what_cleaning_removes() -> None:
    noise = "One comment. Two comments. Three comments. Four comments. Five of them."
    page = f'<body><div>{STORY}</div><div id="comments"><p>{noise}</p></div><footer><p>{noise}</p></footer></body>'
    assert "comment" not in text_of(page)
    assert "comment" in text_of(page, cleans=False)


def test_drops_share_links_inside_the_story() -> None:
    link = '<a href="https://www.facebook.com/sharer.php?u=x">Share it on Facebook</a>'
    share = f"<p>Liked this long story? {link} today.</p>"
    assert "Share it" not in text_of(f"<body><div>{STORY}{share}</div></body>")


def test_keeps_the_images_among_the_paragraphs() -> None:
    page = Page(f'<div><img src="/a.jpg">{STORY}</div>', "https://example.com/")
    assert "https://example.com/a.jpg" not in create_extractor("wutsi").extract(page).text
    first, second = STORY.split("</p>", 1)
    page = Page(f'<div>{first}</p><img src="/a.jpg">{second}</div>', "https://example.com/")
    assert 'src="https://example.com/a.jpg"' in create_extractor("wutsi").extract(page).html


def test_a_page_without_long_text_is_empty() -> None:
    assert not create_extractor("wutsi").extract(Page("<p>Too short.</p>"))


SMALL = "<html><body><div><p>aaaa</p><p>bb</p></div><section>cccccc<p>d</p></section></body></html>"


def test_the_criteria_are_those_computed_by_hand() -> None:
    outline = Page(SMALL).outline
    assert outline.tags == ["html", "body", "div", "p", "p", "section", "p"]
    nodes = _Nodes(outline, inline_is_text=True, adds_up=False)
    assert nodes.text_children == [0, 1, 2, 0, 0, 1, 0]
    # `section` has a text-bearing child of its own, so its text is no leaf text of `body`.
    assert nodes.leaf_text == [0, 0, 4, 0, 0, 1, 0]
    assert _Nodes(outline, inline_is_text=True, adds_up=True).leaf_text == [0, 0, 6, 0, 0, 1, 0]
    # The deepest text is at depth 3, the middle at 1.5.
    assert nodes.middleness == pytest.approx([0, 2 / 3, 2 / 3, 0, 0, 2 / 3, 0])


def kept_by_criteria(markup: str, **options: float | bool | str) -> str:
    return DomCriteria(**options).extract(Page(markup)).text  # type: ignore[arg-type]


def test_the_best_on_all_three_is_the_content() -> None:
    assert kept_by_criteria(SMALL) == kept_by_criteria(SMALL, text="sum") == "aaaa\nbb"
    with pytest.raises(ValueError, match="neither 'longest' nor 'sum'"):
        kept_by_criteria(SMALL, text="most")


def test_of_equal_elements_the_first_is_taken() -> None:
    assert kept_by_criteria("<html><body><div><p>one</p></div><div><p>two</p></div></body></html>") == "one"


def test_inline_markup_is_text_or_elements() -> None:
    markup = "<div><p>Many <b>bold words</b> <i>and</i> <a>others</a> <b>are</b> <i>here</i></p><p>Not</p></div>"
    assert kept_by_criteria(markup) == "Many bold words and others are here\nNot"
    assert kept_by_criteria(markup, inline_is_text=False) == "Many bold words and others are here"


def test_text_after_the_body_is_the_content_of_a_page_without_other() -> None:
    assert kept_by_criteria("<html><body></body>Stray text</html>") == "Stray text"


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
