"""What a perfect extractor would return for each demo article."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DemoArticle:
    """The truth about one article page."""

    url: str
    """The canonical URL."""
    headline: str
    description: str
    """Occurs in the page's metadata and in teasers, never in its body."""
    paragraphs: tuple[str, ...]
    """The body in page order: paragraphs, sub-headings, list items, quotes and table cells."""
    captions: tuple[str, ...]
    authors: tuple[str, ...]
    date_published: str
    """ISO 8601 with the offset of the site's zone."""
    date_modified: str
    language: str
    section: str
    publisher: str
    keywords: tuple[str, ...]
    image: str
    """URL of the main picture."""

    @property
    def text(self) -> str:
        """The body, one paragraph per line."""
        return "\n".join(self.paragraphs)
