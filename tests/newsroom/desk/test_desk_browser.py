"""The desk in a real browser: search, a story, a revision; no request goes to another host."""

from __future__ import annotations

import base64
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.lab.evaluation.browser import TROUBLES, Browser, needs_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def address(filled: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "newsextract.newsroom.desk", str(filled)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert told is not None
        yield told[0]
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=100)
    assert (server.returncode, complaints) == (0, "")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def desk(browser: Browser, address: str) -> Iterator[Browser]:
    """The front page; at the end, all requests must have gone to the desk itself."""
    yield browser.open(f"{address}/")
    # What the policy refuses is announced, and then not sent.
    refused = {event["requestId"] for event in browser.heard("Network.loadingFailed") if "blockedReason" in event}
    sent = [event for event in browser.heard("Network.requestWillBeSent") if event["requestId"] not in refused]
    # A `data:` URL is the browser's own picture in a field for days.
    asked = [url for event in sent if not (url := event["request"]["url"]).startswith("data:")]
    assert asked
    assert [url for url in asked if urlsplit(url).netloc != urlsplit(address).netloc] == []
    assert browser.heard(*TROUBLES) == []


def go(page: Browser, script: str) -> None:
    """Do something that opens another page, and wait until it is loaded."""
    before = len(page.heard("Page.loadEventFired"))
    page.run(script)
    while len(page.heard("Page.loadEventFired")) == before:
        page.wait()


def press(page: Browser, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else "")


def test_searches_opens_a_story_and_shows_a_revision(desk: Browser) -> None:
    press(desk, "/")
    assert desk.run("document.activeElement.name") == "q"
    desk.call("Input.insertText", text='"new bridge"')
    go(desk, "document.querySelector('.search').requestSubmit()")
    assert desk.run("document.querySelectorAll('.card').length") == 2
    go(desk, "document.querySelector('.chip.story').click()")
    sites = desk.run("[...document.querySelectorAll('.copy .meta strong')].map(el => el.textContent)")
    assert sites == ["gazette.example", "wire.example"]
    tops = desk.run("[...document.querySelectorAll('.copy')].map(el => el.getBoundingClientRect().top)")
    assert tops[0] == tops[1]
    assert desk.run("document.querySelector('.copy mark').textContent.trim()").startswith("A toll")
    go(desk, "document.querySelector('.copy h3 a').click()")
    assert desk.run("document.querySelector('#revisions del').textContent") == "to open"
    colours = desk.run("['ins', 'del'].map(tag => getComputedStyle(document.querySelector(tag)).backgroundColor)")
    assert len({*colours, "rgba(0, 0, 0, 0)"}) == 3


def test_facets_narrow_down_and_widen_again(desk: Browser) -> None:
    languages = "[...document.querySelectorAll('[data-facet=language] a')]"
    go(desk, f"{languages}.find(a => a.innerText.includes('French')).click()")
    assert desk.run("document.querySelectorAll('.card').length") == 1
    assert desk.run("document.querySelector('.chosen-line').textContent.trim()") == "Language: French ×"
    go(desk, "document.querySelector('.chip.chosen').click()")
    assert desk.run("document.querySelectorAll('.card').length") == 7


def test_goes_through_articles_by_keys(desk: Browser) -> None:
    for key in ("j", "j", "j", "k"):
        press(desk, key)
    assert desk.run("document.activeElement === document.querySelectorAll('.card h2 a')[1]") is True


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_fits_the_screen_in_light_and_dark(desk: Browser, scheme: str, width: int, tmp_path: Path) -> None:
    desk.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    desk.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for path in ("/", "/matches", "/stories", "/sites", "/runs"):
        go(desk, f"location.href = '{path}'")
        assert desk.run("document.documentElement.scrollWidth <= innerWidth") is True
    ground = desk.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(ground) < 80) is (scheme == "dark")
    picture = base64.b64decode(desk.call("Page.captureScreenshot", format="png")["data"])
    (tmp_path / "desk.png").write_bytes(picture)
    assert len(picture) > 5000


def test_pictures_stay_away_even_where_the_page_would_have_them(desk: Browser) -> None:
    go(desk, "[...document.querySelectorAll('.card h2 a')].find(a => a.textContent.includes('opened')).click()")
    blocked = """new Promise(done => {
        addEventListener('securitypolicyviolation', event => done(event.blockedURI));
        new Image().src = 'https://pictures.example/b.png';
    })"""
    assert desk.run(blocked) == "https://pictures.example/b.png"
    # The browser complains of what it refused, which is what was to be seen.
    desk.events[:] = [event for event in desk.events if event["method"] not in TROUBLES]
