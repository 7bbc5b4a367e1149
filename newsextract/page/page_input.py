"""Make a page of what a caller hands over, and say what is wrong with it where that is no page."""

from __future__ import annotations

import re

from newsextract.page.page import Page, PageError

_ADDRESS = re.compile(r"\s*https?://[^\s<>]+\s*", re.IGNORECASE)
_MAX_ADDRESS_CHARS = 2_000


def as_page(html: str | bytes | Page, url: str | None = None) -> Page:
    """Return a page as it is, or one of its HTML and URL.

    Raises:
        TypeError: `html` is neither of these, or `url` is not text.
        PageError: it is empty, the URL of a page instead of its text, a binary file, or too large.
    """
    if isinstance(html, Page):
        return html
    page = Page(html, url)
    if not html:
        raise PageError("empty", "html has no characters; it is the text or the bytes of a page")
    if isinstance(html, str) and len(html) <= _MAX_ADDRESS_CHARS and _ADDRESS.fullmatch(html):
        raise PageError(
            "not HTML", f"html is the text of a page, not its URL; fetch_article({html.strip()!r}) fetches it"
        )
    return page
