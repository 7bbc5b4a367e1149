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
    "ROBOTSTXT_PARSER": "newsextract.crawl.middlewares.robots_size.BoundedRobotParser",
    "SCHEDULER_PRIORITY_QUEUE": "newsextract.crawl.resting_queue.RestingQueue",
}
"""Scrapy settings for which the add-on has a better default."""

COMPONENTS: dict[str, dict[str, int]] = {
    "ITEM_PIPELINES": {
        # Before the extraction, which replaces pages by articles.
        "newsextract.crawl.pipelines.kept_pages.KeptPagesPipeline": 45,
        "newsextract.crawl.pipelines.article_extraction.ExtractionPipeline": 50,
        "newsextract.crawl.pipelines.language_filter.LanguagesPipeline": 55,
        # Before the duplicates, of which a wall makes many.
        "newsextract.crawl.pipelines.walls.WallPipeline": 58,
        "newsextract.crawl.pipelines.duplicates.DuplicatesPipeline": 60,
        # Last, so that articles are stored as the project's own pipelines leave them.
        "newsextract.crawl.pipelines.article_storage.DatabasePipeline": 900,
    },
    "EXTENSIONS": {
        "newsextract.crawl.extensions.database_writer.Database": 0,
        "newsextract.crawl.extensions.run_register.RunRegister": 0,
        "newsextract.crawl.rendering.rendering.Rendering": 0,
        "newsextract.crawl.extensions.article_history.History": 0,
        "newsextract.crawl.extensions.watch_matching.Watch": 0,
        "newsextract.crawl.extensions.waiting_texts.WaitingTexts": 0,
        "newsextract.crawl.extensions.page_states.PageStates": 0,
        "newsextract.crawl.extensions.crawl_delay.CrawlDelay": 0,
        "newsextract.crawl.extensions.site_manners.SiteManners": 0,
        "newsextract.crawl.extensions.site_reach.SiteReach": 0,
        "newsextract.crawl.extensions.progress.Progress": 0,
        "newsextract.crawl.extensions.subscriptions.Subscriptions": 0,
        # After the progress, because it prints below its table.
        "newsextract.crawl.extensions.site_health.Health": 0,
        # After all extensions with storage effects: its messages report what those have done.
        "newsextract.crawl.extensions.outbox_delivery.Delivery": 10,
    },
    "DOWNLOADER_MIDDLEWARES": {
        # Before robots.txt is requested, which would also wait for a silent host.
        "newsextract.crawl.middlewares.silent_hosts.SilentHosts": 85,
        # After it was read: what has waited for it meets a host that may rest by now.
        "newsextract.crawl.middlewares.busy_hosts.BusyHosts": 110,
        # Between Scrapy's HttpCompressionMiddleware (590) and what reads bodies.
        "newsextract.crawl.middlewares.sessions.Sessions": 585,
        # After Scrapy's HttpProxyMiddleware (750), to know the request's proxy, and before its cache (900).
        "newsextract.crawl.middlewares.private_address_guard.PrivateAddressMiddleware": 780,
        # Below all that keeps, repeats or redirects requests: none of these sees a secret.
        "newsextract.crawl.middlewares.subscription_headers.SubscriptionHeaders": 950,
    },
    "SPIDER_MIDDLEWARES": {
        "newsextract.crawl.middlewares.article_requests.ArticleMiddleware": 50,
    },
}

_SCRAPY, _OURS = "scrapy.downloadermiddlewares", "newsextract.crawl.middlewares"
STAND_INS = {
    f"{_SCRAPY}.robotstxt.RobotsTxtMiddleware": (f"{_OURS}.robots_rules.RobotsRules", 100),
    f"{_SCRAPY}.redirect.MetaRefreshMiddleware": (f"{_OURS}.redirects.MetaRefreshes", 580),
    f"{_SCRAPY}.redirect.RedirectMiddleware": (f"{_OURS}.redirects.Redirects", 600),
}
"""Our middlewares in place of Scrapy's, unless the project gives Scrapy's a place, or none."""


class NewsExtract:
    """The add-on: `ADDONS = {"newsextract.addon.NewsExtract": 500}`. It keeps what the project sets itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and the defaults; raises `BadSetting` for a setting that cannot work."""
        for logger in ("asyncio", "twisted"):  # they log why a crawl does not start
            logging.getLogger(logger).addFilter(_tell_in_one_line)
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
    for original, (ours, order) in STAND_INS.items():
        if load_object(original) not in named:
            for each, place in ((original, None), (ours, order)):
                settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", load_object(each), place)


def _tell_in_one_line(record: logging.LogRecord) -> bool:
    """Replace the traceback of a mistake by what the error says."""
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return True
    from newsextract.storage.database import StorageError  # noqa: PLC0415 - brings SQLAlchemy

    if isinstance(error, BadSetting | StorageError | ArgumentError):
        record.msg, record.args, record.exc_info = str(error), (), None
    return True
