"""From a page to an article: one call for a page, and a reader for a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.article import Article, compose
from newsextract.extraction import Extraction, Extractor, create_extractor
from newsextract.joining import join_pages
from newsextract.kinds.judging import ARTICLE_LIKE, check_kinds, judge, require_article
from newsextract.metadata import PRECEDENCE, TitleMemory, read_metadata, with_overrides
from newsextract.page import Page

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from newsextract.kinds.judging import PageKind
    from newsextract.metadata import Metadata

DEFAULT_EXTRACTOR = "auto"


def extract(
    html: str | bytes, url: str | None = None, *, extractor: str = DEFAULT_EXTRACTOR, **options: Any
) -> Extraction:
    """Return what the extractor of this name keeps of a page; see `create_extractor` for errors."""
    return create_extractor(extractor, **options).extract(Page(html, url))


def read_article(
    html: str | bytes | Page, url: str | None = None, *, extractor: str = DEFAULT_EXTRACTOR, **options: Any
) -> Article:
    """Return the article of a page, whatever kind of page it is; its body is `None` where none was found.

    Instead of HTML and its address it takes a `Page`, with those that continue it.
    """
    page = html if isinstance(html, Page) else Page(html, url)
    chosen = create_extractor(extractor, **options)
    extraction, metadata = chosen.extract(page), read_metadata(page)
    return _compose(page, chosen, extraction, metadata, judge(page, extraction, metadata))


def _compose(page: Page, extractor: Extractor, extraction: Extraction, metadata: Metadata, kind: PageKind) -> Article:
    return compose(page, join_pages(page, extraction, extractor), metadata, kind=kind)


@dataclass(frozen=True)
class ArticleReader:
    """Reads the articles of a crawl, with one extractor for all sites and others for some."""

    default: Extractor
    by_site: Mapping[str, Extractor] = field(default_factory=dict)
    """Extractors by domain name; a domain stands for its subdomains too."""
    kinds: Collection[str] = ARTICLE_LIKE
    """The kinds of pages that become articles."""
    precedence: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: PRECEDENCE)
    """The sources of each field of the metadata, the first asked first."""
    titles: TitleMemory = field(default_factory=TitleMemory, repr=False, compare=False)
    """What the titles of each site share, learned as its pages are read."""

    @classmethod
    def create(
        cls,
        name: str,
        options: Mapping[str, Any] | None = None,
        sites: Mapping[str, str] | None = None,
        kinds: Collection[str] = ARTICLE_LIKE,
        sources: Mapping[str, Sequence[str]] | None = None,
    ) -> ArticleReader:
        """Return a reader of what is given by name; `sources` are other orders than `PRECEDENCE` has for some fields.

        Raises:
            UnknownExtractor, BadExtractorOption, UnknownKind, BadPrecedence: a name or option is wrong.
        """
        by_site = {_domain(site): create_extractor(other) for site, other in (sites or {}).items()}
        return cls(
            create_extractor(name, **(options or {})), by_site, check_kinds(kinds), with_overrides(sources or {})
        )

    def read(self, page: Page) -> Article:
        """Return the article of the page, read by the extractor that it, its site or the crawl names, in this order.

        Raises:
            NoArticle: the page is something else, or holds nothing.
        """
        chosen = create_extractor(page.extractor) if page.extractor else self._extractor_for(page.url)
        extraction = chosen.extract(page)
        metadata = self._metadata(page)
        kind = require_article(page, extraction, metadata, self.kinds)
        return _compose(page, chosen, extraction, metadata, kind)

    def _metadata(self, page: Page) -> Metadata:
        site = _domain(page.url or "")
        metadata = read_metadata(page, self.precedence, self.titles.shared(site))
        self.titles.learn(site, " ".join((page.tree.findtext(".//title") or "").split()))
        return metadata

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
