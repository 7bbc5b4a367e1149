"""Read a page as an article: functions for one page, and a reader for a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from newsextract.article import Article, ArticleMetadata, Author, ExtractionReport
from newsextract.page.page import Page, as_page, html_of
from newsextract.page.text import count_words
from newsextract.page.urls import registrable_domain, same_owner, site_of, split_url
from newsextract.reading.embedded_article import with_hydrated_fields
from newsextract.reading.extraction.contract import create_reader
from newsextract.reading.extraction_options import ExtractionOptions
from newsextract.reading.kinds import judge, require_kind
from newsextract.reading.metadata.media import with_images, with_media
from newsextract.reading.metadata.precedence import PRECEDENCE, read_metadata
from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR, HYDRATION, Notice, NoticeCode
from newsextract.reading.pagination import join_pages, require_version
from newsextract.reading.rules import RuledExtractor, SelectedBody, SiteRules, with_ruled_fields

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from newsextract.reading.extraction.contract import Extraction, Extractor
    from newsextract.reading.extraction_options import Preference
    from newsextract.reading.kinds import PageKind
    from newsextract.reading.metadata.clues import Metadata


# Compose an article from what was read of its page: the body, the metadata and the kind.


def compose(page: Page, extraction: Extraction, metadata: Metadata, kind: PageKind | None = None) -> Article:
    """Compose an article from the extraction, the metadata and the kind of one page."""
    shown = [page.illustrations for page in extraction.by_page]
    metadata = with_images(metadata, shown if extraction.content.images else (), extraction.extractor)
    metadata = with_media(metadata, shown, extraction.extractor)
    body = extraction.text or None
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    stated = {each.name: getattr(metadata, each.name) for each in fields(Article)}
    ours = {
        "url": page.url,
        "articleBody": body,
        "articleBodyHtml": extraction.html or None,
        "wordCount": count_words(body) if body else None,
        "metadata": ArticleMetadata(stamp),
        "extraction": _report(extraction, metadata, tuple(_notices(page, metadata.canonicalUrl))),
    }
    if kind is not None:
        ours["metadata"] = ArticleMetadata(stamp, round(kind.article_probability, 4), kind.kind, list(kind.reasons))
    return Article(**stated | ours)


def _notices(page: Page, canonical: str | None) -> Iterator[Notice]:
    """Yield what is to be known of a page that was fetched with a subscription, or claims that it is a copy."""
    if any(each.hints.with_subscription for each in (page, *page.continued)):
        yield Notice(NoticeCode.WITH_SUBSCRIPTION)
    if page.url and canonical and not same_owner(page.url, canonical):
        yield Notice(NoticeCode.OTHER_DOMAIN, domain=registrable_domain(site_of(canonical)))


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


def with_extras(article: Article, page: Page, extraction: Extraction, wanted: ExtractionOptions) -> Article:
    """Return the article with the posts of a thread, and the comments and the Markdown that were asked for."""
    if wanted.markdown:
        article = replace(article, articleMarkdown=extraction.markdown or None)
    if not (wanted.comments or extraction.posts):
        return article
    from newsextract.reading.metadata.comments import read_comments  # noqa: PLC0415 - read on request

    if found := read_comments(page, extraction.blocks, extraction.posts):
        article = replace(article, comments=found[0])
        if article.extraction:
            article.extraction.sources["comments"] = found[1]
    asked = extraction.posts[0].author if extraction.posts else None
    if asked and not article.authors:
        article = replace(article, authors=[Author(asked, asked)])
        if article.extraction:
            article.extraction.sources["authors"] = "posts"
    return article


def extract(  # noqa: PLR0913 - each option by name
    html: str | bytes,
    url: str | None = None,
    *,
    extractor: str = DEFAULT_EXTRACTOR,
    prefer: Preference = "balance",
    tables: bool = True,
    links: bool = True,
    images: bool = True,
    min_words: int = 0,
    **options: Any,
) -> Extraction:
    """Return what the named extractor keeps of a page; `ExtractionOptions` says what the options are.

    Further options are those of the extractor, such as `version=2` of `eatiht`, and `cleaning`, the mask for any.

    Raises:
        TypeError, PageError: `html` is not the text or the bytes of a page.
        UnknownExtractor, BadExtractorOption: there is no such extractor, or it has no such option.
    """
    wanted = ExtractionOptions(tables, links, images, prefer, min_words)
    return wanted.applied(wanted.extractor(extractor, options).extract(as_page(html, url)))


def read_article(  # noqa: PLR0913 - each option by name
    html: str | bytes | Page,
    url: str | None = None,
    *,
    extractor: str = DEFAULT_EXTRACTOR,
    prefer: Preference = "balance",
    tables: bool = True,
    links: bool = True,
    images: bool = True,
    min_words: int = 0,
    comments: bool = False,
    markdown: bool = False,
    rules: SiteRules | Mapping[str, Any] | None = None,
    body: Any = None,
    **options: Any,
) -> Article:
    """Return the article of a page, whatever its kind; `articleBody` is `None` if no text was found.

    Instead of HTML and its URL it accepts a `Page`, whose further pages are joined. `rules` are those of the page's
    site, named as in `sites.yml`: `rules={"body": "div.story"}`. `body` is a selection of the page that is the body, as
    `response.css("div.story")` or its HTML. The other options are those of `extract`.

    Raises:
        TypeError, PageError, UnknownExtractor, BadExtractorOption: as `extract` does.
        BadRule: a rule cannot be used.
    """
    wanted = ExtractionOptions(tables, links, images, prefer, min_words, comments, markdown)
    own = rules if isinstance(rules, SiteRules | None) else SiteRules.of(rules)
    page = as_page(html, url)
    if body is not None:
        page = Page(page.html, **{**page.arguments, "hints": replace(page.hints, body=html_of(body))})
    return read_page(page, extractor, wanted, options, own)[1]


def read_page(
    page: Page,
    extractor: str,
    wanted: ExtractionOptions,
    options: Mapping[str, Any],
    rules: SiteRules | None = None,
) -> tuple[Extraction, Article]:
    """Return what was kept of a page, its further pages joined, and the article of it."""
    chosen = with_rules(page, wanted.extractor(extractor, options), rules)
    extraction = _extract(chosen, page)
    metadata = read_facts(page, extraction, rules)
    shown = wanted.applied(join_pages(page, extraction, chosen, rules))
    article = compose(page, shown, metadata, kind=judge(page, extraction, metadata))
    return shown, with_extras(article, page, shown, wanted)


def _extract(extractor: Extractor, page: Page) -> Extraction:
    """Return what an extractor keeps of a page, with a warning if that is nothing because only dialogs are there."""
    found = extractor.extract(page)
    if found or not page.has_dialogs():
        return found
    return replace(found, warnings=(*found.warnings, Notice(NoticeCode.ONLY_DIALOG)))


def with_rules(page: Page, extractor: Extractor, rules: SiteRules | None) -> Extractor:
    """Return an extractor that reads by a spider's selection, else by the rules of a site where it has some."""
    if page.hints.body:
        return SelectedBody()
    return cast("Extractor", RuledExtractor(extractor, rules)) if rules else extractor


