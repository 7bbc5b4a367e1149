"""What the `NEWSEXTRACT_*` settings say of the reading of pages."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from newsextract.crawl.workers.worker_answers import ReaderPlan
from newsextract.crawl.workers.worker_pool import DEFAULT_PAGES, DEFAULT_SECONDS, Readers, workers_that_pay
from newsextract.reading.page_kinds.page_kind import ARTICLE_LIKE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from newsextract.sites.site_list.site import Site


class BadSetting(ValueError):  # noqa: N818 - the name says that it is an error
    """A setting cannot work; the message names it and says what would be right."""


def plan_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> ReaderPlan:
    """Return how pages are read, those of the list of sites with the extractors that it names."""
    return ReaderPlan(
        settings["NEWSEXTRACT_EXTRACTOR"],
        settings.getdict("NEWSEXTRACT_EXTRACTOR_OPTIONS"),
        settings.getdict("NEWSEXTRACT_SITE_EXTRACTORS"),
        settings.getlist("NEWSEXTRACT_KINDS", list(ARTICLE_LIKE)),
        settings.getdict("NEWSEXTRACT_METADATA_SOURCES"),
        uses_memory=settings.getbool("NEWSEXTRACT_SITE_MEMORY", True),
        listed=tuple(site for site in sites if site.extractor),
        database=settings["NEWSEXTRACT_DATABASE"] or None,
    )


def readers_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> Readers:
    """Return the workers that read the pages of a crawl.

    Raises:
        BadSetting: one of the settings of the workers cannot work.
        StorageError: the database cannot be used.
    """
    workers, seconds, pages = worker_settings(settings)
    return Readers(plan_from_settings(settings, sites), workers, seconds=seconds, pages=pages)


def worker_settings(settings: BaseSettings) -> tuple[int, float, int]:
    """Return how many workers there are, the seconds for a page, and the pages for a worker; raises `BadSetting`."""
    workers = settings["NEWSEXTRACT_WORKERS"]
    count: int = workers_that_pay() if workers in (None, "", "None") else _whole("NEWSEXTRACT_WORKERS", workers, 0)
    value = settings.get("NEWSEXTRACT_PAGE_SECONDS", DEFAULT_SECONDS)
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise BadSetting(f"NEWSEXTRACT_PAGE_SECONDS: {value!r} is no number of seconds; try 20")
    if count:
        _check_travels(plan_from_settings(settings))
    return (
        count,
        seconds,
        _whole("NEWSEXTRACT_WORKER_PAGES", settings.get("NEWSEXTRACT_WORKER_PAGES", DEFAULT_PAGES), 1),
    )


def _whole(name: str, value: object, least: int) -> int:
    if not str(value).isdecimal() or int(str(value)) < least:
        raise BadSetting(f"{name}: {value!r} is no whole number from {least} on")
    return int(str(value))


def _check_travels(plan: ReaderPlan) -> None:
    try:
        pickle.dumps(plan)
    except Exception as error:
        names = "NEWSEXTRACT_EXTRACTOR_OPTIONS or NEWSEXTRACT_METADATA_SOURCES"
        advice = "which NEWSEXTRACT_WORKERS = 0 does without"
        raise BadSetting(f"{names}: cannot be sent to a worker process, {advice}: {error}") from error
