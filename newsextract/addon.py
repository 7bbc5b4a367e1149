"""The Scrapy add-on: one line in a project's settings brings every component, each switched by a setting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from newsextract.setting_types import BadSetting
from newsextract.settings import SETTINGS, check

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

REPLACEMENTS = {"ROBOTSTXT_PARSER": "newsextract.crawl.middlewares.robots_size.BoundedRobotParser"}
"""Settings of Scrapy's that have a better value, where the project keeps Scrapy's own."""

COMPONENTS: dict[str, dict[str, int]] = {
    "ITEM_PIPELINES": {
        # Before the extraction, after which there are articles and no pages.
        "newsextract.crawl.pipelines.kept_pages.KeptPagesPipeline": 45,
        "newsextract.crawl.pipelines.article_extraction.ExtractionPipeline": 50,
        "newsextract.crawl.pipelines.language_filter.LanguagesPipeline": 55,
        "newsextract.crawl.pipelines.duplicates.DuplicatesPipeline": 60,
        # Last, so that what the project's own pipelines refuse or change is not stored otherwise.
        "newsextract.crawl.pipelines.article_storage.DatabasePipeline": 900,
    },
    "EXTENSIONS": {
        "newsextract.crawl.extensions.database_writer.Database": 0,
        "newsextract.crawl.extensions.run_register.RunRegister": 0,
        "newsextract.crawl.extensions.article_history.History": 0,
        "newsextract.crawl.extensions.watch_matching.Watch": 0,
        "newsextract.crawl.extensions.page_states.PageStates": 0,
        "newsextract.crawl.extensions.crawl_delay.CrawlDelay": 0,
        "newsextract.crawl.extensions.site_manners.SiteManners": 0,
        "newsextract.crawl.extensions.progress.Progress": 0,
        # After the progress, below whose table it writes.
        "newsextract.crawl.extensions.site_health.Health": 0,
        "newsextract.crawl.extensions.stats_file.StatsFile": 0,
        # Behind all that have effects of their own: its messages tell of what those have done.
        "newsextract.crawl.extensions.outbox_delivery.Delivery": 10,
    },
    "DOWNLOADER_MIDDLEWARES": {
        # Behind Scrapy's for proxies (750), to know which one a request takes, and before its cache (900).
        # Outside all that fetches and unpacks (590), since it sets the limit for both.
        # Before robots.txt is read, which would be asked of a silent host too.
        "newsextract.crawl.middlewares.silent_hosts.SilentHosts": 85,
        "newsextract.crawl.middlewares.robots_size.RobotsSizeMiddleware": 90,
        "newsextract.crawl.middlewares.private_address_guard.PrivateAddressMiddleware": 780,
    },
    "SPIDER_MIDDLEWARES": {
        "newsextract.crawl.middlewares.article_requests.ArticleMiddleware": 50,
    },
}


class NewsExtract:
    """`ADDONS = {"newsextract.addon.NewsExtract": 500}`; what the project sets itself is left as it is."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and the defaults; raises `BadSetting` for a setting that cannot work."""
        for logger in ("asyncio", "twisted"):  # where Scrapy leaves it to tell why a crawl does not start
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


def _tell_in_one_line(record: logging.LogRecord) -> bool:
    """Replace the traceback of a wrong setting by what the error says."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, BadSetting):
        record.msg, record.args, record.exc_info = str(error), (), None
    return True
