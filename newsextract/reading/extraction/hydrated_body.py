"""The body in the data that a page's scripts build it from, where the page shows none, or only how it begins.

This is the step after JSON-LD, see `stated_body`, and before the feed, which a crawl asks where a page has no article.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.reading.hydration.article_search import find_article
from newsextract.reading.hydration.stated_fields import SOURCE
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.notices import Notice, NoticeCode, noticed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction

LITTLE_TEXT = 250
"""Letters: a page that shows fewer shows no article, as in `stated_body`."""
BEGINNING = 1_200
"""Letters: so much of a text may be shown as its beginning. Where more is shown, scripts are not searched."""
_MUCH_MORE = 1.5
"""How many times longer than what is shown the text must be."""
_HELD = 0.85
"""Share of a beginning that the text must hold, to be the same article's."""
_LEAST_DATA = 500
"""Characters of scripts and of their data; less holds no article."""
_without_signs = re.compile(r"\W+").sub


def with_hydrated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction, or the text in the data of the page's scripts, if the page shows little of it."""
    shown = sum(len(block.text) for block in found.blocks)
    is_guess = next(noticed(NoticeCode.FROM_REGION, found.warnings), None) is not None
    if (shown >= BEGINNING and not is_guess) or not _has_data(page):
        return found
    article = find_article(Clues(page))
    if article is None or sum(len(block.text) for block in article.blocks) <= _MUCH_MORE * shown:
        return found
    if shown >= LITTLE_TEXT and not is_guess and not _continues(article.blocks, found.blocks):
        return found
    warning = Notice(NoticeCode.FROM_HYDRATION, place=article.place)
    return type(found)(found.extractor, article.blocks, None, {"articleBody": SOURCE}, (warning,))


def _continues(text: Iterable[Block], beginning: tuple[Block, ...]) -> bool:
    held = "".join(map(_letters, text))
    same = sum(len(block.text) for block in beginning if _letters(block) in held)
    return same >= _HELD * sum(len(block.text) for block in beginning)


def _letters(block: Block) -> str:
    return _without_signs("", block.text).lower()


def _has_data(page: Page) -> bool:
    """Tell whether the page has a script or an attribute that is large enough to hold an article."""
    outline = page.outline
    scripts = (outline.elements[number] for number in outline.tagged("script"))
    chars = 0
    for script in scripts:
        chars += len(script.text or "") if "ld+json" not in (script.get("type") or "") else 0
        if chars >= _LEAST_DATA:
            return True
    attributes = (text for el in outline.elements for text in el.attrib.values() if len(text) >= _LEAST_DATA)
    return any(text.lstrip()[:1] in ("{", "[") for text in attributes)
