"""The body that a page states in its JSON-LD, beside the one that it shows.

It is taken where little is shown. Where more is shown, it tells what a classifier has missed of that: the text of a
slide show, or of sections that look like teasers. What the page does not show is not believed then.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.page.page import Page
from newsextract.reading.metadata.schema.schema_article import article_body
from newsextract.reading.metadata.text_folding import as_markup
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.blocks import Block
    from newsextract.reading.extraction.contract import Extraction

LITTLE_TEXT = 250
"""Letters: a page that shows fewer of its article may hold the rest in its JSON-LD."""
_MUCH_MORE = 1.5
"""How many times longer than what is kept a stated body must be to matter."""
_HELD = 0.85
"""Share of what is kept that the stated body must hold to speak of the same article."""
_MOST_SEARCHED = 20_000_000
"""Letters of the stated body times blocks that are looked for in it: some twentieths of a second."""
_LEAST_CHARS = 30
"""Shorter blocks may occur in a text by chance."""
_without_signs = re.compile(r"\W+").sub


def with_stated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction with what the page's JSON-LD states and the extraction lacks."""
    shown = _size(found.blocks)
    if shown >= LITTLE_TEXT and not _states_body(page):
        return found
    body = _stated(page)
    if _size(body) <= _MUCH_MORE * shown:
        return found
    if shown >= LITTLE_TEXT:
        return _completed(page, found, "".join(map(_letters, body)))
    warning = Notice(NoticeCode.FROM_JSON_LD)
    return type(found)(found.extractor, body, None, {"articleBody": "json_ld"}, (warning,))


def _completed(page: Page, found: Extraction, held: str) -> Extraction:
    """Return the extraction with the page's other blocks of a stated text, if that is the text of the same article."""
    if len(held) * len(page.blocks) > _MOST_SEARCHED:
        return found
    same = sum(len(block.text) for block in found.blocks if _letters(block) in held)
    blocks = _with_held(page, found.blocks, held)
    if same < _HELD * _size(found.blocks) or len(blocks) == len(found.blocks):
        return found
    warning = Notice(NoticeCode.ADDED_FROM_JSON_LD, blocks=len(blocks) - len(found.blocks))
    return replace(found, blocks=blocks, warnings=(*found.warnings, warning))


def _size(blocks: Iterable[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def _letters(block: Block) -> str:
    """Return the letters and digits; spaces and quotation marks differ between a page and what it states."""
    return _without_signs("", block.text).lower()


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
    known = "\n".join(map(_letters, kept))
    blocks = list(kept)
    for block in page.blocks:
        letters = _letters(block)
        if len(letters) >= _LEAST_CHARS and letters in held and letters not in known:
            known += f"\n{letters}"
            blocks.append(block)
    return tuple(sorted(blocks, key=lambda block: block.start))
