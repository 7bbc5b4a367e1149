"""Meta tags: OpenGraph, Twitter, Dublin Core, and the names that publishing systems invented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

NAMES: Mapping[str, tuple[str, ...]] = {
    field: tuple(names.split())
    for field, names in {
        "headline": """
            og:title headline parsely-title sailthru.title citation_title dcterms.title dc.title twitter:title title
            """,
        "description": """
            og:description description twitter:description sailthru.description dcterms.description dc.description
            dcterms.abstract
            """,
        "datePublished": """
            article:published_time article:published og:article:published_time og:published_time datepublished
            parsely-pub-date sailthru.date citation_publication_date citation_online_date citation_date
            dcterms.issued dc.date.issued dcterms.date dc.date dcterms.created dc.date.created
            cxenseparse:recs:publishtime article.published publish_date publish-date published_date publication_date
            publication-date published pubdate datecreated date
            """,
        "dateModified": """
            article:modified_time article:modified og:article:modified_time og:updated_time datemodified
            dcterms.modified dc.date.modified article.updated lastmod last-modified revised
            """,
        "authors": """
            parsely-author sailthru.author citation_author dcterms.creator dc.creator author article:author
            og:article:author article:author_name cxenseparse:author byl byline creator
            """,
        "publisher": "og:site_name dcterms.publisher dc.publisher publisher application-name",
        "inLanguage": """
            inlanguage html:lang og:locale content-language dcterms.language dc.language citation_language language
            """,
        "section": """
            article:section og:article:section og:section parsely-section articlesection article.section
            prism.section section sections cse_sectionname article:category category
            """,
        "keywords": """
            news_keywords article:tag og:article:tag parsely-tags sailthru.tags keywords citation_keywords dc.subject
            """,
        "mainImage": "og:image og:image:url og:image:secure_url twitter:image link:image_src",
        "images": "og:image og:image:url og:image:secure_url twitter:image link:image_src",
        "videos": "og:video og:video:url og:video:secure_url",
        "audios": "og:audio og:audio:url og:audio:secure_url",
        "canonicalUrl": "link:canonical og:url",
        "isAccessibleForFree": "isaccessibleforfree article:content_tier",
    }.items()
}
"""The names of the meta tags for each field, the best first."""

_TOGETHER = frozenset(("keywords", "images", "videos", "audios"))
"""Fields whose repeated tags form one list; those of other fields are alternatives."""


def read(clues: Clues) -> Findings:
    """Return the values of the page's meta tags, in the order of `NAMES`."""
    meta = clues.meta
    candidates: dict[str, list[Raw]] = {}
    for field, names in NAMES.items():
        if found := [meta[name] for name in names if name in meta]:
            candidates[field] = [raw for texts in found for raw in _as_candidates(field, tuple(texts))]
    return Findings(candidates)


def _as_candidates(field: str, texts: tuple[str, ...]) -> tuple[Raw, ...]:
    """Return the texts of one tag name as candidates: one for each text, or one for all of them."""
    if field == "authors":
        return (tuple(Author(text) for text in texts),)
    return (texts,) if field in _TOGETHER else texts
