from __future__ import annotations

import numpy as np
import pytest

from newsextract.page.page import Page, SiteEvidence
from newsextract.reading.metadata.places import path_of
from newsextract.reading.metadata.precedence import read_metadata

_BODY = "<title>Rain in Spain</title><h1>Rain in Spain</h1>" + "<p>It rains and rains in Spain.</p>" * 20
_FOOT = "<div class=signed><i>4 May 2023</i><b>Ann Lee</b></div><div class=other><i>5 May 2023</i><b>Bo Chen</b></div>"


def _page(places: dict[str, str]) -> Page:
    page = Page(f"<html lang=en><body>{_BODY}{_FOOT}", "https://plain.example/rain")
    blocks = len(page.outline.table.texts)
    page.evidence = SiteEvidence(np.zeros(blocks, bool), np.zeros(blocks), places)
    return page


def _place(tag: str) -> str:
    outline = _page({}).outline
    return path_of(outline, outline.tags.index(tag))


def test_reads_the_date_and_the_author_where_the_site_has_them() -> None:
    # The elements of the line's own: a block belongs to what holds it.
    place = _place("div")
    found = read_metadata(_page({"date": place, "author": place}))
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "site_places")


@pytest.mark.parametrize("places", [{}, {"date": "div.elsewhere", "author": ""}])
def test_without_a_known_place_it_says_nothing(places: dict[str, str]) -> None:
    found = read_metadata(_page(places))
    assert "site_places" not in found.sources.values()
