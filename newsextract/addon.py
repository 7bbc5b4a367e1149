"""The Scrapy add-on: one line in a project's settings brings every component, each switched by a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object

from newsextract.delivery.plan import DEFAULTS as DELIVERY
from newsextract.kinds.judging import ARTICLE_LIKE
from newsextract.page import MAX_BYTES
from newsextract.reading import DEFAULT_EXTRACTOR
from newsextract.workers.pool import DEFAULT_PAGES, DEFAULT_SECONDS

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

REPLACEMENTS = {"ROBOTSTXT_PARSER": "newsextract.middlewares.robots_size.BoundedRobotParser"}
"""Settings of Scrapy's that have a better value, where the project keeps Scrapy's own."""

COMPONENTS: dict[str, dict[str, int]] = {
    "ITEM_PIPELINES": {
        # Before the extraction, after which there are articles and no pages.
        "newsextract.pipelines.kept_pages.KeptPagesPipeline": 45,
        "newsextract.pipelines.extraction.ExtractionPipeline": 50,
        "newsextract.pipelines.languages.LanguagesPipeline": 55,
        "newsextract.pipelines.duplicates.DuplicatesPipeline": 60,
        # Last, so that what the project's own pipelines refuse or change is not stored otherwise.
        "newsextract.pipelines.database.DatabasePipeline": 900,
        # What it stores in the end goes to the database, which closes after all pipelines.
        "newsextract.pipelines.second_reading.SecondReading": 950,
    },
    "EXTENSIONS": {
        "newsextract.extensions.database.Database": 0,
        "newsextract.extensions.run_register.RunRegister": 0,
        "newsextract.extensions.history.History": 0,
        "newsextract.extensions.watch.Watch": 0,
        "newsextract.extensions.page_states.PageStates": 0,
        "newsextract.extensions.crawl_delay.CrawlDelay": 0,
        "newsextract.extensions.site_manners.SiteManners": 0,
        "newsextract.extensions.progress.Progress": 0,
        # After the progress, below whose table it writes.
        "newsextract.extensions.health.Health": 0,
        "newsextract.extensions.stats_file.StatsFile": 0,
        # Behind all that have effects of their own: its messages tell of what those have done.
        "newsextract.extensions.delivery.Delivery": 10,
    },
    "DOWNLOADER_MIDDLEWARES": {
        # Behind Scrapy's for proxies (750), to know which one a request takes, and before its cache (900).
        # Outside all that fetches and unpacks (590), since it sets the limit for both.
        # Before robots.txt is read, which would be asked of a silent host too.
        "newsextract.middlewares.silent_hosts.SilentHosts": 85,
        "newsextract.middlewares.robots_size.RobotsSizeMiddleware": 90,
        "newsextract.middlewares.private_addresses.PrivateAddressMiddleware": 780,
    },
    "SPIDER_MIDDLEWARES": {
        "newsextract.middlewares.articles.ArticleMiddleware": 50,
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
