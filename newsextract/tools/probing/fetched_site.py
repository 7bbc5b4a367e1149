"""What was fetched from a site, before it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

from newsextract.page.links import page_links
from newsextract.sites.article_address import Candidate
from newsextract.sites.site import Site

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.tools.probing.samples import Sample

SourceKind: TypeAlias = Literal["feed", "news_sitemap", "sitemap", "links"]

MOST_SECTIONS = 5
"""Sections whose links are read while too few pages are known that may be articles."""


@dataclass(frozen=True, slots=True)
class Robots:
    """What a robots.txt says about us."""

    is_allowed: bool = True
    """Whether we may fetch the requested page."""
    delay: float | None = None
    """Seconds between requests."""
    sitemaps: tuple[str, ...] = ()
    status: int | None = None
    """The status code; `None` if there was no response."""


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A feed, a sitemap, or the links of the home page, with what it lists."""

    kind: SourceKind
    url: str
    entries: tuple[Candidate, ...] = ()
    trouble: str | None = None
    """Why it could not be read, or not to its end; `None` if it was."""
    root: str | None = None
    """The sitemap index that lists it."""

    @property
    def is_readable(self) -> bool:
        """Whether it lists anything."""
        return bool(self.entries)


@dataclass
class Visit:
    """One visit of a site, filled in as it proceeds."""

    asked: str
    """The URL that was given."""
    landed: str | None = None
    """The final URL after redirects."""
    home: Page | None = None
    error: str | None = None
    """Why there is nothing to report."""
    refused_host: str | None = None
    """The host whose address is private, if that is why: the page may redirect to it."""
    robots: dict[str, Robots] = field(default_factory=dict)
    """By host and port."""
    sources: list[FoundSource] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    """The pages that a crawl would fetch first, read."""
    pending: list[str] = field(default_factory=list)
    """URLs that were not fetched for lack of time."""
    requests: int = 0
    seconds: float = 0.0
    is_cut: bool = False
    """Whether the time ran out."""

    @property
    def start(self) -> str:
        """The page to start from."""
        return self.landed or self.asked

    @property
    def site(self) -> Site:
        """The site of that page."""
        return Site(self.start)

    def listed(self) -> int:
        """Return the number of pages that the sources list."""
        return len({entry.url for source in self.sources for entry in source.entries})

    def sections(self) -> int:
        """Return the number of sections whose links were read."""
        return max(sum(source.kind == "links" for source in self.sources) - 1, 0)

    def robots_here(self) -> Robots | None:
        """Return what the robots.txt of the start page's host says; `None` if none was read."""
        found = (self.robots.get(urlsplit(url).netloc) for url in (self.start, self.asked))
        return next((robots for robots in found if robots is not None), None)

    def is_elsewhere(self) -> bool:
        """Return whether the URL redirected to another site."""
        return self.landed is not None and not Site(self.asked).holds(self.landed)


def links_of(home: Page, site: Site) -> FoundSource:
    """Return the links from a home page or section to other pages of its site, as a source."""
    links = page_links(home.tree, home.base_url or "")
    entries = tuple(Candidate(link.url, "links", title=link.text or None) for link in links if site.holds(link.url))
    return FoundSource("links", home.url or "", entries)
