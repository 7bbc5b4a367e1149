"""The Scrapy add-on: one line in a project's settings brings every component, each switched by a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from newsextract.crawl.workers.worker_pool import DEFAULT_PAGES, DEFAULT_SECONDS
from newsextract.newsroom.delivery.delivery_plan import DEFAULTS as DELIVERY
from newsextract.page.page import MAX_BYTES
from newsextract.reading.article_reader import DEFAULT_EXTRACTOR
from newsextract.reading.page_kinds.page_kind import ARTICLE_LIKE

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

DEFAULTS: dict[str, Any] = {
    "NEWSEXTRACT_EXTRACTOR": DEFAULT_EXTRACTOR,
    "NEWSEXTRACT_EXTRACTOR_OPTIONS": {},
    "NEWSEXTRACT_SITE_EXTRACTORS": {},
    "NEWSEXTRACT_KINDS": list(ARTICLE_LIKE),
    "NEWSEXTRACT_METADATA_SOURCES": {},
    "NEWSEXTRACT_SITE_MEMORY": True,
    "NEWSEXTRACT_ALL_RESPONSES": False,
    "NEWSEXTRACT_DATABASE": None,
    "NEWSEXTRACT_DATABASE_PATIENCE": 600.0,
    "NEWSEXTRACT_KEEP_PAGES": None,
    "NEWSEXTRACT_OVERLAP": False,
    "NEWSEXTRACT_REVISIONS": True,
    "NEWSEXTRACT_STORIES": True,
    **DELIVERY,
    "NEWSEXTRACT_PAGE_BYTES": MAX_BYTES,
    "NEWSEXTRACT_PRIVATE_ADDRESSES": False,
    "NEWSEXTRACT_WORKERS": None,
    "NEWSEXTRACT_PAGE_SECONDS": DEFAULT_SECONDS,
    "NEWSEXTRACT_WORKER_PAGES": DEFAULT_PAGES,
    "NEWSEXTRACT_JOIN_PAGES": False,
    "NEWSEXTRACT_TDMREP": True,
    "NEWSEXTRACT_PROGRESS": False,
    "NEWSEXTRACT_STATS_FILE": None,
    "NEWSEXTRACT_HEALTH": True,
    "NEWSEXTRACT_HEALTH_WEBHOOK": None,
    "NEWSEXTRACT_PROMETHEUS": None,
    "NEWSEXTRACT_WATCH": None,
}
"""The settings of newsextract, and what they are when a project does not set them."""

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
        """Add the components and the defaults."""
        for name, value in DEFAULTS.items():
            if name not in settings:
                settings.set(name, value, "default")
        for name, value in REPLACEMENTS.items():
            if settings.getpriority(name) == SETTINGS_PRIORITIES["default"]:
                settings.set(name, value, "addon")
        for setting, components in COMPONENTS.items():
            for component, order in components.items():
                settings.setdefault_in_component_priority_dict(setting, load_object(component), order)
