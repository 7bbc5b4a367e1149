"""A URL that may be an article, with what its source says about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness

if TYPE_CHECKING:
    from datetime import datetime

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
