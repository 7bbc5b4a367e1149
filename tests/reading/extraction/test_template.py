"""The extractor `template`: pages of one site are grouped by structure, and what differs in a pair is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.extraction.template import OUTLIER, TOO_FEW, SiteTemplate, distance, group_pages, profile
from tests.reading.extraction.site_pages import body_of, front, gallery, story

if TYPE_CHECKING:
    from newsextract.reading.extraction.template import Profile

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'newsextract[evaluate]'")

AWKWARD = (
    "", "<p>a", "<script>a</script>", "<body>" + "<div class=a><p>deep</p>" * 1_500, "<table><tr><td>a<td>b</table>",
    "<frameset><frame src=a></frameset>", "<div>" + "<p>word word</p>" * 500, "<ul>" + "<li>a</li>" * 50, "<p>\u200b",
    "<div class=comments><p>only this</p></div>", "<b>b</b>", "<html></html>after",
)  # fmt: skip


def some_pages(stories: int, galleries: int = 0, *, with_front: bool = False) -> list[Page]:
    """Make the pages of a site: stories, then galleries, then the front page if wanted."""
    markup = [*map(story, range(stories)), *map(gallery, range(galleries)), *([front()] if with_front else [])]
    return [Page(text, f"https://news.example/{place}") for place, text in enumerate(markup)]


def profiles_of(pages: list[Page]) -> list[Profile]:
    return [profile(page.outline.tags, page.outline.parents) for page in pages]


def test_finds_the_body_of_every_story_and_nothing_else() -> None:
    made = some_pages(12, 4, with_front=True)
    html = [page.html for page in made]
    site = SiteTemplate(made)
    assert [site.extract(page).text for page in made[:12]] == [body_of(number) for number in range(12)]
    assert site.extract(Page(story(50))).text == body_of(50), "a page that it was not given"
    assert site.extract(made[-1]).warnings == (OUTLIER,)
    assert not site.extract(made[-1])
    states = dict(
        zip((block.text for block in made[0].blocks), site.states(made[0], site.extract(made[0]).blocks), strict=True)
    )
    assert states["Section number 3 of the paper"] == states["Share this story with your friends"] == "template"
    assert states[body_of(0).splitlines()[0]] == "kept"
    assert next(state for text, state in states.items() if text.startswith("Headline 0")) == "differs"
    assert [page.html for page in made] == html


def test_two_copies_of_a_story_are_no_pair() -> None:
    made = [*some_pages(11), *(Page(story(3), f"https://news.example/again/{n}") for n in range(3))]
    site = SiteTemplate(made)
    assert all(site.extract(page).text == body_of(3) for page in made[11:])
    alone = SiteTemplate([*some_pages(12), Page(gallery(1)), Page(gallery(1))])
    assert alone.grouping.members(alone.grouping.groups[12]) == (12, 13)
    assert alone.pair(12) not in (None, 12, 13)


def test_needs_five_pages_of_the_site() -> None:
    made = some_pages(4)
    found = create_extractor("template").fit(made).extract(made[0])  # type: ignore[attr-defined]
    assert found.warnings == create_extractor("template").extract(made[0]).warnings == (TOO_FEW,)
    assert not found


def test_takes_awkward_pages() -> None:
    made = [Page(markup, f"https://news.example/{n}") for n, markup in enumerate(AWKWARD)]
    site = SiteTemplate(made)
    for page in made:
        found = site.extract(page)
        assert bool(found) == bool(found.text)
        assert len(site.states(page, found.blocks)) == len(page.blocks)


def test_galleries_are_left_out_as_comments_are() -> None:
    captions = "".join(f"<p>A picture of the harvest, number {{0}} {n}, with many words</p>" for n in range(40))
    related = "<div class=related>"
    made = [
        Page(story(n).replace(related, f"<div class='photo-gallery'>{captions.format(n)}</div>{related}"))
        for n in range(12)
    ]
    site = SiteTemplate(made)
    found = {number: site.extract(page).text for number, page in enumerate(made) if site.pair(number) is not None}
    assert len(found) > 9
    assert found == {number: body_of(number) for number in found}


def test_pages_of_a_layout_are_a_group_and_are_paired_with_its_pivot() -> None:
    found = group_pages(profiles_of(some_pages(9, 5, with_front=True)))
    assert len(set(found.groups[:9])) == len(set(found.groups[9:14])) == 1
    assert len(set(found.groups)) == 3
    assert found.outliers == (14,)
    for page, pair in enumerate(found.pairs[:14]):
        assert pair not in (None, page)
        assert pair is not None
        assert found.groups[pair] == found.groups[page]
        assert pair in found.pivots or page in found.pivots


def test_many_pages_join_the_pivots_of_a_sample_the_same_in_each_run() -> None:
    profiles = profiles_of(some_pages(80, 40))
    found, again = group_pages(profiles), group_pages(profiles)
    assert set(found.groups[:80]).isdisjoint(found.groups[80:])
    assert not found.outliers
    assert np.isfinite(found.points).all()
    assert (found.groups, found.pivots, found.pairs) == (again.groups, again.pivots, again.pairs)
    assert (found.points == again.points).all()


@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_few_pages_and_equal_ones_are_one_group(count: int) -> None:
    found = group_pages([profile(["html", "body", "p"], [-1, 0, 1])] * count)
    assert found.groups == (0,) * count
    assert len(found.outliers) == (count == 1)


def test_gives_the_distance_of_the_paper_example() -> None:
    one, other = (profile(["a", "a", "e", "b", "b", last], [-1, 0, 1, 1, 0, 0]) for last in "cx")
    assert (one.total(), other.total()) == (13, 13)
    assert distance(one, other) == pytest.approx(1 - 2 * 9 / 26)
    assert distance(one, one) == 0
    assert distance(profile(["html"], [-1]), profile(["p"], [-1])) == 1
