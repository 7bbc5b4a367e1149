"""A stats collector that leaves its stats in `stats.json`, or where `STATS_JSON` says, for tests and benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.statscollectors import MemoryStatsCollector

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class FileStats(MemoryStatsCollector):
    """`STATS_CLASS=tests.file_stats.FileStats`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.path = Path(crawler.settings.get("STATS_JSON", "stats.json"))
        # The engine's last signal: by then every component has counted.
        crawler.signals.connect(self.write, signal=signals.engine_stopped)

    def write(self) -> None:
        """Write the file, with times in ISO 8601."""
        self.path.write_text(json.dumps(self.get_stats(), default=str, indent=2, sort_keys=True))
