"""The HTML reports in a real browser: they render, their scripts work, and they send nothing anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.evaluation.corpora import GoldPage
from newsextract.evaluation.report_tables import html_report
from newsextract.evaluation.site_structures import read_structure, readable, write_site_page
from newsextract.page.page import Page
from newsextract.settings import find_browser
from newsextract.tools.evaluate import compare_page, report_page
from tests.reading.extraction.site_pages import body_of, front, gallery, story
from tests.tools.extractors import EXTRACTORS, STORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from newsextract.evaluation.results import Results

playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'newsextract[render]'")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser(None) is None, reason="no Chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=find_browser(None), args=["--no-sandbox"])


def in_silence(browser: Any, path: Path) -> Any:
    """Open a file, which must neither complain nor ask for anything, though all would be answered."""
    page, heard = browser.new_page(), list[str]()
    page.route("http*://**", lambda route: route.fulfill(headers={"Access-Control-Allow-Origin": "*"}))
    page.on("request", lambda request: heard.append(request.url))
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.goto(path.as_uri())
    assert [each for each in heard if not each.startswith(("file:", "data:"))] == []
    assert heard
    return page


def test_the_report_shows_tables_that_can_be_sorted_and_texts(
    browser: Any, results_of: Callable[..., Results], tmp_path: Path, hostile: str
) -> None:
    (tmp_path / "report.html").write_text(html_report(results_of(60)), "utf-8")
    page = in_silence(browser, tmp_path / "report.html")
    names = "[...document.querySelectorAll('#summary tbody th')].map(cell => cell.textContent)"
    assert page.evaluate(names) == ["mss", "eatiht", "dom_criteria"]
    page.evaluate(
        "[...document.querySelectorAll('#summary thead th')].find(th => th.textContent === 'ms per page').click()"
    )
    assert page.evaluate(names) == ["dom_criteria", "eatiht", "mss"]
    lost = page.evaluate("document.querySelector('details .lost').textContent")
    assert lost == hostile.replace("\0", "\N{REPLACEMENT CHARACTER}")
    assert page.evaluate("fetch('https://leak.invalid/').then(() => 'sent', () => 'refused')") == "refused"


def test_the_map_shows_groups_in_colours_and_pages_without_their_template(browser: Any, tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="sklearn is not installed: pip install 'newsextract[evaluate]'")
    stories = [GoldPage("news", f"s{n}", story(n), "", text=body_of(n), site="gazette") for n in range(12)]
    others = [GoldPage("news", f"g{n}", gallery(n), "", site="gazette") for n in range(5)]
    found = read_structure("gazette", readable([*stories, *others, GoldPage("news", "front", front(), "")]))
    assert found is not None
    write_site_page([found], tmp_path / "map.html")
    page = in_silence(browser, tmp_path / "map.html")
    fills = page.evaluate("[...document.querySelectorAll('svg circle')].map(el => getComputedStyle(el).fill)")
    assert len(fills) == 17
    assert len(set(fills[:12])) == len(set(fills[12:])) == 1
    assert fills[0] != fills[12]
    assert "18 pages · 3 groups · 1 outliers · exactitude 1.000" in page.evaluate("document.body.innerText")
    shown = [int(number) for number in found["shown"]]
    place = next(place for place, number in enumerate(shown) if number < 12)
    kept = f"[...document.querySelectorAll('details')[{place}].querySelectorAll('.kept')]"
    assert page.evaluate(f"{kept}.map(el => el.textContent).join('\\n')") == body_of(shown[place])


def test_the_comparison_puts_two_extractors_side_by_side(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "compare.html").write_text(report_page([compare_page("a", Page(STORY), EXTRACTORS)]), "utf-8")
    page = in_silence(browser, tmp_path / "compare.html")
    for side, number in (("left", 1), ("right", 3)):
        page.evaluate(f"document.getElementById('{side}').value = '{number}'")
        page.evaluate(f"document.getElementById('{side}').dispatchEvent(new Event('change'))")
    shown = page.evaluate("[...document.querySelectorAll('.left, .right')].map(el => [el.className, el.innerText])")
    assert shown == [
        ["left", "The mayor opens a bridge"],
        ["left right", "The mayor of the town opened the new bridge that its people had asked for."],
        ["left", "It is forty metres long, and it cost less than anybody had thought."],
        ["left right", "The ferry makes its last journey on Friday evening."],
    ]
    assert page.evaluate("document.querySelector('[data-by]').checkVisibility()") is False  # kept by neither
