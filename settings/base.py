"""What holds wherever newsextract runs."""

from __future__ import annotations

from typing import Any

BOT_NAME = "newsextract"
USER_AGENT = "newsextract (+https://pypi.org/project/newsextract/)"
SPIDER_MODULES = ["newsextract.spiders"]
COMMANDS_MODULE = "newsextract.commands"
ADDONS = {"newsextract.addon.NewsExtract": 500}

# What reads the articles, by name: see `scrapy extract -h`
NEWSEXTRACT_EXTRACTOR = "auto"
# What becomes an item; there are also listing and other
NEWSEXTRACT_KINDS = ["article", "live", "gallery", "video"]
NEWSEXTRACT_PROGRESS = True

# Where the articles go
OUTPUT = "output"
NEWSEXTRACT_DATABASE = f"sqlite:///{OUTPUT}/newsextract.db"
FEEDS: dict[str, dict[str, Any]] = {
    f"{OUTPUT}/articles.jsonl": {
        "format": "jsonlines",
        "encoding": "utf-8",
        "overwrite": False,
        "item_classes": ["newsextract.article.Article"],
    },
}
FEED_EXPORT_ENCODING = "utf-8"
# A crash loses no line.
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "newsextract.extensions.line_feeds.WholeLines")

# Manners
ROBOTSTXT_OBEY = True
DOWNLOAD_TIMEOUT = 30
RETRY_TIMES = 2
COOKIES_ENABLED = False
# A refresh after this many seconds is a front page that reloads itself, no redirect.
METAREFRESH_MAXDELAY = 5
# As long as the addresses that sitemaps and links are read for.
URLLENGTH_LIMIT = 4096

# Many sites at once, each visited gently
CONCURRENT_REQUESTS = 64
REACTOR_THREADPOOL_MAXSIZE = 20
SCHEDULER_PRIORITY_QUEUE = "scrapy.pqueues.DownloaderAwarePriorityQueue"

# Both execute code for whoever reaches their port.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
