"""The comparison in a real browser: what is coloured in each mode, the lists beside it, and hostile pages."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.tools.compare import Compared, compare_page, report_page
from tests.evaluation.browser import TROUBLES, Browser, needs_chromium
from tests.tools.extractors import EXTRACTORS, STORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_chromium

OTHER = "<html lang=ru><title>Мост</title><p>Мэр открыл new bridge через реку.</p><p>forty metres</p></html>"
INSIDE = "document.getElementById('frame').contentDocument"
COLOURED = f"""[...{INSIDE}.querySelectorAll('kept-text')]
    .filter(el => getComputedStyle(el).backgroundColor !== 'rgba(0, 0, 0, 0)' || getComputedStyle(el).backgroundImage !== 'none')
    .map(el => el.textContent)"""  # noqa: E501 - one expression
LOADED = f"{INSIDE}.querySelector('kept-text') !== null && {INSIDE}.readyState === 'complete'"
PRESSED = "[...document.querySelectorAll('#chips [aria-pressed=true]')].map(el => el.textContent)"

BODY = [
    "The mayor of the town opened the ",
    "new bridge",
    " that its people had asked for.",
    "It is forty metres long, and it cost less than anybody had thought.",
    "The ferry makes its last journey on Friday evening.",
]


def written(path: Path, *sources: str) -> str:
    pages = [Compared(f"page {n}", Page(html, "https://news.example/a")) for n, html in enumerate(sources)]
    path.write_text(report_page([compare_page(page, EXTRACTORS) for page in pages]), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"), reaching="127.0.0.1")
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("report") / "report.html", STORY, OTHER)


def opened(browser: Browser, address: str) -> Browser:
    """Open a report, and in it the view of the page."""
    click(browser.open(address), "#view-page")
    return until(browser, LOADED)


@pytest.fixture
def report(browser: Browser, address: str) -> Browser:
    return opened(browser, address)


def until(browser: Browser, condition: str) -> Browser:
    """Wait until an expression is true in the page."""
    assert browser.run(
        "new Promise(done => { const ends = Date.now() + 100000; const look = () => {"
        f"let is = false; try {{ is = {condition}; }} catch {{ /* not there yet */ }}"
        "if (is || Date.now() > ends) done(is); else setTimeout(look, 20); }; look(); })"
    ), condition
    return browser


def press(browser: Browser, key: str, *, shift: bool = False) -> None:
    code = f"Digit{key}" if key.isdigit() else f"Key{key.upper()}"
    browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code, modifiers=8 if shift else 0)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)


def click(browser: Browser, selector: str) -> None:
    browser.run(f"document.querySelector({selector!r}).click()")


def test_renders_without_a_complaint_and_without_a_request(report: Browser) -> None:
    assert report.run("document.querySelector('h1').textContent") == "The mayor opens a bridge"
    assert report.run("document.getElementById('frame').clientHeight") > 200
    assert report.heard(*TROUBLES) == []
    asked = [event["request"]["url"] for event in report.heard("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []


BESIDE = "[...document.querySelectorAll('#beside > :not(.head)')].map(el => [el.className, el.innerText])"


def choose(browser: Browser, select: str, value: int) -> None:
    browser.run(f"document.getElementById('{select}').value = '{value}'")
    browser.run(f"document.getElementById('{select}').dispatchEvent(new Event('change'))")


def test_opens_on_a_summary_with_two_extractors_side_by_side(browser: Browser, address: str) -> None:
    browser.open(address)
    assert browser.run("document.querySelector('h1').textContent") == "2 pages compared"
    assert browser.run("document.getElementById('page-view').hidden") is True
    told = browser.run("document.getElementById('told').textContent")
    assert told.startswith("4 of 7 extractors have a vote, on 2 pages. They are unanimous on ")
    assert "They differ most on “The mayor opens a bridge”" in told
    texts = "[...document.querySelectorAll('%s')].map(el => el.innerText.replace(/\\s+/g, ' '))"
    rows = browser.run(texts % "#standing tbody tr")
    assert rows[0].startswith("exact 2 pages ")
    assert any(row.startswith("everything none ") and row.endswith("control, chooses nothing") for row in rows)
    assert "Without a vote are controls" in browser.run("document.getElementById('rule').textContent")
    choose(browser, "left", 1)
    choose(browser, "right", 3)
    assert browser.run(texts % "#beside .head") == [
        "titled keeps 42 words, 18 of them alone",
        "short keeps 24 words, 0 of them alone",
    ]
    assert browser.run(BESIDE) == [
        ["side alone", "The mayor opens a bridge"],
        ["side gap", ""],
        ["both", "The mayor of the town opened the new bridge that its people had asked for."],
        ["side alone", BODY[3]],
        ["side gap", ""],
        ["both", BODY[4]],
    ]


def test_shows_the_page_in_its_own_styles(report: Browser) -> None:
    colour = f"getComputedStyle({INSIDE}.querySelector('%s')).color"
    assert report.run(colour % "nav a") == "rgb(255, 0, 0)"  # by its rule for a:link
    assert report.run(f"{INSIDE}.body.className") == "news"


def test_begins_with_the_agreement_on_a_scale(report: Browser) -> None:
    assert report.run(PRESSED) == ["Agreement"]
    shade = f"getComputedStyle([...{INSIDE}.querySelectorAll('kept-text')].find(el => el.textContent.includes(%r)))"
    shades = [report.run(f"{shade % words}.backgroundColor") for words in ("Home", "mayor opens", "forty", "ferry")]
    assert len(set(shades)) == 4
    assert report.run("document.getElementById('legend').textContent") == "kept by1234of 4"
    faded = report.run(f"{shade % 'Read more'}.opacity")
    assert float(faded) < 1
    press(report, "d")
    assert report.run(f"{shade % 'Read more'}.opacity") == "1"


def test_colours_what_the_extractor_that_is_clicked_kept(report: Browser) -> None:
    click(report, "#chips button:nth-child(2)")
    assert report.run(COLOURED) == BODY
    click(report, "#chips button:nth-child(3)")
    assert report.run(COLOURED) == ["The mayor opens a bridge", *BODY]
    assert report.run(PRESSED) == ["2titled"]


def test_is_driven_by_keys_and_lays_extractors_over_each_other(report: Browser) -> None:
    press(report, "4")
    assert report.run(COLOURED) == [*BODY[:3], BODY[4]]
    press(report, "2", shift=True)
    assert report.run(PRESSED) == ["2titled", "4short"]
    assert report.run(COLOURED) == ["The mayor opens a bridge", *BODY]
    assert report.run("document.getElementById('legend').textContent") == "bothtitledshort"
    press(report, "0")
    assert report.run(PRESSED) == ["Agreement"]


def test_lists_the_differences_and_brings_them_into_view(report: Browser) -> None:
    verdicts = "[...document.querySelectorAll('#disputed strong')].map(el => el.textContent)"
    assert report.run(verdicts) == ["only greedy", "2 of 4: titled, greedy", "all but short", "only greedy"]
    report.run(f"{INSIDE}.getElementById('two').style.marginTop = '4000px'")
    report.run("document.querySelectorAll('#disputed button')[2].click()")
    here = f"[...{INSIDE}.querySelectorAll('kept-text[here]')]"
    assert report.run(f"{here}.map(el => el.textContent)") == [BODY[3]]
    top = report.run(f"{here}[0].getBoundingClientRect().top")
    assert 0 < top < report.run("document.getElementById('frame').clientHeight")
    press(report, "n")
    assert report.run(f"{here}.map(el => el.textContent)") == ["All rights reserved by the Gazette."]


def test_opens_what_the_page_hides_to_show_it(report: Browser) -> None:
    block = report.run(f"{INSIDE}.querySelector('#aside kept-text').getAttribute('at')")
    assert report.run(f"{INSIDE}.querySelector('#aside kept-text').getClientRects().length") == 0
    report.run(f"show({block}, {block}, true)")
    assert report.run(f"{INSIDE}.querySelector('#aside kept-text').getClientRects().length") > 0


def test_tells_who_kept_the_text_under_the_pointer_and_finds_it_in_the_list(report: Browser) -> None:
    report.run(
        f"{INSIDE}.querySelector('#two kept-text').dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}}))"
    )
    told = report.run("document.getElementById('readout').textContent")
    assert told == "3 of 4 keep it: exact, titled, greedy · not: short"
    report.run(f"{INSIDE}.querySelector('#two kept-text').click()")
    assert report.run("document.querySelector('#disputed [aria-current] strong').textContent") == "all but short"


def test_shows_the_article_of_each_extractor(report: Browser) -> None:
    click(report, "#tab-articles")
    click(report, "#makers button:nth-child(2)")
    text = report.run("document.getElementById('article').innerText")
    assert text.startswith("The mayor opens a bridge")
    assert "Ada Byron" in text
    assert "published 2026-05-20T08:00:00+02:00" in text
    assert report.run("document.querySelectorAll('#article .body p').length") == 3
    click(report, "#makers button:nth-child(6)")
    assert "ZeroDivisionError: no letters in <b>" in report.run("document.getElementById('article').innerText")


def test_gives_the_figures_and_the_matrix(report: Browser) -> None:
    click(report, "#tab-figures")
    rows = report.run("[...document.querySelectorAll('#rows tbody tr')].map(tr => tr.innerText.replace(/\\s+/g, ' '))")
    assert rows[0].startswith("exact 37 1.00 ")
    assert "no vote: kept nothing" in rows
    assert any(row.startswith("ZeroDivisionError") for row in rows)
    assert report.run("document.querySelectorAll('#pairs td[title]').length") == len(EXTRACTORS) * (len(EXTRACTORS) - 1)
    report.run("document.querySelector('#pairs td[title]').click()")
    assert report.run(PRESSED) == ["1exact", "2titled"]


def test_goes_from_one_page_to_another(report: Browser) -> None:
    report.run("{ const s = document.getElementById('page'); s.value = '1'; s.dispatchEvent(new Event('change')); }")
    until(report, f"{INSIDE}.body.textContent.includes('Мэр') && {LOADED}")
    assert report.run("document.querySelector('h1').textContent") == "Мост"
    press(report, "4")
    assert report.run(COLOURED) == ["Мэр открыл new bridge через реку."]


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1400, "dark")])
def test_fits_the_screen_in_light_and_dark(width: int, scheme: str, browser: Browser, address: str) -> None:
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.open(address)
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=media)
    assert browser.run("document.documentElement.scrollWidth") <= width
    click(browser, "#view-page")
    until(browser, LOADED)
    for tab in ("differ", "articles", "figures"):
        click(browser, f"#tab-{tab}")
        assert browser.run("document.documentElement.scrollWidth") <= width
    paper = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(22, 24, 28)") is (scheme == "dark")
    assert len(base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])) > 10_000
