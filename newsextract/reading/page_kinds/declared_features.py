"""Features from the page's declarations: structured data, OpenGraph, the `<head>`, and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Outline
    from newsextract.reading.metadata import Metadata

TYPES = {
    "article": ("Article", "Posting", "Report"),
    "list": ("CollectionPage", "ItemList", "SearchResultsPage", "ProfilePage"),
    "product": ("Product", "Offer", "AggregateRating"),
    "forum": ("DiscussionForumPosting", "QAPage", "Question", "Answer", "Comment"),
    "guide": ("HowTo", "FAQPage", "Recipe", "TechArticle"),
    "house": ("LocalBusiness", "Service", "AboutPage", "ContactPage", "PostalAddress"),
    "event": ("Event", "Place", "Course", "JobPosting", "SoftwareApplication", "Book"),
    "page": ("WebPage", "ItemPage"),
    "site": ("WebSite", "SearchAction"),
    "person": ("Person",),
}
"""Groups of schema.org types, by the end of their names."""

OG_TYPES = {
    "article": ("article", "news", "blog"),
    "website": ("website", "page"),
    "product": ("product", "og:product", "store"),
}

GENERATORS = {
    "manual": ("sphinx", "docusaurus", "mkdocs", "gitbook", "javadoc", "doxygen", "mediawiki"),
    "forum": ("vbulletin", "phpbb", "discourse", "xenforo", "vanilla", "mybb", "invision"),
    "shop": ("shopify", "woocommerce", "magento", "prestashop", "opencart"),
    "press": ("wordpress", "drupal", "ghost", "blogger", "movable type", "joomla"),
}
"""Programs that mostly make one kind of page."""

_STATED = {
    "article:published_time": "time", "article:section": "section", "article:tag": "keywords",
    "article:author": "author", "author": "author", "product:price:amount": "price", "og:price:amount": "price",
    "news_keywords": "keywords", "keywords": "keywords",
}  # fmt: skip
_LINKED = {
    "next": "next", "prev": "next", "amphtml": "amp", "shortlink": "short", "alternate": "alternate",
    "canonical": "canonical",
}  # fmt: skip
_HEAD_ELEMENTS = 400
"""Elements searched for those of the `<head>`."""

_STRUCTURED = frozenset(("json_ld", "meta_tags", "microdata"))
_BY_EYE, _DECLARED = 1.0, 2.0
"""The values of a date or an author found in the text, as on pages of any kind, and in structured data."""


def of_types(metadata: Metadata, around: Iterable[HtmlElement]) -> dict[str, float]:
    """Return the types that the page declares: in JSON-LD, around its main content, and in OpenGraph."""
    types = set(metadata.schemaTypes)
    for element in around:
        types.update(name.rstrip("/").rpartition("/")[2] for name in (element.get("itemtype") or "").split())
    found = {f"type_{group}": float(any(name.endswith(ends) for name in types)) for group, ends in TYPES.items()}
    own = (metadata.ogType or "").lower()
    kinds = {f"og_{group}": float(own.startswith(starts)) for group, starts in OG_TYPES.items()}
    return found | kinds | {"og_missing": float(not own)}


def of_head(outline: Outline) -> dict[str, float]:
    """Return what the other meta tags and links of the head declare."""
    names = dict.fromkeys((*_STATED.values(), *_LINKED.values()))
    found = {f"head_{name}": 0.0 for name in names} | {f"made_{name}": 0.0 for name in GENERATORS}
    for element in _in_head(outline, "meta"):
        name = (element.get("property") or element.get("name") or "").lower()
        if name in _STATED:
            found[f"head_{_STATED[name]}"] = 1.0
        elif name == "generator":
            found |= _makers((element.get("content") or "").lower())
    for element in _in_head(outline, "link"):
        for rel in (element.get("rel") or "").lower().split():
            if rel in _LINKED:
                found[f"head_{_LINKED[rel]}"] = 1.0
    return found


def _in_head(outline: Outline, tag: str) -> Iterator[HtmlElement]:
    return (outline.elements[number] for number in outline.tagged(tag) if number < _HEAD_ELEMENTS)


def _makers(program: str) -> dict[str, float]:
    return {f"made_{kind}": 1.0 for kind, words in GENERATORS.items() if any(word in program for word in words)}


def of_metadata(metadata: Metadata) -> dict[str, float]:
    """Return which metadata fields the page fills, and from which kind of source."""
    sources = metadata.sources
    return {
        "date_source": _worth(sources.get("datePublished")),
        "author_source": _worth(sources.get("authors")),
        "is_modified": float(metadata.dateModified is not None),
        "authors": float(min(len(metadata.authors or ()), 3)),
        "headline_chars": float(len(metadata.headline or "")),
        "headline_is_heading": float(sources.get("headline") == "heading"),
        "description_chars": float(len(metadata.description or "")),
        "keywords": float(len(metadata.keywords or ())),
        "breadcrumbs": float(len(metadata.breadcrumbs or ())),
        "has_main_image": float(metadata.mainImage is not None),
        "has_access": float(metadata.isAccessibleForFree is not None),
        "has_publisher": float(metadata.publisher is not None),
    }


def _worth(source: str | None) -> float:
    return (_DECLARED if source in _STRUCTURED else _BY_EYE) if source else 0.0
