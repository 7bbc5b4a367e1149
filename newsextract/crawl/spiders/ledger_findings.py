"""Converts the spider's candidates and links to ledger findings, and ledger entries back."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from newsextract.sites.article_address import Candidate
from newsextract.storage.ledger.ledger import Finding, Role

if TYPE_CHECKING:
    from datetime import datetime

    from newsextract.sites.article_address import Source
    from newsextract.storage.ledger.ledger import Entry


def of_candidate(candidate: Candidate, site: str) -> Finding:
    """Return the finding for a page that may be an article."""
    return Finding(
        candidate.url,
        site,
        Role.ARTICLE,
        candidate.source,
        candidate.depth,
        candidate.date,
        candidate.hints or None,
    )


def of_listing(url: str, site: str, depth: int) -> Finding:
    """Return the finding for a home (depth 0) or section page."""
    return Finding(url, site, Role.LISTING, "links", depth)


def of_source(kind: str, url: str, site: str, lastmod: datetime | None = None) -> Finding:
    """Return the finding for one of the `feeds` or `sitemaps`."""
    return Finding(url, site, Role.SOURCE, kind.removesuffix("s"), listed=lastmod)


def candidate_of(entry: Entry) -> Candidate:
    """Return the candidate for a page that an earlier run has found."""
    hints = entry.hints or {}
    return Candidate(
        entry.url,
        cast("Source", entry.found_in or "links"),  # written only by `of_candidate`
        entry.listed,
        hints.get("title"),
        published=hints.get("date"),
        depth=entry.depth,
        is_revisit=not entry.is_new,
    )
