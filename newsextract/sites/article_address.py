"""Which URL an article is known by: the one it was fetched at, or the canonical URL where that is believed.

Whoever writes a page can write any canonical URL into it, so one is believed only within the same site: the same
registrable domain, or hosts that the list of sites puts together. Any other is a claim that the page is a copy, which
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness, is_section_like
from newsextract.page.urls import same_owner
from newsextract.reading.metadata.comparing import is_same_page
from newsextract.reading.notices import Notice, NoticeCode, noticed
from newsextract.sites.site import SiteIndex

if TYPE_CHECKING:
    from datetime import datetime

    from newsextract.article import Article


NO_SITES = SiteIndex(())


def address_of(article: Article, sites: SiteIndex = NO_SITES) -> str:
    """Return the URL that an article is known by, empty if it has none; `sites` is the list that is crawled.

    >>> from newsextract.article import Article
    >>> address_of(Article("https://m.example.com/rain/amp", "https://www.example.com/rain"))
    'https://www.example.com/rain'
    >>> address_of(Article("https://copies.example/rain", "https://www.example.com/rain"))
    'https://copies.example/rain'
    """
    own, stated = article.url or "", article.canonicalUrl or ""
    is_believed = believes(own, stated, sites) and not _is_disowned(article)
    return stated if stated and (not own or is_believed) else own


def believes(own: str, stated: str, sites: SiteIndex = NO_SITES) -> bool:
    """Return whether the canonical URL that a page states can be that of its article."""
    return is_same_site(own, stated, sites) and not _is_above(stated, own)


def is_same_site(one: str, other: str, sites: SiteIndex = NO_SITES) -> bool:
    """Return whether two URLs are on one site, by their domains or by the list of sites.

    >>> from newsextract.sites.site import Site
    >>> one, other = "https://a.example/1", "https://b.test/1"
    >>> together = SiteIndex([Site("https://a.example/", more_starts=("https://b.test/",))])
    >>> is_same_site(one, other), is_same_site(one, other, together)
    (False, True)
    """
    if same_owner(one, other):
        return True
    site = sites.find(one)
    return site is not None and site is sites.find(other)


def _is_above(stated: str, own: str) -> bool:
    """Return whether a canonical URL is the home page or a section that the page is in.

    Some templates state it on every page; a site would end as a single article.
    """
    if is_same_page(stated, own):
        return False
    path, own_path = urlsplit(stated).path.rstrip("/"), urlsplit(own).path
    if urlsplit(stated).query or not own_path.startswith(f"{path}/"):
        return False
    return not path or (is_section_like(stated) and article_likeness(own) >= ARTICLE_THRESHOLD)


def disown(article: Article) -> None:
    """Note that an article is known by its own URL all the same: its canonical URL is another article's."""
    if article.extraction is not None and not _is_disowned(article):
        notice = Notice(NoticeCode.OWN_URL, url=article.canonicalUrl)
        article.extraction.warnings.append(str(notice))
        article.extraction.noticed = (*article.extraction.noticed, notice)


def _is_disowned(article: Article) -> bool:
    report = article.extraction
    return report is not None and any(noticed(NoticeCode.OWN_URL, report.noticed))


# A URL that may be an article, with what its source says about it.

Source: TypeAlias = Literal["sitemap", "news_sitemap", "feed", "links"]

Rank: TypeAlias = tuple[bool, bool, bool, float]

_LISTS_ARTICLES_ONLY = frozenset({"news_sitemap", "feed"})
"""Sources that list only articles, whatever their URLs look like."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL that may be an article."""

    url: str

    source: Source
    """Where the URL was found."""

    date: datetime | None = None
    """When the source says it was published, else modified; with a time zone."""

    title: str | None = None
    """The headline in the source, on one line."""

    language: str | None = None
    """The language tag in the source, as written."""

    published: str | None = None
    """When a feed or news sitemap says it was published, in ISO 8601: unlike `date`, never the time of a change."""

    depth: int = 1
    """Clicks from the home page; URLs from sitemaps and feeds count as linked from the home page."""

    is_revisit: bool = False
    """Whether an earlier run has visited it."""

    entry: bytes | None = None
    """The entry of the site's own feed if it has a text, see `FeedEntry.pack`; it is kept apart from the candidate."""

    @property
    def is_listed(self) -> bool:
        """Whether the source lists articles and nothing else."""
        return self.source in _LISTS_ARTICLES_ONLY

    @property
    def hints(self) -> dict[str, str]:
        """What a feed or news sitemap says about the article: `title` and `date` of publication, as plain text."""
        told = {"title": self.title, "date": self.published} if self.is_listed else {}
        return {name: text for name, text in told.items() if text}

    @property
    def is_article_like(self) -> bool:
        """Whether the source or the URL suggests an article."""
        return self.is_listed or article_likeness(self.url, self.title or "") >= ARTICLE_THRESHOLD


def rank(candidate: Candidate) -> Rank:
    """Return a sort key: new before revisits, then article-like, then newest; undated ones come last."""
    date = candidate.date
    newness = -date.timestamp() if date else 0.0
    return candidate.is_revisit, not candidate.is_article_like, date is None, newness
