"""The Scrapy add-on: one line in a project's settings adds every component; settings switch them on and off."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from newsextract.crawl.spider_arguments import ArgumentError
from newsextract.settings import SETTINGS, BadSetting, check

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

REPLACEMENTS = {
    "ROBOTSTXT_PARSER": "newsextract.crawl.robots.BoundedRobotParser",
    "SCHEDULER_PRIORITY_QUEUE": "newsextract.crawl.throttle.RestingQueue",
}
"""Scrapy settings for which the add-on has a better default."""

COMPONENTS: dict[str, dict[str, int]] = {
    "ITEM_PIPELINES": {
        "newsextract.crawl.pipelines.ReadingPipeline": 50,
        "newsextract.crawl.pipelines.JudgingPipeline": 60,
        # Last, so that articles are stored as the project's own pipelines leave them.
        "newsextract.crawl.pipelines.StoringPipeline": 900,
    },
    "EXTENSIONS": {
        "newsextract.crawl.sessions.Subscriptions": 0,
        "newsextract.crawl.rendering.rendering.Rendering": 0,
        "newsextract.crawl.parts.CrawlParts": 0,
    },
    "DOWNLOADER_MIDDLEWARES": {
        # After robots.txt was read: what has waited for it meets a host that may rest by now.
        "newsextract.crawl.throttle.Throttle": 110,
        # Between Scrapy's HttpCompressionMiddleware (590) and what reads bodies.
        "newsextract.crawl.sessions.Sessions": 585,
        # After Scrapy's HttpProxyMiddleware (750), to know the request's proxy, and before its cache (900).
        "newsextract.crawl.network_safety.PrivateAddressMiddleware": 780,
        # Below all that keeps, repeats or redirects requests: none of these sees a secret.
        "newsextract.crawl.sessions.SubscriptionHeaders": 950,
    },
    "SPIDER_MIDDLEWARES": {
        "newsextract.crawl.opt_in.ArticleMiddleware": 50,
    },
}

_SCRAPY = "scrapy.downloadermiddlewares"
REPLACED = {
    f"{_SCRAPY}.robotstxt.RobotsTxtMiddleware": ("newsextract.crawl.robots.RobotsRules", 100),
    f"{_SCRAPY}.redirect.MetaRefreshMiddleware": ("newsextract.crawl.network_safety.MetaRefreshes", 580),
    f"{_SCRAPY}.redirect.RedirectMiddleware": ("newsextract.crawl.network_safety.Redirects", 600),
}
"""Our middlewares in place of Scrapy's, unless the project gives Scrapy's a place, or none."""


class NewsExtract:
    """The add-on: `ADDONS = {"newsextract.addon.NewsExtract": 500}`. It keeps what the project sets itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and the defaults; raises `BadSetting` for a setting that cannot work."""
        for logger in ("asyncio", "twisted"):  # they log why a crawl does not start
            logging.getLogger(logger).addFilter(_say_in_one_line)
        check(settings)
        for setting in SETTINGS.values():
            if setting.name not in settings:
                settings.set(setting.name, setting.default, "default")
        for name, value in REPLACEMENTS.items():
            if settings.getpriority(name) == SETTINGS_PRIORITIES["default"]:
                settings.set(name, value, "addon")
        for name, components in COMPONENTS.items():
            for component, order in components.items():
                settings.setdefault_in_component_priority_dict(name, load_object(component), order)
        _replace_middlewares(settings)


def _replace_middlewares(settings: BaseSettings) -> None:
    """Use our middlewares in place of Scrapy's that the project does not name."""
    named = {load_object(each) for each in settings.getdict("DOWNLOADER_MIDDLEWARES")}
    for original, (ours, order) in REPLACED.items():
        if load_object(original) not in named:
            for each, place in ((original, None), (ours, order)):
                settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", load_object(each), place)


def _say_in_one_line(record: logging.LogRecord) -> bool:
    """Replace the traceback of a mistake by what the error says."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    from newsextract.storage.database import StorageError  # noqa: PLC0415 - brings SQLAlchemy

    if isinstance(error, BadSetting | StorageError | ArgumentError):
        record.msg, record.args, record.exc_info = str(error), (), None
    return True
