"""What holds wherever newsextract runs."""

from __future__ import annotations

import os
from typing import Any

from scrapy import squeues
from scrapy.settings.default_settings import EXTENSIONS_BASE, RETRY_EXCEPTIONS

BOT_NAME = "newsextract"
USER_AGENT = "newsextract (+https://pypi.org/project/newsextract/)"
SPIDER_MODULES = ["newsextract.crawl.spider"]
COMMANDS_MODULE = "newsextract.tools.crawl"
ADDONS = {"newsextract.addon.NewsExtract": 500}

# What reads the articles, by name: see `newsextract extract -h`
NEWSEXTRACT_EXTRACTOR = "auto"
# What becomes an item; there are also listing and other
NEWSEXTRACT_KINDS = ["article", "live", "gallery", "video"]
NEWSEXTRACT_PROGRESS = True

# Where the articles go. The environment may say so, since that is where a server keeps its folders and its passwords:
# scrapyd hands it on to every job, and what is given to a job as a setting stands in logs and process lists.
OUTPUT = os.environ.get("NEWSEXTRACT_OUTPUT") or "output"
NEWSEXTRACT_DATABASE = os.environ.get("NEWSEXTRACT_DATABASE", f"sqlite:///{OUTPUT}/newsextract.db")
NEWSEXTRACT_BROKER = os.environ.get("NEWSEXTRACT_BROKER")
ARTICLES_FEED: dict[str, Any] = {
    "format": "jsonlines",
    "encoding": "utf-8",
    "overwrite": False,
    "item_classes": ["newsextract.article.Article"],
}
FEEDS: dict[str, dict[str, Any]] = {f"{OUTPUT}/articles.jsonl": ARTICLES_FEED}
FEED_EXPORT_ENCODING = "utf-8"
# A crash loses no line.
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "newsextract.crawl.feeds_export.WholeLines")

# Manners
ROBOTSTXT_OBEY = True
DOWNLOAD_TIMEOUT = 30
RETRY_TIMES = 2
# The report says it, once a site.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
# Not after a timeout: that has cost half a minute, and the next run asks again.
# For Scrapy before 2.15, one is a ConnectError, too.
RETRY_EXCEPTIONS = [each for each in RETRY_EXCEPTIONS if not str(each).endswith(("TimeoutError", ".ConnectError"))]
RETRY_EXCEPTIONS += ["twisted.internet.error.NoRouteError"]
COOKIES_ENABLED = False
# A refresh after this many seconds is a front page that reloads itself, no redirect.
METAREFRESH_MAXDELAY = 5
# As long as the addresses that sitemaps and links are read for.
URLLENGTH_LIMIT = 4096

# Many sites at once, each visited gently
CONCURRENT_REQUESTS = 64
# Scrapy makes that many tasks for every answer, and from ours comes one item at most.
CONCURRENT_ITEMS = 1
REACTOR_THREADPOOL_MAXSIZE = 20

# For crawls without a database that use JOBDIR: a queue that a crash does not break. Scrapy has it from 2.19 on.
if hasattr(squeues, "PickleLifoSQLiteQueue"):
    SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleLifoSQLiteQueue"

# Both execute code for whoever reaches their port. Not even loaded, as one brings a web server.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
_REMOTE = ("scrapy.extensions.telnet.TelnetConsole", "scrapy.extensions.remote_control.RemoteControl")
EXTENSIONS: dict[str, int | None] = {each: None for each in _REMOTE if each in EXTENSIONS_BASE}
