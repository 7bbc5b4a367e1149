"""The figures of one site in one run: counts rather than shares, so that several runs can be put together."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - a dataclass's types are looked up
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFigures:
    """What a run saw of a site."""

    is_whole: bool = True
    """Whether the run came to its end; what one that was stopped did not see may be there."""
    states: Mapping[str, int] = field(default_factory=dict)
    """Pages by state."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """The commonest reasons of pages that failed or were refused."""
    articles: int = 0
    """Articles that were read, new ones and changed ones."""
    new: int = 0
    barren: int = 0
    """Pages that were fetched to be articles and are none: empty, a listing, something else."""
    undated: int = 0
    """Articles without a date of publication."""
    unsigned: int = 0
    """Articles without an author."""
    untitled: int = 0
    unsure: int = 0
    """Articles of low confidence."""
    misplaced: Mapping[str, int] = field(default_factory=dict)
    """Articles whose `body`, `date` or `author` is not where the site usually has it."""
    layout_changes: int = 0
    """Pages whose kind of address used to have another layout."""
    median_words: int | None = None
    median_delay: int | None = None
    """Seconds from publication to the run's visit, of new articles that state a time of day and are no backlog."""
    delays: int = 0
    """How many articles that is the median of."""
    newest: str | None = None
    """When the newest article was published, ISO 8601 as the page states it."""
    sources_read: int = 0
    """Feeds and sitemaps."""
    sources_failed: int = 0
    front_links: int | None = None
    """Links to articles on the front page; `None` where it was not read, or is what it was."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return what `to_json` gave, by this version or another one."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @property
    def pages(self) -> int:
        """How many pages ended."""
        return sum(self.states.values())

    @property
    def read(self) -> int:
        """How many pages were read to be articles, whether they were or not."""
        return self.articles + self.barren

    @property
    def blocked(self) -> int:
        """How many pages the site refused."""
        return self.states.get("blocked", 0)

    @property
    def asked(self) -> int:
        """How many pages, feeds and sitemaps were asked for."""
        return self.pages + self.sources_read + self.sources_failed

    @property
    def failed(self) -> int:
        """How many of them could not be had."""
        return self.states.get("error", 0) + self.blocked + self.sources_failed

    def share(self, count: int, of: int | None = None) -> float | None:
        """Return a share of the articles, or of what is given; `None` where there are none."""
        whole = self.articles if of is None else of
        return count / whole if whole else None

    @property
    def empty_rate(self) -> float | None:
        """Which share of the pages that were read has no text of an article."""
        return self.share(self.states.get("empty", 0), self.read)
