"""Why a sitemap, feed or other file of a site could not be read, as a short reason that makes a stat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.crawl.spiders.fetch_failures import outcome_of

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure


def reason_of_failure(failure: Failure, request: Request) -> str:
    """Return why a file could not be fetched."""
    outcome = outcome_of(failure, request)
    return outcome[1] if outcome else "robots.txt forbids it"
