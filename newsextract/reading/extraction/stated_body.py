"""The body that a page states in its JSON-LD, beside the one that it shows.

It is taken where little is shown. Where more is shown, it tells what a classifier has missed of that: the text of a
slide show, or of sections that look like teasers. What the page does not show is not believed then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.page.page import Page
from newsextract.reading.extraction.held_text import (
    LITTLE_TEXT,
    MUCH_MORE,
    all_letters,
    chars_of,
    is_of_same_article,
    letters,
)
from newsextract.reading.metadata.comparing import as_markup
from newsextract.reading.metadata.declared import article_body
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.page.blocks import Block
    from newsextract.reading.extraction.contract import Extraction

_MOST_SEARCHED = 20_000_000
"""Letters of the stated body times blocks that are looked for in it: some twentieths of a second."""
_LEAST_CHARS = 30
"""Shorter blocks may occur in a text by chance."""


def with_stated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction with what the page's JSON-LD states and the extraction lacks."""
    shown = chars_of(found.blocks)
    if shown >= LITTLE_TEXT and not _states_body(page):
        return found
    body = _stated(page)
    if chars_of(body) <= MUCH_MORE * shown:
        return found
    if shown >= LITTLE_TEXT:
        return _completed(page, found, all_letters(body))
    warning = Notice(NoticeCode.FROM_JSON_LD)
    return type(found)(found.extractor, body, None, {"articleBody": "json_ld"}, (warning,))


def _completed(page: Page, found: Extraction, held: str) -> Extraction:
    """Return the extraction with the page's other blocks of a stated text, if that is the text of the same article."""
    if len(held) * len(page.blocks) > _MOST_SEARCHED:
        return found
    blocks = _with_held(page, found.blocks, held)
    if len(blocks) == len(found.blocks) or not is_of_same_article(found.blocks, held):
        return found
    warning = Notice(NoticeCode.ADDED_FROM_JSON_LD, blocks=len(blocks) - len(found.blocks))
    return replace(found, blocks=blocks, warnings=(*found.warnings, warning))


def _states_body(page: Page) -> bool:
    """Tell whether JSON-LD names a body; most pages have none, and their JSON-LD need not be read."""
    scripts = map(page.outline.elements.__getitem__, page.outline.tagged("script"))
    marked = (script for script in scripts if "ld+json" in script.get("type", "").lower())
    return any('"articleBody"' in (script.text or "") for script in marked)


def _stated(page: Page) -> tuple[Block, ...]:
    """Return the body in the page's JSON-LD, text or HTML, as blocks of a separate page."""
    markup = as_markup(article_body(page) or "")
    return Page(markup, page.url).blocks if markup else ()


def _with_held(page: Page, kept: tuple[Block, ...], held: str) -> tuple[Block, ...]:
    """Return the kept blocks, and the page's others that are part of the stated body, each text once."""
    known = "\n".join(map(letters, kept))
    blocks = list(kept)
    for block in page.blocks:
        said = letters(block)
        if len(said) >= _LEAST_CHARS and said in held and said not in known:
            known += f"\n{said}"
            blocks.append(block)
    return tuple(sorted(blocks, key=lambda block: block.start))
