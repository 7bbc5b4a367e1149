"""How the three demo sites differ: layout, URLs, charset, and what they tell robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from newsextract.tools.demo.layouts import modern, old_tables, soup

if TYPE_CHECKING:
    from newsextract.tools.demo.layouts.page_frame import Layout

MEMBERS = "/members/"
"""A folder that robots.txt disallows and the home page links to."""

ARCHIVE = "/archive/2009/"
"""A page that every site links to and that does not exist."""

TDMREP = "/.well-known/tdmrep.json"
"""Where a site states which of its texts may be mined."""


@dataclass(frozen=True)
class Addresses:
    """The URL patterns of a site, as format strings."""

    article: str
    duplicate: str
    """A second URL of an article, whose canonical link leads to the first."""
    section: str
    later_section: str
    feed: str
    about: str
    contact: str


@dataclass(frozen=True)
class Blueprint:
    """Everything about a site except its stories."""

    words: str
    """Name of its vocabulary."""
    layout: Layout
    addresses: Addresses
    feed_format: Literal["rss", "atom"]
    sitemap: Literal["gzip_index", "index", "flat"]
    charset: str = "utf-8"
    is_charset_in_header: bool = True
    crawl_delay: float | None = None
    second_page: str = ""
    """URL of the second page of the longest story, a format string; if empty, the story has one page."""
    is_section_in_sitemap: bool = False
    """Whether the sitemap lists a section page among the articles."""
    reserved: str = ""
    """The folder whose texts the site's tdmrep.json reserves, a format string; if empty, there is no such file."""


BLUEPRINTS = (
    Blueprint(
        words="english",
        layout=modern.LAYOUT,
        addresses=Addresses(
            article="/{section}/{date:%Y/%m/%d}/{slug}/",
            duplicate="{path}amp/",
            section="/{section}/",
            later_section="/{section}/page/{page}/",
            feed="/feed.xml",
            about="/about/",
            contact="/contact/",
        ),
        feed_format="rss",
        sitemap="gzip_index",
        reserved="/{section}/",
    ),
    Blueprint(
        words="french",
        layout=soup.LAYOUT,
        addresses=Addresses(
            article="/{section}/{slug}-{number}.html",
            duplicate="{path}?print=1",
            section="/rubrique/{section}",
            later_section="/rubrique/{section}?page={page}",
            feed="/atom.xml",
            about="/qui-sommes-nous.html",
            contact="/contact.html",
        ),
        feed_format="atom",
        sitemap="index",
        crawl_delay=0.1,
        is_section_in_sitemap=True,
    ),
    Blueprint(
        words="chinese",
        layout=old_tables.LAYOUT,
        addresses=Addresses(
            article="/news/{date:%Y%m/%d}/c_{number}.htm",
            duplicate="/print{path}",
            section="/channel/{section}.htm",
            later_section="/channel/{section}_{page}.htm",
            feed="/rss.xml",
            about="/about.htm",
            contact="/contact.htm",
        ),
        feed_format="rss",
        sitemap="flat",
        second_page="{stem}_2.htm",
        # What older sites in this language really use; declared only in the pages.
        charset="gb18030",
        is_charset_in_header=False,
    ),
)

MIRROR = Blueprint(
    words="english",
    layout=modern.LAYOUT,
    addresses=Addresses(
        article="/{section}/{number}-{slug}",
        duplicate="{path}/print",
        section="/topics/{section}",
        later_section="/topics/{section}/{page}",
        feed="/rss",
        about="/about",
        contact="/contact",
    ),
    feed_format="rss",
    sitemap="flat",
)
"""A fourth site, which lives on the stories of the first: see `two_days`."""
