"""One article once: by canonical URL, and by the text it holds."""

from __future__ import annotations

import hashlib
from typing import Any

from newsextract.article import Article
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.page.urls.clean_urls import site_of, url_key
from newsextract.reading.page_state import PageState


class DuplicatesPipeline:
    """Drops an article whose address, or whose text on the same site, this run has already met.

    The same text on two sites is two articles: who published what is the point of a watch.
    """

    def __init__(self) -> None:
        self.urls: set[str] = set()
        self.texts: set[bytes] = set()

    def process_item(self, item: Any) -> Any:
        """Return the article if it is new."""
        if not isinstance(item, Article):
            return item
        addresses = {url_key(url) for url in (item.canonicalUrl, item.url) if url}
        if addresses & self.urls:
            raise PageDropped(PageEnd(PageState.DUPLICATE, "same canonical URL"), item.url)
        text = _fingerprint(item)
        if text in self.texts:
            raise PageDropped(PageEnd(PageState.DUPLICATE, "same text"), item.url)
        self.urls |= addresses
        self.texts.add(text)
        return item


def _fingerprint(article: Article) -> bytes:
    site = site_of(article.url or "")
    return hashlib.blake2b(f"{site}\n{article.articleBody}".encode(), digest_size=16).digest()
