"""What of an article is read only on request: the comments of readers, and the Markdown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction


@dataclass(frozen=True, slots=True)
class Extras:
    """What of an article is read only on request."""

    comments: bool = False
    """Whether to read the comments of readers."""
    markdown: bool = False
    """Whether to give the text as Markdown, too."""


def with_extras(article: Article, page: Page, extraction: Extraction, extras: Extras) -> Article:
    """Return the article with what was asked for of the comments and the Markdown."""
    if extras.markdown:
        article = replace(article, articleMarkdown=extraction.markdown or None)
    if not extras.comments:
        return article
    from newsextract.reading.metadata.comments.article_comments import read_comments  # noqa: PLC0415 - read on request

    if found := read_comments(page, extraction.blocks):
        article = replace(article, comments=found[0])
        if article.extraction:
            article.extraction.sources["comments"] = found[1]
    return article
