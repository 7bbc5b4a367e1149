"""Read a page as an article: functions for one page, and a reader for a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.page.page import Page
from newsextract.page.urls.clean_urls import site_of
from newsextract.page.urls.registrable_domains import registrable_domain, same_owner
from newsextract.page.urls.url_parts import split_url
from newsextract.page.words import count_words
from newsextract.reading.article_extras import Extras, with_extras
from newsextract.reading.extraction.contract import Extraction, Extractor, create_extractor
from newsextract.reading.metadata import PRECEDENCE, read_metadata, with_overrides
from newsextract.reading.metadata.article_images import with_images
from newsextract.reading.metadata.article_media import with_media
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.page_joining import join_pages
from newsextract.reading.page_kinds.page_kind import check_kinds, judge, require_kind
from newsextract.reading.reading_defaults import ARTICLE_LIKE, DEFAULT_EXTRACTOR
from newsextract.reading.site_memory.page_lesson import sight, teach
from newsextract.reading.site_memory.site_memories import Memories

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from newsextract.reading.metadata import Metadata
    from newsextract.reading.page_kinds.page_kind import PageKind
    from newsextract.reading.site_memory.site_memories import Shelf
    from newsextract.reading.site_memory.site_memory import Recalled


def extract(
    html: str | bytes, url: str | None = None, *, extractor: str = DEFAULT_EXTRACTOR, **options: Any
) -> Extraction:
    """Return what the named extractor keeps of a page; raises as `create_extractor` does."""
    return create_extractor(extractor, **options).extract(Page(html, url))


def read_article(
    html: str | bytes | Page,
    url: str | None = None,
    *,
    extractor: str = DEFAULT_EXTRACTOR,
    comments: bool = False,
    markdown: bool = False,
    **options: Any,
) -> Article:
    """Return the article of a page, whatever its kind; `articleBody` is `None` if no text was found.

    Instead of HTML and its URL it accepts a `Page`, whose further pages are joined. `comments` and `markdown` fill the
    fields `comments` and `articleMarkdown`.
    """
    page = html if isinstance(html, Page) else Page(html, url)
    chosen = create_extractor(extractor, **options)
    extraction, metadata = chosen.extract(page), read_metadata(page)
    joined = join_pages(page, extraction, chosen)
    article = compose(page, joined, metadata, kind=judge(page, extraction, metadata))
    return with_extras(article, page, joined, Extras(comments, markdown))


@dataclass(frozen=True)
class ArticleReader:
    """Reads the articles of a crawl, with a default extractor and others for some sites."""

    default: Extractor
    by_site: Mapping[str, Extractor] = field(default_factory=dict)
    """Extractors by domain name; a domain includes its subdomains."""
    kinds: Collection[str] = ARTICLE_LIKE
    """The kinds of pages that become articles."""
    precedence: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: PRECEDENCE)
    """The metadata sources of each field, in order."""
    memories: Memories = field(default_factory=Memories, repr=False, compare=False)
    """What is known of each site, and what is learned as its pages are read, for later runs."""
    uses_memory: bool = True
    """Whether the body is chosen by what earlier runs have found on other pages of the site.

    What their titles share is used in any case, as soon as it is known.
    """
    extras: Extras = field(default_factory=Extras)
    """What is read beside the article itself."""

    @classmethod
    def create(  # noqa: PLR0913 - a setting each
        cls,
        name: str,
        options: Mapping[str, Any] | None = None,
        sites: Mapping[str, str] | None = None,
        kinds: Collection[str] = ARTICLE_LIKE,
        sources: Mapping[str, Sequence[str]] | None = None,
        *,
        shelf: Shelf | None = None,
        uses_memory: bool = True,
    ) -> ArticleReader:
        """Return a reader with extractors given by name; `sources` replaces the order of `PRECEDENCE` for some fields.

        The site memories are saved on the `shelf`, if there is one.

        Raises:
            UnknownExtractor, BadExtractorOption, UnknownKind, BadPrecedence: a name or option is wrong.
        """
        by_site = {_domain(site): create_extractor(other) for site, other in (sites or {}).items()}
        return cls(
            create_extractor(name, **(options or {})),
            by_site,
            check_kinds(kinds),
            with_overrides(sources or {}),
            Memories(shelf if uses_memory else None),
            uses_memory,
        )

    def read(self, page: Page, *, learn: bool = True) -> Article:
        """Return the article of the page, read by the extractor of the page, else of its site, else of the crawl.

        With `learn`, the memory of its site learns from the page, and warns if it is unlike the others.

        Raises:
            NoArticle: the page is of another kind, or has no text.
        """
        chosen, site = self._extractor_of(page), site_of(page.url or "")
        known = self._recall(site, page)
        extraction = chosen.extract(page)
        metadata = read_metadata(page, self.precedence, self.memories.of(site).titles.shared())
        kind = judge(page, extraction, metadata)
        if learn and known is not None and kind.kind != "listing":
            lesson = teach(page, known.sighting, extraction, metadata)
            warnings = (*extraction.warnings, *known.warnings, *self.memories.learn(site, lesson))
            extraction = replace(extraction, warnings=warnings)
        elif learn:
            self.memories.of(site).titles.learn(fold(page.tree.findtext(".//title") or ""))
        require_kind(kind, extraction, self.kinds)
        joined = join_pages(page, extraction, chosen)
        return with_extras(compose(page, joined, metadata, kind=kind), page, joined, self.extras)

    def _recall(self, site: str, page: Page) -> Recalled | None:
        """Give the page, and those that continue it, what was known of the site before this run.

        Return what has been learned of the page by now; `None` without memory or address.
        """
        if not self.uses_memory or not site:
            return None
        sighting = sight(page)
        if known := self.memories.known(site):
            page.evidence = known.recall(sighting).evidence
            for further in page.continued:
                further.evidence = known.recall(sight(further)).evidence
        return self.memories.of(site).recall(sighting)

    def _extractor_of(self, page: Page) -> Extractor:
        return create_extractor(page.extractor) if page.extractor else self._extractor_for(page.url)

    def _extractor_for(self, url: str | None) -> Extractor:
        if not self.by_site or not url:
            return self.default
        # Sites on one host may differ by port; the settings name domains.
        hosts = [host.split(".") for host in dict.fromkeys((site_of(url), split_url(url).hostname or ""))]
        names = (".".join(labels[start:]) for labels in hosts for start in range(len(labels)))
        return next((self.by_site[name] for name in names if name in self.by_site), self.default)


def _domain(site: str) -> str:
    """Return the domain of a site that may be written as a URL or with a port.

    >>> _domain("https://www.Example.com/"), _domain("127.0.0.1:8801"), _domain("example.com")
    ('example.com', '127.0.0.1', 'example.com')
    """
    parts = urlsplit(site if "//" in site else f"//{site}")
    return (parts.hostname or site).removeprefix("www.")


def compose(
    page: Page,
    extraction: Extraction,
    metadata: Metadata,
    downloaded: datetime | None = None,
    kind: PageKind | None = None,
) -> Article:
    """Compose an article from the extraction, the metadata and the kind of one page."""
    metadata = with_images(metadata, extraction.blocks, extraction.extractor)
    metadata = with_media(metadata, extraction.blocks, extraction.extractor)
    body = extraction.text or None
    stamp = (downloaded or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    stated = {each.name: getattr(metadata, each.name) for each in fields(Article)}
    ours = {
        "url": page.url,
        "articleBody": body,
        "articleBodyHtml": extraction.html or None,
        "wordCount": count_words(body) if body else None,
        "metadata": _obtained(stamp, kind),
        "extraction": _report(extraction, metadata, _foreign(page.url, metadata.canonicalUrl)),
    }
    return Article(**stated | ours)


def _obtained(stamp: str, kind: PageKind | None) -> ArticleMetadata:
    if kind is None:
        return ArticleMetadata(stamp)
    return ArticleMetadata(stamp, round(kind.article_probability, 4), kind.kind, list(kind.reasons))


def _foreign(url: str | None, canonical: str | None) -> tuple[Notice, ...]:
    """Return a notice of a canonical URL that is not on the page's site: it claims that the page is a copy."""
    if not url or not canonical or same_owner(url, canonical):
        return ()
    return (Notice(NoticeCode.OTHER_DOMAIN, domain=registrable_domain(site_of(canonical))),)


def _report(extraction: Extraction, metadata: Metadata, notices: tuple[Notice, ...]) -> ExtractionReport:
    sources = dict(metadata.sources)
    if extraction.text:
        sources |= {"articleBody": extraction.extractor, **extraction.sources}
    warnings = (*metadata.warnings, *notices, *extraction.warnings)
    return ExtractionReport(
        extraction.extractor,
        round(extraction.confidence, 4),
        sources,
        [str(warning) for warning in warnings],
        metadata.languageConfidence,
        warnings,
    )
