"""Makes the page reader's plan and the workers from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.crawl.readers import ReaderPlan, Readers
from newsextract.settings import (
    COMMENTS,
    DATABASE,
    EXTRACTOR,
    EXTRACTOR_OPTIONS,
    KINDS,
    MARKDOWN,
    METADATA_SOURCES,
    PAGE_SECONDS,
    SITE_MEMORY,
    WORKERS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from newsextract.sites.site import Site


def plan_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> ReaderPlan:
    """Return the plan for reading pages, with the extractors and rules that the list of sites has for its sites."""
    return ReaderPlan(
        EXTRACTOR.of(settings),
        EXTRACTOR_OPTIONS.of(settings),
        kinds=KINDS.of(settings),
        sources=METADATA_SOURCES.of(settings),
        uses_memory=SITE_MEMORY.of(settings),
        listed=tuple(site for site in sites if site.extractor or site.rules),
        comments=COMMENTS.of(settings),
        markdown=MARKDOWN.of(settings),
        database=DATABASE.of(settings),
    )


def readers_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> Readers:
    """Return the workers that read the pages of a crawl; raises `BadSetting`, and `StorageError` for the database."""
    plan = plan_from_settings(settings, sites)
    if not plan.is_usual:
        plan.create()  # a wrong name must fail at start, not on every page
    return Readers(plan, WORKERS.of(settings), seconds=PAGE_SECONDS.of(settings))
