"""An address that may be an article, with what its source already tells about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.sites.links import ARTICLE_THRESHOLD, article_likeness

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Source: TypeAlias = Literal["sitemap", "news_sitemap", "feed", "links"]

_LISTS_ARTICLES_ONLY = frozenset({"news_sitemap", "feed"})
"""Sources in which a listing would be a mistake of the site, whatever the address looks like."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An address that may be an article."""

    url: str

    source: Source
    """Where the address was found."""

    date: datetime | None = None
    """When the source says it was published, else modified; always aware."""

    title: str | None = None
    """The headline in the source, on one line."""

    language: str | None = None
    """The language tag in the source, as written."""

    @property
    def is_article_like(self) -> bool:
        """Whether the source or the address promises an article."""
        is_listed = self.source in _LISTS_ARTICLES_ONLY
        return is_listed or article_likeness(self.url, self.title or "") >= ARTICLE_THRESHOLD


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates with the article-like first, then the newest, the undated last."""
    return sorted(candidates, key=_rank)


def _rank(candidate: Candidate) -> tuple[bool, bool, float]:
    date = candidate.date
    return not candidate.is_article_like, date is None, -date.timestamp() if date else 0.0
