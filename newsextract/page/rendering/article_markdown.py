"""An article's headline and body as one Markdown document."""

from __future__ import annotations

from html import escape

from newsextract.page.page import Page
from newsextract.page.rendering.html_writer import paragraphs
from newsextract.page.rendering.renderer import markdown


def article_markdown(headline: str | None, body_markdown: str | None, body_html: str | None, body: str | None) -> str:
    r"""Return the headline as a heading, and the body below it: as it is, else of the HTML, else of the plain text.

    >>> article_markdown("1 * 2", None, None, "It rained.\nIt stopped.")
    '# 1 \\* 2\n\nIt rained.\n\nIt stopped.'
    """
    if body_markdown is None:
        body_markdown = markdown(Page(body_html or paragraphs(body or "")).blocks)
    return "\n\n".join(filter(None, (heading(headline), body_markdown)))


def heading(headline: str | None) -> str:
    """Return a headline as a heading of the first level, or an empty string for `None`."""
    if not headline:
        return ""
    return markdown(Page(f"<h2>{escape(headline)}</h2>").blocks).removeprefix("#")
