"""The article made of the text in its site's feed: a fallback for a page that cannot be read.

An entry with a full text has it in `content:encoded` (RSS) or `content` (Atom); some sites put it into `description`,
where others have a teaser of a sentence or two. The text is read like a page: parsed, cut into blocks, sanitised.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.page.page import FeedHints, Page
from newsextract.page.rendering.renderer import paragraphs
from newsextract.page.text import count_words
from newsextract.page.urls import clean_url, url_key
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.feed_entry import EXTRACTOR, FEED, MIN_CONTENT_WORDS, MIN_SUMMARY_WORDS
from newsextract.reading.metadata.comparing import as_markup
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.notices import Notice, NoticeCode, PageState
from newsextract.reading.reader import compose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.article import Article
    from newsextract.page.blocks import Block
    from newsextract.reading.feed_entry import FeedEntry, Instead


_MAX_TAIL_WORDS = 40
"""The longest closing line that points to the page: "The post … appeared first on …", with a headline in it."""
_POINTING = 0.25
"""The least share of links in such a line."""

_CUT = re.compile(r"(?:…|\.{3}|[\[(]\s*(?:…|\.{3})\s*[\])])\s*(?:[^\W\d_]++\s*+){0,4}[»›→>.]*\s*$")
"""The end of a text that breaks off: an ellipsis, perhaps with a few words such as "Read more".

Words are taken whole: to divide a Chinese sentence into four in every way takes seconds."""

_SOURCES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("headline", "description", "datePublished", "dateModified", "authors", "keywords"), (FEED,)),
    "inLanguage": (FEED, "detection"),
    "usageRights": ("site_files",),
}
"""What an entry tells, and what follows from its text; the text has no head and no byline to read."""


def article_of(entry: FeedEntry, instead: Instead, precedence: Mapping[str, tuple[str, ...]]) -> Article | None:
    """Return the article of a feed's entry; `None` if its text is a teaser, or says less than the page.

    A field without any source in `precedence` is not read.
    """
    hints = FeedHints(
        entry.title,
        entry.published,
        site_rights=instead.site_rights,
        modified=entry.modified,
        authors=entry.authors,
        summary=entry.summary,
        language=entry.language,
        keywords=entry.keywords,
    )
    markup = as_markup(entry.body) if entry.is_html else paragraphs(entry.body)
    fragment = Page(f"<body>{markup}", instead.url, hints=hints)
    blocks = _without_pointer(fragment.blocks, instead.url)
    text = "\n".join(block.text for block in blocks)
    count, is_cut = count_words(text), _CUT.search(text[-200:]) is not None
    least = MIN_SUMMARY_WORDS if entry.is_summary or is_cut else MIN_CONTENT_WORDS
    if count < least or (entry.is_summary and is_cut) or _shows_more(instead, count):
        return None
    sources = {field: names if precedence.get(field) else () for field, names in _SOURCES.items()}
    metadata = read_metadata(fragment, {field: sources.get(field, ()) for field in precedence})
    if instead.page is not None:
        stated = read_metadata(instead.page, {"usageRights": precedence.get("usageRights", ())})
        sources_of = {**metadata.sources, **stated.sources}
        metadata = replace(metadata, usageRights=stated.usageRights, sources=sources_of)
    warnings = [Notice(NoticeCode.FROM_FEED, state=str(instead.state), reason=instead.reason, feed=entry.feed)]
    warnings += [Notice(NoticeCode.FEED_CUT)] if is_cut else []
    return compose(fragment, Extraction(EXTRACTOR, blocks, None, {"articleBody": FEED}, tuple(warnings)), metadata)


def _shows_more(instead: Instead, count: int) -> bool:
    """Return whether a page that is no article shows half as many words as its entry, links left out.

    Then it is what it is. With fewer, it asks to register, or a script is to fill it.
    """
    if instead.page is None or instead.state is not PageState.OTHER:
        return False
    shown = (count_words(block.text) * (1 - block.link_density) for block in instead.page.blocks)
    return sum(shown) * 2 >= count


def _without_pointer(blocks: tuple[Block, ...], url: str) -> tuple[Block, ...]:
    """Return the blocks without a last line that only leads to the page."""
    if len(blocks) < 2 or not blocks[-1].link_density >= _POINTING:
        return blocks
    is_short = count_words(blocks[-1].text) <= _MAX_TAIL_WORDS
    return blocks[:-1] if is_short and url_key(url) in _targets(blocks[-1], url) else blocks


def _targets(block: Block, url: str) -> set[str]:
    """Return the keys of the URLs that a block links to."""
    outline = block.outline
    linked = [outline.holders[run] for run in range(block.start, block.stop) if outline.linked[run]]
    anchors = (outline.elements[number] for holder in linked for number in outline.lineage(holder))
    written = (anchor.get("href") for anchor in anchors if anchor.tag == "a")
    return {url_key(found) for href in written if href and (found := clean_url(href, url))}
