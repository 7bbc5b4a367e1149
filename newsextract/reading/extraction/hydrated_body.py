"""The body in the data that a page's scripts build it from, where the page shows none, or only how it begins.

This is the step after JSON-LD, see `stated_body`, and before the feed, which a crawl asks where a page has no article.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.reading.embedded_article import SOURCE, search_data
from newsextract.reading.extraction.held_text import LITTLE_TEXT, MUCH_MORE, all_letters, chars_of, is_of_same_article
from newsextract.reading.notices import Notice, NoticeCode, noticed

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction

BEGINNING = 1_200
"""Letters: so much of a text may be shown as its beginning. Where more is shown, scripts are not searched."""
_SURE = 0.7
"""The confidence from which what is shown counts as an article, and not as a teaser or what stands around one."""
_LEAST_DATA = 500
"""Characters of scripts and of their data; less holds no article."""


def with_hydrated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction, or the text in the data of the page's scripts, if the page shows little of it."""
    shown = chars_of(found.blocks)
    is_guess = next(noticed(NoticeCode.FROM_REGION, found.warnings), None) is not None
    if (shown >= BEGINNING and not is_guess) or not _has_data(page):
        return found
    article, is_cut = search_data(page)
    cut = (Notice(NoticeCode.DATA_CUT),) if is_cut else ()
    left = replace(found, warnings=(*found.warnings, *cut)) if cut else found
    if article is None or chars_of(article.blocks) <= MUCH_MORE * shown:
        return left
    is_doubtful = is_guess or shown < LITTLE_TEXT or found.confidence < _SURE
    if not is_doubtful and not is_of_same_article(found.blocks, all_letters(article.blocks)):
        return left
    warnings = (Notice(NoticeCode.FROM_HYDRATION, place=article.place), *cut)
    sources = {"articleBody": SOURCE}
    return type(found)(found.extractor, article.blocks, sources=sources, warnings=warnings, held_in=article.node)


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
