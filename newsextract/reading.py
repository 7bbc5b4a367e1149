"""From a page to an article: one call for a page, and a reader for a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.article import Article, compose
from newsextract.extraction import Extraction, Extractor, create_extractor
from newsextract.metadata import read_metadata
from newsextract.page import Page
from newsextract.sites.page_kinds import require_article

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_EXTRACTOR = "auto"


def extract(
    html: str | bytes, url: str | None = None, *, extractor: str = DEFAULT_EXTRACTOR, **options: Any
) -> Extraction:
    """Return what the extractor of this name keeps of a page; see `create_extractor` for errors."""
    return create_extractor(extractor, **options).extract(Page(html, url))


def read_article(html: str | bytes, url: str | None, *, extractor: str = DEFAULT_EXTRACTOR, **options: Any) -> Article:
    """Return the article of a page, whatever kind of page it is; its body is `None` where none was found."""
    page = Page(html, url)
    return compose(page, create_extractor(extractor, **options).extract(page), read_metadata(page))


@dataclass(frozen=True)
class ArticleReader:
    """Reads the articles of a crawl, with one extractor for all sites and others for some."""

    default: Extractor
    by_site: Mapping[str, Extractor] = field(default_factory=dict)
    """Extractors by domain name; a domain stands for its subdomains too."""

    @classmethod
    def create(
        cls, name: str, options: Mapping[str, Any] | None = None, sites: Mapping[str, str] | None = None
    ) -> ArticleReader:
        """Return a reader of extractors given by name; see `create_extractor` for errors."""
        by_site = {_domain(site): create_extractor(other) for site, other in (sites or {}).items()}
        return cls(create_extractor(name, **(options or {})), by_site)

    def read(self, page: Page) -> Article:
        """Return the article of the page, read by the extractor that it, its site or the crawl names, in this order.

        Raises:
            NoArticle: the page is something else, or holds nothing.
        """
        chosen = create_extractor(page.extractor) if page.extractor else self._extractor_for(page.url)
        extraction = chosen.extract(page)
        metadata = read_metadata(page)
        require_article(page.url, extraction, metadata)
        return compose(page, extraction, metadata)

    def _extractor_for(self, url: str | None) -> Extractor:
        if not self.by_site or not url:
            return self.default
        labels = (urlsplit(url).hostname or "").split(".")
        domains = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self.by_site[domain] for domain in domains if domain in self.by_site), self.default)


def _domain(site: str) -> str:
    """Return the domain of a site that may be written as an address or with a port.

    >>> _domain("https://www.Example.com/"), _domain("127.0.0.1:8801"), _domain("example.com")
    ('example.com', '127.0.0.1', 'example.com')
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    return (parts.hostname or site).removeprefix("www.")
