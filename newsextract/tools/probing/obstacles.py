"""Detects obstacles on a page: text that needs JavaScript, and consent walls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.words import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

SHELL_WORDS = 60
"""A page with fewer words is empty without a browser."""

WALL_WORDS = 400
"""Words of a consent wall at most; a page with more has its articles beside the banner."""

_ROOTS = frozenset("root app __next __nuxt app-root main-app ___gatsby svelte react-root gatsby-focus-wrapper".split())
_APP_TAGS = frozenset(("app-root", "ng-app", "app-main"))
_STATE = re.compile(
    r"__(?:NEXT_DATA|NUXT|NUXT_DATA|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|INITIAL_DATA|remixContext)__"
)

_CONSENT_HOST = re.compile(r"^(?:consent|privacy|cmp|gdpr|cookie|myprivacy)[.-]|[.-]consent\.", re.IGNORECASE)
_CONSENT_PATH = re.compile(
    r"/(?:consent|cookie-?(?:wall|consent)|privacy-?(?:wall|gate)|gdpr|cmp)(?:[/?.-]|$)", re.IGNORECASE
)
_CONSENT_WORDS = re.compile(
    r"cookie|consent|accept all|i agree|we value your privacy|our partners|gdpr|zustimm|alle akzeptieren|einwillig"
    r"|tout accepter|accepter et|consentement|aceptar|consentimiento|accetta|consenso|akkoord|toestemming|samtyck"
    r"|zgod|同意",
    re.IGNORECASE,
)
_LEAST_CONSENT_WORDS = 2
"""Distinct links."""


@dataclass(frozen=True, slots=True)
class ScriptNeed:
    """Why a page cannot be read without running its scripts."""

    words: int
    signs: tuple[str, ...]


def script_need(page: Page) -> ScriptNeed | None:
    """Return why a page needs a browser; `None` if its text is in its HTML."""
    count = count_of_words(page)
    if count >= SHELL_WORDS:
        return None
    signs = tuple(dict.fromkeys(_signs(page.tree)))
    return ScriptNeed(count, signs) if signs else None


def is_consent_wall(page: Page) -> bool:
    """Return whether a page asks for consent instead of showing its content."""
    parts = urlsplit(page.url or "")
    if _CONSENT_HOST.search(parts.hostname or "") or _CONSENT_PATH.search(parts.path):
        return True
    if not SHELL_WORDS // 6 <= count_of_words(page) <= WALL_WORDS:
        return False
    said = " ".join(block.text for block in page.blocks if block.text)
    found = {match[0].lower() for match in _CONSENT_WORDS.finditer(said)}
    return len(found) >= _LEAST_CONSENT_WORDS and page.tree.find(".//article") is None and _is_asked(page.tree)


def count_of_words(page: Page) -> int:
    """Return the number of words that a page shows."""
    return sum(count_words(block.text) for block in page.blocks)


def _is_asked(tree: HtmlElement) -> bool:
    """Return whether a page has a button and hardly any links."""
    links = sum(1 for link in tree.iter("a") if link.get("href"))
    return next(tree.iter("button", "form", "input"), None) is not None and links <= 12


def _signs(tree: HtmlElement) -> Iterator[str]:
    for el in tree.iter("div", "main", "section", *_APP_TAGS):
        is_root = el.tag in _APP_TAGS or (el.get("id") or "").lower() in _ROOTS
        if is_root and count_words("".join(el.itertext())) < SHELL_WORDS:
            yield "an empty root for an app"
    for el in tree.iter("noscript"):
        if "javascript" in "".join(el.itertext()).lower():
            yield "asks to turn JavaScript on"
    for el in tree.iter("script"):
        if _STATE.search(el.get("id") or "") or _STATE.search((el.text or "")[:2000]):
            yield "its content is JSON for a script"
