"""Why a page cannot be read without running its scripts: the signs of it in its HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from newsextract.page.text import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

SHELL_WORDS = 60
"""A page with fewer words is empty without a browser."""

FEW_WORDS = 25
"""A page with fewer, and with scripts to load, has its text from them."""

EMPTY_ROOT = "an empty root for an app"

_ROOTS = frozenset("root app __next __nuxt app-root main-app ___gatsby svelte react-root gatsby-focus-wrapper".split())
_APP_TAGS = frozenset(("app-root", "ng-app", "app-main"))
_STATE = re.compile(
    r"__(?:NEXT_DATA|NUXT|NUXT_DATA|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|INITIAL_DATA|remixContext)__"
)


class ScriptNeed(NamedTuple):
    """Why a page cannot be read without running its scripts."""

    words: int
    signs: tuple[str, ...]


def script_need(page: Page) -> ScriptNeed | None:
    """Return why a page needs a browser; `None` if its text is in its HTML."""
    need = ScriptNeed(count_of_words(page), tuple(dict.fromkeys(_signs(page.tree))))
    return need if need.signs and need.words < SHELL_WORDS else None


def script_signs(page: Page) -> tuple[str, ...]:
    """Return the signs that scripts bring the text of a page that gave no article; empty if there are none.

    A page with a menu and a footer has words enough, and may still have an empty root between them.
    """
    count = count_of_words(page)
    found = tuple(dict.fromkeys(_signs(page.tree)))
    if count >= SHELL_WORDS:
        return tuple(sign for sign in found if sign == EMPTY_ROOT)
    if not found and count < FEW_WORDS and any(el.get("src") for el in page.tree.iter("script")):
        return ("scripts and hardly any text",)
    return found


def count_of_words(page: Page) -> int:
    """Return the number of words that a page shows."""
    return sum(count_words(block.text) for block in page.blocks)


def _signs(tree: HtmlElement) -> Iterator[str]:
    for el in tree.iter("div", "main", "section", *_APP_TAGS):
        is_root = el.tag in _APP_TAGS or (el.get("id") or "").lower() in _ROOTS
        if is_root and count_words("".join(el.itertext())) < SHELL_WORDS:
            yield EMPTY_ROOT
    for el in tree.iter("noscript"):
        if "javascript" in "".join(el.itertext()).lower():
            yield "asks to turn JavaScript on"
    for el in tree.iter("script"):
        if _STATE.search(el.get("id") or "") or _STATE.search((el.text or "")[:2000]):
            yield "its content is JSON for a script"
