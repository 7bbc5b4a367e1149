"""The JSON-LD graph of an article page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.tools.demo.layouts.page_frame import ArticlePage, Surroundings


def graph(page: ArticlePage, around: Surroundings) -> str:
    """Return the site, its publisher, the article and its breadcrumb as one linked graph."""
    nodes = [
        {"@type": "WebSite", "@id": f"{around.home}#site", "url": around.home, "name": around.site_name},
        {"@type": "NewsMediaOrganization", "@id": f"{around.home}#publisher", "name": around.site_name},
        _article(page, around),
        _breadcrumb(page, around),
    ]
    text = json.dumps({"@context": "https://schema.org", "@graph": nodes}, ensure_ascii=False)
    return text.replace("</", "<\\/")


def _article(page: ArticlePage, around: Surroundings) -> dict[str, object]:
    truth = page.truth
    return {
        "@type": "NewsArticle",
        "@id": f"{truth.url}#article",
        "mainEntityOfPage": truth.url,
        "headline": truth.headline,
        "description": truth.description,
        "datePublished": truth.date_published,
        "dateModified": truth.date_modified,
        "author": [{"@type": "Person", "name": name} for name in truth.authors],
        "publisher": {"@id": f"{around.home}#publisher"},
        "articleSection": truth.section,
        "keywords": list(truth.keywords),
        "inLanguage": truth.language,
        "image": [truth.image],
        "isAccessibleForFree": True,
    }


def _breadcrumb(page: ArticlePage, around: Surroundings) -> dict[str, object]:
    steps = (
        (around.furniture.home, around.home),
        (page.section.label, page.section.url),
        (page.truth.headline, page.truth.url),
    )
    items = [
        {"@type": "ListItem", "position": position, "name": name, "item": url}
        for position, (name, url) in enumerate(steps, start=1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}
