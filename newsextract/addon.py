"""The Scrapy add-on: one line in a project's settings has its responses extracted, and leaves the rest alone."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Self

from newsextract.crawl.spider_arguments import ArgumentError
from newsextract.settings import DATABASE, WARC, BadSetting, check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

COMPONENTS = (
    ("SPIDER_MIDDLEWARES", "newsextract.crawl.opt_in.ArticleMiddleware", 50),
    ("ITEM_PIPELINES", "newsextract.crawl.pipelines.ReadingPipeline", 50),
    ("EXTENSIONS", "newsextract.crawl.parts.CrawlParts", 0),
)
"""What turns responses into articles: all that a project gets."""

STORAGE = ("ITEM_PIPELINES", "newsextract.crawl.pipelines.StoringPipeline", 900)
"""What `NEWSEXTRACT_DATABASE` adds: last, so that articles are stored as the project's own pipelines leave them."""

CAPTURE = (
    ("DOWNLOADER_MIDDLEWARES", "newsextract.crawl.capture.Capture", 583),
    ("DOWNLOADER_MIDDLEWARES", "newsextract.crawl.capture.SentBodies", 605),
)
"""What `NEWSEXTRACT_WARC` adds: one behind what unpacks bodies (590) and hides a subscriber's secrets (585), one before
that, and before redirects are followed (600)."""


class NewsExtract:
    """The add-on: `ADDONS = {"newsextract.addon.NewsExtract": 500}`. It keeps what the project sets itself.

    A spider may name components of its own as `newsextract_components`, in the form of `COMPONENTS`: `news` does.
    """

    def __init__(self, components: Iterable[tuple[str, str, int | None]] = ()) -> None:
        self.components = components

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the components of the spider."""
        return cls(getattr(crawler.spidercls, "newsextract_components", ()))

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; raises `BadSetting` for a setting that cannot work."""
        from scrapy.utils.misc import load_object  # noqa: PLC0415 - the modules above say that Scrapy is missing

        for logger in ("asyncio", "twisted"):  # they log why a crawl does not start
            logging.getLogger(logger).addFilter(_say_in_one_line)
        check(settings)
        storage = [STORAGE] if DATABASE.of(settings) else []
        capture = CAPTURE if WARC.of(settings) else ()
        for name, path, order in (*self.components, *COMPONENTS, *storage, *capture):
            given = settings.getdict(name)
            if load_object(path) not in map(load_object, given):
                # By its path: Scrapy 2.13 takes a class and its path in the settings' base for two components.
                settings.set(name, {**given, path: order}, settings.getpriority(name) or 0)


def _say_in_one_line(record: logging.LogRecord) -> bool:
    """Replace the traceback of a mistake by what the error says."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    storage = sys.modules.get("newsextract.storage.database")  # which brings SQLAlchemy
    if isinstance(error, BadSetting | ArgumentError) or (storage and isinstance(error, storage.StorageError)):
        record.msg, record.args, record.exc_info = str(error), (), None
    return True
