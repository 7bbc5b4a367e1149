"""A hostile page in the report: in a real browser nothing of it runs, and its server gets no request."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import pytest

from newsextract.evaluation.report_html import script_safe
from newsextract.page.page import Page
from newsextract.tools.compare import Compared, compare_page, report_page
from tests.evaluation.browser import Browser, needs_chromium
from tests.scrapy_runs import Reply, TinySite, serving
from tests.tools.extractors import BODY, Keeps
from tests.tools.test_compare_browser import INSIDE, opened, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_chromium

CANARY = "top.ran = true; new Image().src = '{site}ran?' + Math.random();"

HOSTILE = Template((Path(__file__).parent / "hostile.html").read_text("utf-8"))


@pytest.fixture(scope="module")
def site() -> Iterator[TinySite]:
    with serving(TinySite()) as site:
        site.routes = {"*": Reply(b"", 404)}
        yield site


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("profile"), reaching="127.0.0.1")
    yield browser
    browser.close()


def hostile(site: TinySite) -> str:
    return HOSTILE.substitute(run=CANARY.format(site=site.home), site=site.home)


def test_runs_and_fetches_in_a_bare_browser(browser: Browser, site: TinySite) -> None:
    """Without this test, the others might pass because the browser reports nothing."""
    site.routes = {"/": Reply(hostile(site).encode()), "*": Reply(b"", 404)}
    site.log.clear()
    until(browser.open(site.home), "document.readyState === 'complete' && top.ran")
    asked = {path.partition("?")[0] for path in site.log}
    assert {"/ran", "/sheet.css", "/image.png", "/back.png", "/frame", "/import.css"} <= asked


def test_neither_runs_nor_asks_for_anything_in_the_report(browser: Browser, site: TinySite, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    source = Compared("hostile", Page(hostile(site), f"{site.home}page"))
    report.write_text(report_page([compare_page(source, {"exact": Keeps(BODY), "everything": Keeps(("",))})]), "utf-8")
    browser.open("about:blank")
    browser.run("new Promise(done => setTimeout(done, 1500))")  # what the page as it is has begun, in the test before
    site.log.clear()
    browser.open("about:blank")
    opened(browser, report.as_uri())
    for act in ("getElementById('script').click()", "getElementById('away').click()", "getElementById('send').click()"):
        browser.run(f"{INSIDE}.{act}")
    browser.run("new Promise(done => setTimeout(done, 1500))")  # the refresh would be after one second
    assert (
        browser.run("[typeof top.ran, typeof document.getElementById('frame').contentWindow.ran]") == ["undefined"] * 2
    )
    assert browser.run("location.href") == report.as_uri()
    assert browser.run(f"{INSIDE}.URL") == "about:srcdoc"
    assert browser.run(f"{INSIDE}.querySelector('b kept-text').textContent") == "new bridge"
    asked = [event["request"]["url"] for event in browser.heard("Network.requestWillBeSent")]
    assert [url for url in asked if url.startswith("http")] == []
    assert site.log == []


def test_runs_nothing_that_stands_in_metadata_names_and_urls(browser: Browser, site: TinySite, tmp_path: Path) -> None:
    run = CANARY.format(site=site.home)
    breakout = f"</script></title><!--<script>\"'><img src=x onerror='{run}'><script>{run}</script>$pages $script"
    stated = {
        "@type": "NewsArticle",
        "headline": breakout,
        "author": {"name": breakout},
        "publisher": {"name": breakout},
    }
    stated |= {"datePublished": breakout, "articleSection": breakout, "articleBody": breakout}
    head = f'<script type="application/ld+json">{script_safe(stated)}</script><title>{escape(breakout)}</title>'
    head += f'<link rel="canonical" href="javascript:{escape(run)}"><base href="javascript:{escape(run)}//">'
    link = f'<a href="javascript:{escape(run)}">a bridge</a>'
    text = escape(breakout)
    html = f'<html lang="{text}"><head>{head}</head><body><h1>{text}</h1><p>{link}</p></body>'
    results = [compare_page(Compared(breakout, Page(html, f"javascript:{run}")), {"everything": Keeps(("",))})]
    report = tmp_path / "report.html"
    report.write_text(report_page(results * 2), "utf-8")
    site.log.clear()
    opened(browser, report.as_uri())
    for tab in ("articles", "figures", "differ"):
        browser.run(f"document.getElementById('tab-{tab}').click()")
    browser.run("document.querySelectorAll('#article a, #facts a').forEach(link => link.click())")
    browser.run("new Promise(done => setTimeout(done, 300))")
    assert browser.run("typeof top.ran") == "undefined"
    for place in ("title", "beside-title"):
        assert browser.run(f"document.getElementById('{place}').textContent").startswith("<!--")
    assert site.log == []


def test_runs_no_script_of_a_page_even_where_the_copy_would_hold_one(
    browser: Browser, site: TinySite, tmp_path: Path
) -> None:
    """The sandbox and the policies hold by themselves: here the page is written unchanged."""
    report = tmp_path / "report.html"
    result = compare_page(Compared("hostile", Page("<p>a bridge</p>")), {"everything": Keeps(("",))})
    raw = f"<script>{CANARY}</script><img src='{{site}}raw.png' onerror=\"{CANARY}\"><kept-text at=0 by=0>a</kept-text>"
    written = {**result, "html": raw.format(site=site.home), "title": "<script>top.ran = 1</script>"}
    written["extractors"][0]["article"]["body"] = '<img src=x onerror="top.ran = true">'
    report.write_text(report_page([written]), "utf-8")
    site.log.clear()
    opened(browser, report.as_uri())
    browser.run("document.getElementById('tab-articles').click()")
    browser.run("new Promise(done => setTimeout(done, 300))")
    assert browser.run("typeof top.ran") == "undefined"
    assert site.log == []
