"""Dates in the visible page: `<time>` elements, those that say they are the article's first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.metadata.findings import Findings
from newsextract.metadata.margins import is_in_margin
from newsextract.metadata.texts import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.metadata.clues import Clues

_PUBLISHED = re.compile(r"publi|posted|entry-date|post-date|article-date|created", re.IGNORECASE)
_MODIFIED = re.compile(r"updat|modif", re.IGNORECASE)
_MAX_TIMES = 20
"""Elements looked at: the article's date stands near its head, the rest are teasers and comments."""
_MAX_CHARS = 60
"""Longest text taken for a date."""


def read(clues: Clues) -> Findings:
    """Return the dates of the page's time elements, the article's own first."""
    ours = list(_own_times(clues))
    published = [el for el in ours if _PUBLISHED.search(_labels(el))]
    modified = [el for el in ours if el not in published and _MODIFIED.search(_labels(el))]
    others = [el for el in ours if el not in published and el not in modified]
    return Findings(
        {
            "datePublished": [_stated(el) for el in published + others],
            "dateModified": [_stated(el) for el in modified],
        }
    )


def _own_times(clues: Clues) -> Iterator[HtmlElement]:
    for el in clues.elements["time"][:_MAX_TIMES]:
        if _stated(el) and not is_in_margin(el) and not _is_teaser(el):
            yield el


def _is_teaser(el: HtmlElement) -> bool:
    """Tell whether a link holds the time and more: a permalink holds the time alone."""
    link = next(el.iterancestors("a"), None)
    return link is not None and len(visible_text(link, 200)) > len(visible_text(el, 200)) + 20


def _labels(el: HtmlElement) -> str:
    """Return the names that tell what a time is the time of."""
    attributes = " ".join((el.get("class", ""), el.get("itemprop", ""), el.get("id", "")))
    above = el.getparent()
    published = "published" if el.get("pubdate") is not None else ""
    return f"{attributes} {published} {above.get('class', '') if above is not None else ''}"


def _stated(el: HtmlElement) -> str:
    return el.get("datetime", "").strip() or visible_text(el, _MAX_CHARS)
