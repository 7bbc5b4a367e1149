"""Pages that a reader without a browser finds empty, and walls before them."""

from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.tools.probing.obstacles import is_consent_wall, script_need

TEXT = "<p>" + "The mayor of the town opened the bridge that its people had asked for. " * 10 + "</p>"
BANNER = "<div>We use cookies. <button>Accept all</button> <a href=/privacy>Our partners and your consent</a></div>"


@pytest.mark.parametrize(
    ("html", "signs"),
    [
        ('<div id="root"></div><script src="/app.js"></script>', {"an empty root for an app"}),
        ("<app-root></app-root>", {"an empty root for an app"}),
        ("<noscript>Please turn on JavaScript.</noscript>", {"asks to turn JavaScript on"}),
        (
            '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"a": 1}</script>',
            {"an empty root for an app", "its content is JSON for a script"},
        ),
        ("<script>window.__INITIAL_STATE__ = {}</script>", {"its content is JSON for a script"}),
    ],
)
def test_an_empty_shell_needs_a_browser(html: str, signs: set[str]) -> None:
    need = script_need(Page(f"<html><head><title>News</title></head><body>{html}</body></html>"))
    assert need is not None
    assert set(need.signs) == signs


@pytest.mark.parametrize(
    "html",
    [
        f'<div id="__next">{TEXT}</div><script id="__NEXT_DATA__">{{}}</script>',
        f"{TEXT}<noscript>Please turn on JavaScript.</noscript>",
        "<h1>Not found</h1>",
        "",
    ],
    ids=["rendered by the server", "text and a hint", "short, and no app", "empty"],
)
def test_other_pages_do_not(html: str) -> None:
    assert script_need(Page(f"<html><body>{html}</body></html>")) is None


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (BANNER + "<p>We value your privacy, and need your consent to go on to the news.</p>", "https://a.example/"),
        (TEXT, "https://consent.a.example/gate"),
        (TEXT, "https://a.example/consent?to=/"),
    ],
)
def test_a_wall_asks_for_consent_instead_of_showing_the_news(html: str, url: str) -> None:
    assert is_consent_wall(Page(f"<html><body>{html}</body></html>", url))


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (BANNER + TEXT * 5, "https://a.example/"),
        (BANNER + "".join(f'<a href="/{n}">A headline of five words</a>' for n in range(30)), "https://a.example/"),
        (f"<article>{BANNER}<p>A short note on the cookies of the town's bakery.</p></article>", "https://a.example/1"),
        (TEXT, "https://a.example/politics/2026/the-consent-of-the-governed"),
    ],
    ids=["a banner above the news", "a banner above headlines", "an article on cookies", "an article on consent"],
)
def test_a_banner_is_no_wall(html: str, url: str) -> None:
    assert not is_consent_wall(Page(f"<html><body>{html}</body></html>", url))
