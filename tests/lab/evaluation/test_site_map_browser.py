"""The map of a site in a real browser: groups in colours, and a page with its template greyed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.lab.evaluation.corpora.gold_pages import GoldPage
from newsextract.lab.evaluation.site_structures import SiteStructure, read_structure, write_site_page
from newsextract.reading.extraction.page_comparison.compared_site import Method
from tests.lab.evaluation.browser import TROUBLES, Browser, needs_chromium
from tests.reading.extraction.page_comparison.conftest import body_of, front, gallery, story

if TYPE_CHECKING:
    from collections.abc import Iterator

for package in ("sklearn", "apted"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'newsextract[template]'")

pytestmark = needs_chromium

HOSTILE = "</script><img src=https://leak.invalid/a.png onerror=alert(1)>&amp;\u2028\0"


def structure(site: str) -> SiteStructure:
    stories = [
        GoldPage("news", f"{HOSTILE}{n}", story(n), "", text=body_of(n), site=site, url="javascript:alert(1)")
        for n in range(12)
    ]
    others = [GoldPage("news", f"g{n}", gallery(n), "", site=site) for n in range(5)]
    found = read_structure(site, [*stories, *others, GoldPage("news", "front", front(), "", site=site)], Method())
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = tmp_path_factory.mktemp("map") / "map.html"
    write_site_page([structure("gazette"), structure(HOSTILE)], path)
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser.open(path.as_uri())
    browser.close()


def test_renders_without_a_complaint_and_without_a_request(page: Browser) -> None:
    assert page.run("document.querySelectorAll('#map circle').length") == 17
    assert page.run("document.querySelectorAll('#map rect').length") == 1
    assert page.run("document.querySelectorAll('#map .pivot').length") == 2
    assert page.run("document.getElementById('map').clientHeight") > 100
    assert page.heard(*TROUBLES) == []
    asked = [event["request"]["url"] for event in page.heard("Network.requestWillBeSent")]
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_colours_the_groups_and_gives_the_figures_of_the_thesis(page: Browser) -> None:
    fills = page.run("[...document.querySelectorAll('#map circle')].map(el => getComputedStyle(el).fill)")
    assert len(set(fills[:12])) == len(set(fills[12:])) == 1
    assert fills[0] != fills[12]
    figures = page.run("document.getElementById('figures').textContent")
    assert "18 pages · 3 groups · 1 outliers" in figures
    assert "exactitude 100.0 %" in figures


def test_greys_the_template_of_the_page_that_is_clicked(page: Browser) -> None:
    page.run("document.querySelector('[data-page=\"3\"]').dispatchEvent(new MouseEvent('click'))")
    kept = page.run("[...document.querySelectorAll('#blocks .kept')].map(el => el.textContent).join('\\n')")
    assert kept == body_of(3)
    grey = page.run("[...document.querySelectorAll('#blocks .template')].map(el => el.textContent)")
    assert {"Section number 0 of the paper", "Share this story with your friends"} <= set(grey)
    colour = "getComputedStyle(document.querySelector('#blocks .%s')).color"
    assert page.run(colour % "template") != page.run(colour % "kept")


def test_says_what_a_point_is(page: Browser) -> None:
    page.run("document.querySelector('[data-page=\"5\"]').dispatchEvent(new MouseEvent('mouseenter'))")
    assert page.run("document.getElementById('hover').textContent").startswith("Story 5 · group ")
    assert page.run("document.querySelector('[data-page=\"5\"] title').textContent") == "Story 5"


def test_shows_another_site_with_a_hostile_name_as_text(page: Browser) -> None:
    pick = "{ const s = document.getElementById('site'); s.value = '1'; s.dispatchEvent(new Event('change')); }"
    page.run(pick)
    assert "onerror=alert(1)" in page.run("document.getElementById('site').selectedOptions[0].textContent")
    assert page.run("document.querySelectorAll('main img').length") == 0
    assert page.heard(*TROUBLES) == []
