from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from newsextract import Page, create_extractor, extractor_names
from newsextract.page.blocks import wutsi_rule
from newsextract.page.page import SiteEvidence
from newsextract.reading.extraction.contract import BadExtractorOption

PAGE = """<html><body><header><p>Masthead</p></header><div class="post related_posts"><p>Related</p></div>
<p>Story <a href="https://twitter.com/intent/tweet?x">Tweet</a> goes on.</p><p class="footnote">Note</p>
<div id="sidebar"><p>Side</p></div><form><p>Form</p></form></body></html>"""


def test_masks_useless_sections_and_leaves_the_page_as_it_is() -> None:
    page = Page(PAGE)
    before = etree.tostring(page.tree), [block.text for block in page.blocks]
    assert [block.text for block in page.masked(wutsi_rule).blocks] == ["Story goes on.", "Note"]
    assert before == (etree.tostring(page.tree), [block.text for block in page.blocks])


def test_a_masked_block_lies_where_it_lay() -> None:
    page = Page(PAGE)
    places = {block.text: (block.start, block.stop) for block in page.blocks}
    masked = {block.text: (block.start, block.stop) for block in page.masked(wutsi_rule).blocks}
    assert masked["Note"] == places["Note"]
    assert masked["Story goes on."] == places["Story Tweet goes on."]


def test_a_mask_that_removes_nothing_changes_nothing() -> None:
    page = Page("<p>one <b>two</b><br><script>x</script></p><p>&shy;</p><p>three</p>")
    seen = page.masked(lambda _tag, _element: False)
    assert seen.outline.tags_before == page.outline.tags_before
    assert [(b.text, b.start) for b in seen.blocks] == [(b.text, b.start) for b in page.blocks]


def test_masked_tags_do_not_count() -> None:
    page = Page(f"<p>{'one two three four ' * 5}</p><nav>{'<i></i>' * 50}</nav><p>{'five six seven ' * 5}</p>")
    assert len(create_extractor("mss").extract(page).blocks) == 1
    assert len(create_extractor("mss", cleaning="wutsi").extract(page).blocks) == 2


@pytest.mark.parametrize("name", extractor_names())
def test_can_stand_in_front_of_any_extractor(name: str) -> None:
    extraction = create_extractor(name, cleaning="wutsi").extract(Page(PAGE))
    assert "Masthead" not in extraction.text
    assert "Side" not in extraction.text


def test_an_unknown_mask_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(BadExtractorOption, match="wutsi"):
        create_extractor("mss", cleaning="soap")


@pytest.mark.parametrize("name", ["site_memory", "template"])  # the second is the former name
def test_the_memory_of_a_site_hides_the_blocks_that_its_pages_repeat(name: str) -> None:
    page = Page("<p>Story</p><p>Imprint</p>")
    page.evidence = SiteEvidence(np.array([False, True]), np.zeros(2))
    assert create_extractor("everything", cleaning=name).extract(page).text == "Story"
    assert create_extractor("everything", cleaning=name).extract(Page("<p>Imprint</p>")).text == "Imprint"
