"""The files of a site for robots: robots.txt, tdmrep.json, a sitemap or sitemap index, and a news sitemap."""

from __future__ import annotations

import gzip
import json
from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.blueprints import MEMBERS, TDMREP
from newsextract.tools.demo.resource import Resource
from newsextract.tools.demo.surroundings import section_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from newsextract.tools.demo.newsroom import DemoSite

SITEMAP = "/sitemap.xml"
NEWS_SITEMAP = "/sitemap-news.xml"
NEWEST = 20
XML_TYPE = "application/xml; charset=utf-8"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
NEWS_NAMESPACE = "http://www.google.com/schemas/sitemap-news/0.9"


def sitemap_routes(site: DemoSite) -> Mapping[str, Callable[[str], Resource]]:
    """Return functions that build robots.txt and the sitemaps, by path."""
    articles = f"/sitemap-articles.xml{'.gz' if site.blueprint.sitemap == 'gzip_index' else ''}"
    table: dict[str, Callable[[str], Resource]] = {
        "/robots.txt": lambda base: Resource(_robots(site, base), "text/plain; charset=utf-8", site.today),
        NEWS_SITEMAP: lambda base: Resource(_news(site, base), XML_TYPE, site.today),
    }
    if site.blueprint.reserved:
        table[TDMREP] = lambda base: Resource(_reserved(site, base), "application/json", site.today)
    match site.blueprint.sitemap:
        case "flat":
            table[SITEMAP] = lambda base: Resource(_articles(site, base), XML_TYPE, site.today)
        case "index":
            table[SITEMAP] = lambda base: Resource(_index(site, base, articles), XML_TYPE, site.today)
            table[articles] = lambda base: Resource(_articles(site, base), XML_TYPE, site.today)
        case "gzip_index":
            table[SITEMAP] = lambda base: Resource(_index(site, base, articles), XML_TYPE, site.today)
            table[articles] = lambda base: Resource(_zipped(site, base), "application/gzip", site.today)
    return table


def _robots(site: DemoSite, base: str) -> bytes:
    delay = site.blueprint.crawl_delay
    lines = (
        "User-agent: *",
        f"Disallow: {MEMBERS}",
        *((f"Crawl-delay: {delay}",) if delay else ()),
        "",
        f"Sitemap: {base}{SITEMAP}",
        f"Sitemap: {base}{NEWS_SITEMAP}",
    )
    return "\n".join((*lines, "")).encode()


def _reserved(site: DemoSite, base: str) -> bytes:
    folder = site.blueprint.reserved.format(section=site.vocabulary.sections[0][0])
    policy = base + site.blueprint.addresses.about
    rules = ({"location": folder, "tdm-reservation": 1, "tdm-policy": policy}, {"location": "/", "tdm-reservation": 0})
    return json.dumps(rules).encode()


def _index(site: DemoSite, base: str, articles: str) -> bytes:
    children = (
        f"<sitemap><loc>{base}{path}</loc><lastmod>{site.today.isoformat()}</lastmod></sitemap>"
        for path in (articles, NEWS_SITEMAP)
    )
    return _document("sitemapindex", f'xmlns="{NAMESPACE}"', children)


def _articles(site: DemoSite, base: str) -> bytes:
    pages = (base + path for path in (site.blueprint.addresses.about, site.blueprint.addresses.contact))
    entries = [f"<url><loc>{escape(page)}</loc></url>" for page in pages]
    if site.blueprint.is_section_in_sitemap:
        entries.append(f"<url><loc>{escape(base + section_path(site, 0, 2))}</loc></url>")
    entries += [
        f"<url><loc>{escape(article.url)}</loc><lastmod>{article.date_modified}</lastmod></url>"
        for article in site.articles(base)
    ]
    return _document("urlset", f'xmlns="{NAMESPACE}"', entries)


def _zipped(site: DemoSite, base: str) -> bytes:
    # Without a fixed time the same sitemap would never have the same bytes.
    return gzip.compress(_articles(site, base), mtime=0)


def _news(site: DemoSite, base: str) -> bytes:
    entries = (
        f"""<url><loc>{escape(article.url)}</loc><news:news>
<news:publication><news:name>{escape(article.publisher)}</news:name>
<news:language>{article.language}</news:language></news:publication>
<news:publication_date>{article.date_published}</news:publication_date>
<news:title>{escape(article.headline)}</news:title></news:news></url>"""
        for article in site.articles(base)[:NEWEST]
    )
    return _document("urlset", f'xmlns="{NAMESPACE}" xmlns:news="{NEWS_NAMESPACE}"', entries)


def _document(name: str, namespaces: str, entries: Iterable[str]) -> bytes:
    lines = ('<?xml version="1.0" encoding="UTF-8"?>', f"<{name} {namespaces}>", *entries, f"</{name}>", "")
    return "\n".join(lines).encode()
