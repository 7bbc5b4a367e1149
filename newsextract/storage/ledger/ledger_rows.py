"""The entries and findings of the ledger, as rows of its table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from newsextract.page.urls.clean_urls import url_key
from newsextract.reading.page_state import PageState
from newsextract.sites.frontier.visit_schedule import is_due_by_source
from newsextract.storage.database.value_fitting import moment, stamp, text_hash

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class Role(StrEnum):
    """Why a URL is visited."""

    ARTICLE = "candidate"
    """It may be an article, or is one; "candidate" in the table."""
    LISTING = "listing"
    """A page that links to articles."""
    SOURCE = "source"
    """A sitemap or feed."""


def address_id(url: str) -> str:
    """Return the key of a page in the ledger, and of its article's row; all spellings of a URL share it.

    >>> address_id("http://www.example.com/a/") == address_id("https://example.com/a")
    True
    """
    return text_hash(url_key(url))


def source_id(url: str, site: str) -> str:
    """Return the key of a sitemap or feed in the ledger, which differs for each spelling and each site that names it.

    Any site can name another site's file, so each site has its own entry for it.

    >>> source_id("https://example.com/feed", "example.com") == source_id("https://example.com/feed", "other.example")
    False
    """
    return text_hash(f"{site}\n{url}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A URL that a source or page lists."""

    url: str
    """Clean, see `newsextract.page.urls.clean_urls.clean_url`."""
    site: str
    role: Role
    found_in: str | None = None
    """`sitemap`, `news_sitemap`, `feed` or `links`; for a source, its own kind."""
    depth: int = 1
    """Clicks from the home page, which has depth 0."""
    listed: datetime | None = None
    """The date that the source states, of publication or change."""
    hints: dict[str, str] | None = None
    """What the source states about the article: `title`, `date`."""

    @property
    def id(self) -> str:
        """The key of the URL."""
        return source_id(self.url, self.site) if self.role is Role.SOURCE else address_id(self.url)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the ledger knows of one URL."""

    id: str
    url: str
    site: str
    role: Role
    found_in: str | None
    depth: int
    hints: dict[str, str] | None
    listed: datetime | None
    state: str | None
    """How the last visit ended, usually a `PageState`; `None` before the first."""
    etag: str | None
    last_modified: str | None
    content_hash: str | None
    article_id: str | None
    date_published: datetime | None
    first_seen: datetime
    visited: datetime | None
    next_visit: datetime | None
    interval_seconds: int | None
    unchanged: int
    failures: int

    @property
    def is_new(self) -> bool:
        """Whether no visit of it was completed."""
        return self.visited is None

    def is_due(self, now: datetime) -> bool:
        """Return whether it is due: for the first time, again, or because its source has a newer date."""
        if self.next_visit is not None and self.next_visit <= now:
            return True
        if self.visited is None:
            return self.next_visit is None  # if set, its host has asked to wait
        return is_due_by_source(self.listed, self.visited, self.unchanged + self.failures, now)

    def told(self, finding: Finding, now: datetime) -> Entry:
        """Return the entry updated with a finding; the same entry if the finding adds nothing.

        A page that was visited as a candidate and is not an article may turn out to be a section: then it is due again.
        """
        # To the second, as stored: otherwise a date with a fraction would look new in every run.
        listed = finding.listed and finding.listed.replace(microsecond=0)
        is_newer = listed is not None and (self.listed is None or listed > self.listed)
        entry = replace(self, listed=listed) if is_newer else self
        hints = {**(self.hints or {}), **(_storable(finding.hints) or {})} or None
        if hints != self.hints:
            entry = replace(entry, hints=hints)
        is_section = finding.role is Role.LISTING and self.role is Role.ARTICLE
        if is_section and self.state != PageState.ARTICLE and self.article_id is None:
            entry = replace(entry, role=Role.LISTING, depth=finding.depth, next_visit=now)
        return entry


def entry_of(row: Mapping[Any, Any]) -> Entry:
    """Return a row of the ledger as an entry."""
    values: dict[str, Any] = {name: row[name] for name in _SAME_NAMES}
    values |= {name: row[column] and moment(row[column]) for name, column in _TIMES.items()}
    return Entry(role=Role(row["role"]), **values)


def new_row(key: str, finding: Finding, now: datetime) -> dict[str, Any]:
    """Return the row of a new URL: due at once."""
    return empty_row() | {
        "id": key,
        "url": finding.url,
        "site": finding.site,
        "role": finding.role.value,
        "found_in": finding.found_in,
        "depth": finding.depth,
        "hints": _storable(finding.hints),
        "date_listed": finding.listed and stamp(finding.listed),
        "date_first_seen": stamp(now),
        "next_visit": stamp(now),
    }


def empty_row() -> dict[str, Any]:
    """Return the columns that are empty before the first visit."""
    return dict.fromkeys(_UNKNOWN) | {"visits": 0, "unchanged": 0, "failures": 0}


def _storable(hints: dict[str, str] | None) -> dict[str, str] | None:
    """Return the texts without half surrogate pairs, which MariaDB refuses, and NULs, which PostgreSQL refuses."""
    return hints and {name: text.encode("utf-8", "replace").decode().replace("\0", "") for name, text in hints.items()}


_SAME_NAMES = (
    "id", "url", "site", "found_in", "depth", "hints", "state", "etag", "last_modified", "content_hash", "article_id",
    "interval_seconds", "unchanged", "failures",
)  # fmt: skip
_TIMES = {
    "listed": "date_listed",
    "date_published": "date_published",
    "first_seen": "date_first_seen",
    "visited": "date_visited",
    "next_visit": "next_visit",
}
_UNKNOWN = (
    "hints", "date_listed", "state", "reason", "status", "etag", "last_modified", "content_hash", "article_id",
    "date_published", "date_visited", "date_changed", "next_visit", "interval_seconds", "claimed_by",
)  # fmt: skip
