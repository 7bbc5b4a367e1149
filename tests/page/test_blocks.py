"""Blocks of a page, masks over them, and the images beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from newsextract.page.blocks import wutsi_rule
from newsextract.page.media import images_among
from newsextract.page.outline import nest
from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import BadExtractorOption

if TYPE_CHECKING:
    from collections.abc import Callable

    PageOf: TypeAlias = Callable[[str], Page]


def texts(markup: str) -> list[str]:
    return [block.text for block in Page(markup).blocks]


@pytest.mark.parametrize(("markup", "expected"), [
    ("<p>one<br>two</p>", ["one two"]),
    ("<p>one<br><br>two</p>", ["one", "two"]),
    ("<p>one<br> \n <br>two</p>", ["one", "two"]),
    ("<p>one<br><b><br></b>two</p>", ["one", "two"]),
    ("<p>one<br>two<br>three</p>", ["one two three"]),
    ("<p><br><br><br>one<br><br></p>", ["one"]),
    ("<p>one<br><br><br><br>two<br>three</p>", ["one", "two three"]),
    ("<p>one<br><br></p>two<br>three", ["one", "two three"]),
])  # fmt: skip
def test_two_line_breaks_in_a_row_end_a_block(markup: str, expected: list[str]) -> None:
    assert texts(markup) == expected


@pytest.mark.parametrize(("markup", "expected"), [
    ("<body>one<p>two</p>three</body>", ["one", "two", "three"]),
    ("<table><tr><td>one<p>two</p>three</td><td>four</td></tr></table>", ["one", "two", "three", "four"]),
    ("<div>one<div>two</div>three</div>", ["one", "two", "three"]),
    ("<html><body><p>one</p></body>two</html>", ["one", "two"]),
    ("<html></html>one<p>two</p>", ["one", "two"]),
    ("<html><head></head></html><body><p>one</p></body>", ["one"]),
    ("one<hr>two", ["one", "two"]),
    ("<ul><li>one<li>two</ul>", ["one", "two"]),
    ("<dl><dt>one<dd>two</dl>", ["one", "two"]),
])  # fmt: skip
def test_text_straight_under_a_container_makes_blocks(markup: str, expected: list[str]) -> None:
    assert texts(markup) == expected


@pytest.mark.parametrize(("markup", "expected"), [
    ("<p>un<b>believ</b><i>able</i></p>", ["unbelievable"]),
    ("<p>one <a href=x>two</a> three</p>", ["one two three"]),
    ("<p>one<!-- a comment --> two<?php echo 1 ?> three</p>", ["one two three"]),
    ("<p>one<span> </span>two</p>", ["one two"]),
    ("<p>one<img src=a.png>two</p>", ["onetwo"]),
    ("<p>\n\t one \n\n two \xa0 three&nbsp;</p>", ["one two three"]),
    ("<p>news&shy;paper zero\u200bwidth \ufeffmark</p>", ["newspaper zerowidth mark"]),
    ("<p>&shy;</p><p>\u200b</p><p>&nbsp;</p>", []),
    ("<p>a<div>b</div>c</p>", ["a", "b", "c"]),
])  # fmt: skip
def test_inline_tags_join_and_white_space_folds(markup: str, expected: list[str]) -> None:
    assert texts(markup) == expected


@pytest.mark.parametrize("hidden", [
    *(f"<{tag}>hidden</{tag}>" for tag in ("script", "style", "noscript", "template", "title", "textarea")),
    "<svg><text>hidden</text></svg>",
    "<svg><g><title>hidden</title></g></svg>",
    "<b hidden>hidden</b>",
    "<b hidden='until-found'>hidden</b>",
    "<div hidden><p>hid<b>den</b></p><br><br>hidden</div>",
    "<b style='display:none'>hidden</b>",
    "<b STYLE='COLOR: red; DISPLAY : NONE !important'>hidden</b>",
    "<b style='visibility:\n hidden;'>hidden</b>",
    "<div style='display:none'><p>hidden</p></div>",
])  # fmt: skip
def test_what_is_hidden_bears_no_text_and_interrupts_nothing(hidden: str) -> None:
    assert texts(f"<body><div>be{hidden}fore</div></body>") == ["before"]


@pytest.mark.parametrize(
    "style", ["backface-visibility: hidden", "display: block", "--my-display:none", "color: red", "overflow: hidden"]
)
def test_styles_that_hide_nothing_keep_the_text(style: str) -> None:
    assert texts(f"<p style='{style}'>shown</p>") == ["shown"]


def test_the_page_itself_is_never_hidden() -> None:
    assert texts("<html hidden style='display:none'><body hidden style='visibility:hidden'><p>shown</p>") == ["shown"]


def test_a_block_knows_its_element_tag_and_path(page: PageOf) -> None:
    (block,) = page("<body><div><p><b>Only</b> text</p></div>").blocks
    assert (block.tag, block.path, block.element.tag) == ("p", "html/body/div/p", "p")


def test_counts_the_characters_inside_links(page: PageOf) -> None:
    linked, mixed, plain = page("<p><a href=x>abc</a></p><p>ab <a href=x>cd</a></p><p><a name=x>ab</a></p>").blocks
    assert [linked.link_chars, mixed.link_chars, plain.link_chars] == [3, 2, 0]
    assert [linked.link_density, mixed.link_density, plain.link_density] == [1.0, 0.4, 0.0]


def test_a_link_around_blocks_covers_them_all(page: PageOf) -> None:
    assert [b.link_density for b in page("<a href=x><h3>Title</h3><p>Teaser</p></a><p>Text</p>").blocks] == [1, 1, 0]


def test_a_block_can_be_cut_between_its_runs(page: PageOf) -> None:
    first, second = page("<p>one <b>two</b> three</p><p>four</p>").blocks
    assert (first.start, first.stop, second.stop) == (0, 3, 4)
    assert [first.cut(0, 3).text, first.cut(1, 9).text, first.cut(0, 2).text] == [
        "one two three",
        "two three",
        "one two",
    ]
    assert first.cut(0, 3) == first
    assert first.cut(1, 3) != first
    assert [b.text for b in first.outline.blocks_between(2, 4)] == ["three", "four"]
    assert first.outline.blocks_between(0, 4) == (first, second)
    assert first.outline.blocks_between(2, 2) == ()


@pytest.mark.parametrize("tag", ["div", "p", "span", "b", "ul", "blockquote", "table", "a", "font", "li", "q"])
@pytest.mark.parametrize("is_closed", [True, False])
def test_no_text_is_lost_in_100_000_nested_tags(tag: str, is_closed: bool) -> None:
    depth = 100_000
    inside = "".join(f"<{tag}>w{level} " for level in range(depth))
    after = "".join(f"</{tag}>v{level} " for level in range(depth)) if is_closed else ""
    # The texts that blocks are made of, without making 200,000 blocks, which other tests do.
    words = " ".join(Page(f"<body>{inside}{after}").outline.table.texts).split()
    expected = [f"w{level}" for level in range(depth)] + [f"v{level}" for level in range(depth if is_closed else 0)]
    assert sorted(words) == sorted(expected)
    assert words == expected or tag == "table"  # text beside cells moves in front of its table


def test_counts_the_runs_and_the_tags_before_them(page: PageOf) -> None:
    outline = page("<html><body>a<p>b<br>c<script>no</script><a href=x>d</a></p> e <!-- c --></body></html>").outline
    assert outline.tags == ["html", "body", "p", "br", "script", "a"]
    assert outline.runs == ["a", "b", "\u2028c", "d", " e "]
    assert outline.holders == [1, 2, 2, 5, 1]
    assert outline.tags_before == [2, 3, 4, 5, 7]
    assert [outline.runs_of(element) for element in range(6)] == [(0, 5), (0, 5), (1, 4), (2, 2), (3, 3), (3, 4)]


def test_what_ought_to_be_void_may_hold_text_for_the_parser() -> None:
    assert texts("<p>one<wbr>two</wbr>three</p>") == ["onetwothree"]


def test_an_article_that_hides_more_running_text_than_the_page_shows_is_shown_whole() -> None:
    story = "<p>The council voted on Tuesday to close the old bridge, which has carried trams since 1911.</p>"
    shown = "<p>Subscribe to read on: the first month is free, and you can leave whenever you want to.</p>"
    rest = f"<div style='display:none'>{story * 3}<script>let a</script></div>"
    assert len(Page(f"<body><article>{shown}{rest}</article></body>").blocks) == 4
    assert len(Page(f"<body><article>{shown}</article>{rest}</body>").blocks) == 1
    in_part = Page(f"<main>{story * 3}<div hidden>{shown}</div></main>")
    assert len(in_part.blocks) == 3
    menu = (
        "<ul hidden>"
        + "<li><a href=/>A section of the paper with a name that is as long as a sentence is</a>" * 9
        + "</ul>"
    )
    assert len(Page(f"<main>{story}{menu}</main>").blocks) == 1


def test_what_is_for_readers_without_scripts_is_read_where_it_is_more_than_the_page_shows() -> None:
    story = "<p>The council voted on Tuesday to close the old bridge, which has carried trams since 1911.</p>"
    assert len(Page(f"<body><p>Loading</p><noscript>{story * 2}</noscript></body>").blocks) == 3
    assert len(Page(f"<body>{story * 2}<noscript>{story}</noscript></body>").blocks) == 2


PAGE = """<html><body><header><p>Masthead</p></header><div class="post related_posts"><p>Related</p></div>
<p>Story <a href="https://twitter.com/intent/tweet?x">Tweet</a> goes on.<a rel="external tag" href=/rain>Rain</a></p>
<p class="footnote">Note</p>
<div id="sidebar"><p>Side</p></div><form><p>Form</p></form></body></html>"""


def test_masks_useless_sections_and_leaves_the_page_as_it_is() -> None:
    page = Page(PAGE)
    before = etree.tostring(page.tree), [block.text for block in page.blocks]
    assert [block.text for block in page.masked(wutsi_rule).blocks] == ["Story goes on.", "Note"]
    assert before == (etree.tostring(page.tree), [block.text for block in page.blocks])


def test_a_header_with_all_of_the_text_was_never_closed() -> None:
    page = Page(f"<body><header><div><b>Masthead</b></header>{'<p>The story goes on.</p>' * 9}<nav>Menu</nav></body>")
    assert [block.text for block in page.masked(wutsi_rule).blocks] == ["Masthead", *["The story goes on."] * 9]


def test_an_unknown_mask_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(BadExtractorOption, match="wutsi"):
        create_extractor("mss", cleaning="soap")


_TREES = st.recursive(st.just(()), lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=40)


def _grow(root: etree._Element, children: tuple[object, ...]) -> None:
    for inner in children:
        assert isinstance(inner, tuple)
        _grow(etree.SubElement(root, "x"), inner)


@given(_TREES, st.data())
def test_agrees_with_a_walk_through_the_tree(children: tuple[object, ...], data: st.DataObject) -> None:
    root = etree.Element("x")
    _grow(root, children)
    elements = list(root.iter())
    nesting = nest([len(element) for element in elements])
    walked = [(event, elements.index(element)) for event, element in etree.iterwalk(root, events=("start", "end"))]
    for number, element in enumerate(elements):
        parent = element.getparent()
        assert nesting.parents[number] == (-1 if parent is None else elements.index(parent))
        assert nesting.stops[number] == number + len(list(element.iter()))
        assert walked[nesting.opened[number]] == ("start", number)
        assert walked[nesting.closed[number]] == ("end", number)

    chosen = data.draw(st.lists(st.booleans(), min_size=len(elements), max_size=len(elements)))
    lineages = [[elements.index(around) for around in (element, *element.iterancestors())] for element in elements]
    assert nesting.inside(np.array(chosen)).tolist() == [any(chosen[e] for e in lineage) for lineage in lineages]
    nearest = [next((e for e in lineage if chosen[e]), 0) for lineage in lineages]
    assert nesting.nearest(np.array(chosen)).tolist() == nearest


HOST = "https://news.example"


def addresses(markup: str, keep: str = "") -> list[str]:
    """Return the images among the blocks that contain `keep`."""
    blocks = [block for block in Page(markup, f"{HOST}/a/").blocks if keep in block.text]
    return [picture.url.removeprefix(HOST) for picture in images_among(blocks)]


@pytest.mark.parametrize(("attributes", "expected"), [
    ("src=i.jpg", ["/a/i.jpg"]),
    ("src=data:image/gif;base64,R0 data-src=/real.jpg", ["/real.jpg"]),
    ("src=/blank.gif data-original=/real.jpg", ["/real.jpg"]),
    ("src=/blank.gif data-lazy-src=/real.jpg", ["/real.jpg"]),
    ("srcset='/small.jpg 300w, /big.jpg 900w'", ["/small.jpg"]),
    ("data-srcset='\n /small.jpg\n 300w,\n /big.jpg 900w'", ["/small.jpg"]),
    ("srcset='/only.jpg, '", ["/only.jpg"]),
    ("src=/i.jpg width=600 height=400px", ["/i.jpg"]),
    ("src=/i.jpg width=100% height=auto", ["/i.jpg"]),
    ("src=/i.jpg width=1 height=1", []),
    ("src=/i.jpg width=49px", []),
    ("src=/i.jpg width=0", []),
    ("src=/i.jpg style='display: none'", []),
    ("src=/i.jpg hidden", []),
    ("src=data:image/png;base64,R0", []),
    ("src=javascript:x", []),
    ("src=mailto:a@b.example", []),
    ("src='http://[x'", []),
    ("src=https://:0", []),
    ("src=''", []),
    ("", []),
])  # fmt: skip
def test_finds_the_address_of_a_picture_worth_showing(attributes: str, expected: list[str]) -> None:
    assert addresses(f"<p>before</p><img {attributes}><p>after</p>") == expected


def test_takes_the_image_that_leads_the_article() -> None:
    markup = "<p>menu</p><article><figure><img src=/lead.jpg><figcaption>Cap</figcaption></figure><p>kept</p></article>"
    assert addresses(markup, "kept") == ["/lead.jpg"]
    assert addresses(markup.replace("<figcaption>Cap</figcaption>", ""), "kept") == ["/lead.jpg"]


def test_leaves_images_whose_neighbours_were_left() -> None:
    markup = "<div><p>kept</p><img src=/ours.jpg></div><aside><img src=/ad.jpg>buy</aside><div><p>kept too</p></div>"
    assert addresses(markup, "kept") == ["/ours.jpg"]


def test_leaves_images_far_from_the_article() -> None:
    assert addresses("<img src=/logo.png><p>menu</p><p>kept</p><p>foot</p><img src=/seal.png>", "kept") == []


@pytest.mark.parametrize(("link", "is_shown"), [
    ("href=https://www.facebook.com/share.php", False),
    ("href=https://click.cdn.example/b rel='noopener nofollow'", False),
    ("href=https://photos.cdn.example/1", True),
    ("href=/big.jpg rel=nofollow", True),
    ("href='http://[x'", True),
])  # fmt: skip
def test_leaves_pictures_behind_the_text_that_lead_to_other_sites(link: str, is_shown: bool) -> None:
    picture = f"<a {link}><img src=https://cdn.example/i.png></a>"
    shown = ["https://cdn.example/i.png"]
    assert addresses(f"<div><p>kept</p>{picture}</div>") == (shown if is_shown else [])
    assert addresses(f"<div><p>kept</p>{picture}<p>kept too</p></div>") == shown
    figure = f"<figure>{picture}<figcaption>Cap</figcaption></figure>"
    assert addresses(f"<div><p>kept</p>{figure}</div>", "kept") == shown


def test_leaves_adverts_behind_the_text_of_pages_without_an_address() -> None:
    markup = "<div><p>kept</p><a href=https://ad.example/ rel=sponsored><img src=https://ad.example/i.png></a></div>"
    assert images_among(Page(markup).blocks) == []
    assert images_among(Page(markup.replace("rel=sponsored", "")).blocks) != []


def test_what_only_screen_readers_read_is_no_caption() -> None:
    caption = "<figcaption><h2 class='element-invisible'>rain.jpg</h2><p>Rain, seen from <b>above</b></p></figcaption>"
    found = images_among(Page(f"<p>a</p><figure><img src=/i.jpg>{caption}</figure><p>b</p>", HOST).blocks)
    assert [block.text for block in found[0].captions] == ["Rain, seen from above"]


def test_shows_an_image_once() -> None:
    lazy = "<img src=data:x data-src=/i.jpg><noscript><img src=/i.jpg></noscript>"
    assert addresses(f"<p>a {lazy} b</p>") == ["/i.jpg"]


def test_gives_a_picture_the_captions_of_its_own_figure(page: PageOf) -> None:
    figures = (
        "<p>a</p><figure><figure><img src=/1.jpg alt=' One \n 1 '><figcaption>one</figcaption></figure>"
        "<figure><img src=/2.jpg><figcaption>two</figcaption></figure><figcaption>both</figcaption></figure><p>b</p>"
    )
    first, second = images_among(page(figures).blocks)
    assert ([c.text for c in first.captions], first.alt) == (["one"], "One 1")
    assert [c.text for c in second.captions] == ["two"]
