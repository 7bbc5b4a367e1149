from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction import template as compared_site
from newsextract.reading.extraction.contract import BadExtractorOption, create_extractor
from newsextract.reading.extraction.template import (
    NO_MAPPING,
    OUTLIER,
    TOO_FEW,
    Method,
    SiteTemplate,
)
from tests.reading.extraction.page_comparison.conftest import body_of, front, gallery, story

if TYPE_CHECKING:
    from collections.abc import Callable

    Pages = Callable[..., list[Page]]

for package in ("sklearn", "apted"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'newsextract[template]'")

AWKWARD = (
    "", "<p>a", "<script>a</script>", "<body>" + "<div class=a><p>deep</p>" * 1_500, "<table><tr><td>a<td>b</table>",
    "<frameset><frame src=a></frameset>", "<div>" + "<p>word word</p>" * 500, "<ul>" + "<li>a</li>" * 50, "<p>\u200b",
    "<div class=comments><p>only this</p></div>", "<b>b</b>", "<html></html>after",
)  # fmt: skip


@pytest.mark.parametrize(
    "method",
    [
        Method(),
        Method("share"),
        Method(vote=True),
        Method("share", vote=True),
        Method(shares="own"),
        Method(distance="edit"),
    ],
)
def test_finds_the_body_of_every_story_and_nothing_else(pages: Pages, method: Method) -> None:
    made = pages(12, 4)
    site = SiteTemplate(made, method)
    assert [site.extract(page).text for page in made[:12]] == [body_of(number) for number in range(12)]


def test_reads_a_page_that_it_was_not_given(pages: Pages) -> None:
    site = SiteTemplate(pages(12))
    assert site.extract(Page(story(50))).text == body_of(50)


def test_an_outlier_is_left_alone(pages: Pages) -> None:
    made = pages(12, with_front=True)
    found = SiteTemplate(made).extract(made[-1])
    assert not found
    assert found.warnings == (OUTLIER,)


def test_two_copies_of_a_story_are_no_pair(pages: Pages) -> None:
    made = [*pages(11), *(Page(story(3), f"https://news.example/again/{n}") for n in range(3))]
    site = SiteTemplate(made)
    assert all(site.extract(page).text == body_of(3) for page in made[11:])


def test_two_copies_alone_in_their_group_are_no_pair(pages: Pages) -> None:
    made = [*pages(12), Page(gallery(1)), Page(gallery(1))]
    site = SiteTemplate(made)
    assert site.grouping.members(site.grouping.groups[12]) == (12, 13)
    assert site.pair(12) not in (None, 12, 13)


def test_needs_five_pages_of_the_site(pages: Pages) -> None:
    made = pages(4)
    found = create_extractor("template").fit(made).extract(made[0])  # type: ignore[attr-defined]
    assert found.warnings == create_extractor("template").extract(made[0]).warnings == (TOO_FEW,)
    assert not found


def test_two_runs_agree_and_edit_nothing(pages: Pages) -> None:
    texts = []
    for _ in range(2):
        made = pages(12, 5, with_front=True)
        site = SiteTemplate(made, Method(vote=True))
        texts.append([site.extract(page).text for page in made])
        assert [page.html for page in made] == [page.html for page in pages(12, 5, with_front=True)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("method", [Method(), Method(vote=True), Method(mapping=True)])
def test_takes_awkward_pages(method: Method) -> None:
    made = [Page(markup, f"https://news.example/{n}") for n, markup in enumerate(AWKWARD)]
    site = SiteTemplate(made, method)
    for page in made:
        found = site.extract(page)
        assert bool(found) == bool(found.text)
        assert len(site.states(page, found.blocks)) == len(page.blocks)


def test_the_mapping_weighs_the_tokens_that_differ() -> None:
    def page(words: str) -> Page:
        return Page(f"<body><div class=menu><a>home news sport</a></div><div class=body><p>{words}<p>{words} too</div>")

    made = [page(f"rain fell {n} on the town {n} {n} again") for n in range(12)]
    found = SiteTemplate(made, Method(mapping=True)).extract(made[4])
    assert "rain fell 4" in found.text
    assert "home" not in found.text


def test_the_mapping_is_for_small_pages() -> None:
    made = [Page(story(n) + "<p>word</p>" * 400) for n in range(12)]
    assert SiteTemplate(made, Method(mapping=True)).extract(made[0]).warnings == (NO_MAPPING,)


def test_says_what_became_of_each_block(pages: Pages) -> None:
    made = pages(12)
    site = SiteTemplate(made)
    states = dict(
        zip((block.text for block in made[0].blocks), site.states(made[0], site.extract(made[0]).blocks), strict=True)
    )
    assert states["Section number 3 of the paper"] == states["Share this story with your friends"] == "template"
    assert states[body_of(0).splitlines()[0]] == "kept"
    assert next(state for text, state in states.items() if text.startswith("Headline 0")) == "differs"


@pytest.mark.parametrize(
    "options", [{"choice": "third"}, {"min_share": 1.5}, {"vote": "yes"}, {"shares": "all"}, {"distance": "tree"}]
)
def test_refuses_a_wrong_option(options: dict[str, object]) -> None:
    with pytest.raises(BadExtractorOption, match="template"):
        create_extractor("template", **options)


def test_the_front_page_is_no_story() -> None:
    assert not SiteTemplate([Page(front())] * 3).extract(Page(front()))


def test_galleries_are_left_out_as_comments_are() -> None:
    captions = "".join(f"<p>A picture of the harvest, number {{0}} {n}, with many words</p>" for n in range(40))
    made = [
        Page(
            story(n).replace(
                "<div class=related>", f"<div class='photo-gallery'>{captions.format(n)}</div><div class=related>"
            )
        )
        for n in range(12)
    ]
    site = SiteTemplate(made)
    found = {number: site.extract(page).text for number, page in enumerate(made) if site.pair(number) is not None}
    assert len(found) > 9
    assert found == {number: body_of(number) for number in found}


def test_pages_that_are_too_large_for_edits_are_compared_by_their_pq_grams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_site, "MAX_FORESTS", 10)
    made = [Page(story(n)) for n in range(6)]
    by_edits, by_grams = (SiteTemplate(made, Method(distance=name)).grouping for name in ("edit", "pqgrams"))
    assert (by_edits.distances == by_grams.distances).all()
