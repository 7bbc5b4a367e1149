"""The stats of a run as a JSON file, for programs that monitor crawls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.settings import STATS_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler


class StatsFile:
    """Writes the stats to the file that `NEWSEXTRACT_STATS_FILE` names when a crawl ends."""

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self.crawler = crawler
        self.path = path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the end of the crawl; raises `NotConfigured` if no file is named."""
        path = STATS_FILE.of(crawler.settings)
        if path is None:
            raise NotConfigured
        self = cls(crawler, path)
        # The engine's last signal: by then every other component has counted.
        crawler.signals.connect(self.write, signal=signals.engine_stopped)
        return self

    def write(self) -> None:
        """Write the file, with times in ISO 8601."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.crawler.stats.get_stats(), default=str, indent=2, sort_keys=True))
