"""The HTML report in a real browser: it renders, its filters work, and it sends nothing anywhere.

The map of a site in a real browser: groups in colours, and a page with its template greyed out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

from newsextract.evaluation.corpora import GoldPage
from newsextract.evaluation.report_html import write_html
from newsextract.evaluation.site_structures import SiteStructure, read_structure, write_site_page
from tests.evaluation.browser import TROUBLES, Browser, needs_chromium
from tests.reading.extraction.site_pages import body_of, front, gallery, story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from newsextract.evaluation.results import Results

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


Report: TypeAlias = "Callable[[str], Browser]"
"""Opens the report at a fragment."""


@pytest.fixture
def report(browser: Browser, results_of: Callable[..., Results], tmp_path: Path) -> Report:
    path = tmp_path / "report.html"
    write_html(results_of(60), path)
    return lambda fragment: browser.open(path.as_uri() + fragment)


def test_renders_without_a_complaint_and_without_a_request(report: Report) -> None:
    page = report("")
    assert page.run("document.querySelectorAll('#summary tbody tr').length") == 3
    assert page.run("document.querySelectorAll('#site-table tbody tr').length") == 6
    assert page.run("document.querySelectorAll('#page-table tbody tr').length") == 25
    assert page.heard(*TROUBLES) == []
    asked = [event["request"]["url"] for event in page.heard("Network.requestWillBeSent")]
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_a_fragment_sets_the_filters(report: Report) -> None:
    page = report("#extractor=eatiht&language=fr")
    assert page.run("document.getElementById('count').textContent") == "20 of 60 pages"
    assert page.run("document.querySelector('tr.on').dataset.extractor") == "eatiht"
    languages = page.run("[...document.querySelectorAll('#page-table tbody tr')].map(row => row.cells[2].textContent)")
    assert set(languages) == {"fr"}
    assert page.run("document.getElementById('summary-scope').textContent") == "20 pages (fr)"


def test_a_filter_changes_the_figures_and_the_address(report: Report, results_of: Callable[..., Results]) -> None:
    page = report("")
    pick = "const f = document.getElementById('filters').elements.corpus; f.value = 'gazette';"
    page.run(f"{{ {pick} f.dispatchEvent(new Event('input', {{ bubbles: true }})); }}")
    expected = results_of(60)["summary"]["mss"]["corpus"]["gazette"]["measures"]["token_f1"]["mean"]
    shown = "document.querySelector('#summary tr[data-extractor=mss] [data-cell=token_f1]').textContent"
    assert float(page.run(shown)) == pytest.approx(expected, abs=0.0006)
    assert page.run("location.hash") == "#corpus=gazette"


def test_combined_filters_are_computed_from_the_pages(report: Report, results_of: Callable[..., Results]) -> None:
    page = report("#corpus=gazette&language=en")
    rows = [row for row in results_of(60)["pages"] if (row["corpus"], row["language"]) == ("gazette", "en")]
    values = [float(row["scores"]["eatiht"]["token_f1"] or 0) for row in rows]
    shown = "document.querySelector('#summary tr[data-extractor=eatiht] [data-cell=token_f1]').textContent"
    assert float(page.run(shown)) == pytest.approx(sum(values) / len(values), abs=0.0011)


def test_searches_sites_sorts_and_shows_more(report: Report) -> None:
    page = report("#q=news2.example")
    assert page.run("document.getElementById('sites-count').textContent") == "1 of 1"
    page = report("")
    page.run("document.querySelector('#page-more').click()")
    assert page.run("document.querySelectorAll('#page-table tbody tr').length") == 60
    page.run("document.querySelectorAll('#site-table thead button')[0].click()")
    sites = page.run("[...document.querySelectorAll('#site-table tbody th')].map(cell => cell.textContent)")
    assert sites[1:] == sorted(sites[1:])


def test_reads_the_worst_pages_with_hostile_text_as_text(report: Report, hostile: str) -> None:
    page = report("#extractor=dom_criteria&page=courier/p1")
    assert page.run("document.querySelector('[aria-current] strong').textContent") == "0.100"
    lost = page.run("document.querySelector('.text-body mark.lost').textContent")
    assert lost == "lost" + hostile.strip("\u2028")
    noise = page.run("document.querySelector('.text-body del.noise').textContent")
    assert noise == " [noise: Subscribe to our letter!] "
    assert page.run("getComputedStyle(document.querySelector('del.noise')).textDecorationLine") == "line-through"
    assert page.run("document.querySelectorAll('#reader-page img, #reader-page script').length") == 0


def test_the_policy_refuses_what_would_leave_the_page(report: Report) -> None:
    page = report("")
    assert page.run("fetch('https://leak.invalid/').then(() => 'sent', () => 'refused')") == "refused"
    violated = """new Promise(done => {
        addEventListener('securitypolicyviolation', event => done(event.blockedURI));
        new Image().src = 'https://leak.invalid/a.png';
    })"""
    assert page.run(violated) == "https://leak.invalid/a.png"


pytest.importorskip("sklearn", reason="sklearn is not installed: pip install 'newsextract[template]'")


HOSTILE = "</script><img src=https://leak.invalid/a.png onerror=alert(1)>&amp;\u2028\0"


def structure(site: str) -> SiteStructure:
    stories = [
        GoldPage("news", f"{HOSTILE}{n}", story(n), "", text=body_of(n), site=site, url="javascript:alert(1)")
        for n in range(12)
    ]
    others = [GoldPage("news", f"g{n}", gallery(n), "", site=site) for n in range(5)]
    found = read_structure(site, [*stories, *others, GoldPage("news", "front", front(), "", site=site)], is_nested=True)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = tmp_path_factory.mktemp("map") / "map.html"
    write_site_page([structure("gazette"), structure(HOSTILE)], path)
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser.open(path.as_uri())
    browser.close()


def test_the_map_renders_without_a_complaint_and_without_a_request(page: Browser) -> None:
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
