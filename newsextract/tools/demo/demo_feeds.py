"""The feed of a site, in RSS 2.0 or Atom: its newest stories."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from newsextract.tools.demo.newsroom import DemoSite
    from newsextract.tools.demo.truth import DemoArticle

NEWEST = 20


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