def read_facts(
    page: Page,
    extraction: Extraction,
    rules: SiteRules | None = None,
    precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE,
) -> Metadata:
    """Return the metadata of a page: what it states, what the data of its scripts adds, what rules find instead."""
    metadata = read_metadata(page, precedence)
    # A rule's body may replace the one from the data.
    if extraction.held_in is not None and extraction.sources.get("articleBody") == HYDRATION:
        metadata = with_hydrated_fields(page, extraction.held_in, metadata, precedence)
    return with_ruled_fields(page, metadata, rules) if rules else metadata


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
    wanted: ExtractionOptions = field(default_factory=ExtractionOptions)
    """Of these, `comments` and `markdown` count: what is read beside the article itself."""
    rules: Mapping[str, SiteRules] = field(default_factory=dict)
    """The rules of sites by domain name; a domain includes its subdomains."""

    def read(self, page: Page) -> Article:
        """Return the article of the page, read by the extractor of the page, else of its site, else of the crawl.

        Raises:
            NoArticle: the page is of another kind, or has no text.
        """
        rules, chosen = self._rules_of(page), self.extractor_of(page)
        extraction = _extract(chosen, page)
        metadata = read_facts(page, extraction, rules, self.precedence)
        require_version(page, metadata.canonicalUrl)
        if version := page.hints.version_address:
            warnings = (Notice(NoticeCode.FROM_VERSION, url=version), *extraction.warnings)
            extraction = replace(extraction, warnings=warnings)
        if page.hints.is_rendered:
            extraction = replace(extraction, warnings=(Notice(NoticeCode.FROM_BROWSER), *extraction.warnings))
        kind = judge(page, extraction, metadata)
        require_kind(kind, extraction, self.kinds)
        joined = join_pages(page, extraction, chosen, rules)
        return with_extras(compose(page, joined, metadata, kind), page, joined, self.wanted)

    def extractor_of(self, page: Page) -> Extractor:
        """Return the extractor of the page, else of its site, else of the crawl, under the rules of its site."""
        chosen = create_reader(page.extractor) if page.extractor else of_host(self.by_site, page.url) or self.default
        return with_rules(page, chosen, self._rules_of(page))

    def _rules_of(self, page: Page) -> SiteRules | None:
        # Rules are written for the page itself, not for other versions of it.
        return None if page.hints.version_address else of_host(self.rules, page.url)


_V = TypeVar("_V")


def of_host(known: Mapping[str, _V], url: str | None) -> _V | None:
    """Return the value of the URL's host, else of the nearest domain above it."""
    if not known or not url:
        return None
    # Sites on one host may differ by port; the settings name domains.
    hosts = [host.split(".") for host in dict.fromkeys((site_of(url), split_url(url).hostname or ""))]
    names = (".".join(labels[start:]) for labels in hosts for start in range(len(labels)))
    return next((known[name] for name in names if name in known), None)
