from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.reading.metadata.precedence import BadPrecedence, read_metadata, with_overrides

_PAGE = '<meta property="og:title" content="Rain in Spain, says the social web"><h1>Rain in Spain, says Ann Lee</h1>'


def test_an_override_changes_the_order_of_one_field() -> None:
    page = Page(_PAGE)
    assert read_metadata(page).sources["headline"] == "heading"
    other_order = with_overrides({"headline": ["meta_tags", "heading"]})
    assert read_metadata(page, other_order).sources["headline"] == "meta_tags"


def test_a_field_without_sources_is_not_read() -> None:
    assert read_metadata(Page(_PAGE), with_overrides({"headline": []})).headline is None


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"title": ["heading"]}, "there is no field 'title'; the fields are headline"),
        ({"headline": ["h1"]}, "headline: no source is called 'h1'; there are json_ld"),
        ({"headline": "heading"}, "headline: 'heading' is not a list of sources"),
    ],
)
def test_a_wrong_override_says_what_would_be_right(overrides: dict[str, list[str]], message: str) -> None:
    with pytest.raises(BadPrecedence, match=message):
        with_overrides(overrides)
