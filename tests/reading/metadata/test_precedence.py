from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.reading.metadata import PRECEDENCE, BadPrecedence, read_metadata, with_overrides
from newsextract.reading.metadata.field_checks import CHECKS
from newsextract.reading.metadata.source_list import SOURCES

_PAGE = '<meta property="og:title" content="Rain in Spain, says the social web"><h1>Rain in Spain, says Ann Lee</h1>'


def test_every_field_of_the_table_has_its_judge_and_its_sources() -> None:
    assert PRECEDENCE.keys() == CHECKS.keys()
    assert {name for names in PRECEDENCE.values() for name in names} == SOURCES.keys()


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
        ({"headline": "heading"}, "headline: 'heading' is no list of sources"),
    ],
)
def test_a_wrong_override_says_what_would_be_right(overrides: dict[str, list[str]], message: str) -> None:
    with pytest.raises(BadPrecedence, match=message):
        with_overrides(overrides)
