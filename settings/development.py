"""For servers of one's own on loopback: as fast as they answer. Chosen by `SCRAPY_PROJECT=development`."""

from __future__ import annotations

from settings.base import *

CONCURRENT_REQUESTS_PER_DOMAIN = 8
DOWNLOAD_DELAY = 0
NEWSEXTRACT_PRIVATE_ADDRESSES = True
LOG_LEVEL = "INFO"
# Small sites: starting processes would take longer than what they save.
NEWSEXTRACT_WORKERS = 0
