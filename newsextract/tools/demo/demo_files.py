"""A site's files for programs: a feed of its newest stories (RSS 2.0 or Atom), robots.txt, tdmrep.json, sitemaps."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.blueprints import MEMBERS, TDMREP
from newsextract.tools.demo.resource import Resource
from newsextract.tools.demo.surroundings import section_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from newsextract.tools.demo.demo_stories import DemoArticle
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


def feed_routes(site: DemoSite) -> Mapping[str, Callable[[str], Resource]]:
    """Return a function that builds the feed, by the feed's path."""
    write, kind = {"rss": (_rss, "rss"), "atom": (_atom, "atom")}[site.blueprint.feed_format]
    content_type = f"application/{kind}+xml; charset=utf-8"
    return {
        site.blueprint.addresses.feed: lambda base: Resource(
            write(site, base).encode(), content_type, site.stories[0].published
        )
    }


def _rss(site: DemoSite, base: str) -> str:
    items = "\n".join(_rss_item(article) for article in site.articles(base)[:NEWEST])
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>{escape(site.vocabulary.publisher)}</title><link>{base}/</link>
<description>{escape(site.furniture.slogan)}</description><language>{site.vocabulary.language}</language>
{items}
</channel>
</rss>
"""


def _rss_item(article: DemoArticle) -> str:
    return f"""<item><title>{escape(article.headline)}</title><link>{escape(article.url)}</link>
<guid isPermaLink="true">{escape(article.url)}</guid><description>{escape(article.description)}</description>
<pubDate>{format_datetime(datetime.fromisoformat(article.date_published))}</pubDate>
<dc:creator>{escape(", ".join(article.authors))}</dc:creator>
<category>{escape(article.section)}</category></item>"""


def _atom(site: DemoSite, base: str) -> str:
    entries = "\n".join(_atom_entry(article) for article in site.articles(base)[:NEWEST])
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{site.vocabulary.language}">
<title>{escape(site.vocabulary.publisher)}</title><id>{base}/</id>
<link href="{base}/"/><link rel="self" href="{base}{site.blueprint.addresses.feed}"/>
<updated>{site.stories[0].modified.isoformat()}</updated>
{entries}
</feed>
"""


def _atom_entry(article: DemoArticle) -> str:
    authors = "".join(f"<author><name>{escape(name)}</name></author>" for name in article.authors)
    return f"""<entry><title>{escape(article.headline)}</title><id>{escape(article.url)}</id>
<link href="{escape(article.url)}"/><published>{article.date_published}</published>
<updated>{article.date_modified}</updated>{authors}<summary>{escape(article.description)}</summary></entry>"""
