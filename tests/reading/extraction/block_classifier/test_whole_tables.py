"""Tables of data of which some blocks are kept."""

from __future__ import annotations

import pytest

from newsextract import Page
from newsextract.reading.extraction.block_classifier.selection import with_whole_tables

ROWS = "".join(f"<tr><td>a{number}<td>b{number}" for number in range(4))


def completed(markup: str, *kept: str) -> list[str]:
    """Return the texts that are kept in the end, of a page of which these are kept."""
    blocks = [block for block in Page(markup).blocks if block.text in kept]
    return [block.text for block in with_whole_tables(blocks)]


@pytest.mark.parametrize("sign", ["<caption>c</caption>", "<tr><th>c<th>d"])
def test_of_a_table_of_data_inside_the_text_no_cell_stands_alone(sign: str) -> None:
    page = f"<p>before</p><table>{sign}{ROWS}</table><p>after</p>"
    assert completed(page, "before", "b2", "after")[1:4] in (["c", "a0", "b0"], ["c", "d", "a0"])
    # Not at the end of the text, where the table may be of something else.
    assert completed(page, "before", "b2") == ["before", "b2"]
    assert completed(page, "before", "after") == ["before", "after"]


def test_a_table_without_a_sign_of_data_needs_a_third_of_its_blocks() -> None:
    page = f"<p>before</p><table>{ROWS}</table><p>after</p>"
    assert completed(page, "before", "b2", "after") == ["before", "b2", "after"]
    assert len(completed(page, "before", "a1", "b1", "b2", "after")) == 10


def test_a_table_for_layout_is_left_as_it_is() -> None:
    page = f"<p>before</p><table role=presentation><tr><th>c<th>d{ROWS}</table><p>after</p>"
    assert completed(page, "before", "b2", "after") == ["before", "b2", "after"]
