"""For other people's sites: one request at a time per site, half a second apart, more where Crawl-delay says so."""

from __future__ import annotations

from settings.base import *

CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0.5
LOG_LEVEL = "INFO"
