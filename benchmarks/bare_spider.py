"""The spider that `benchmarks/crawl.py` compares ours with: it fetches the URLs of a file and keeps nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response


class BareSpider(Spider):
    """Fetches the URLs of `-a urls=FILE`, one per line."""

    name = "bare"

    def __init__(self, urls: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.urls = Path(urls)

    async def start(self) -> AsyncIterator[Request]:
        """Request all URLs."""
        with self.urls.open(encoding="utf-8") as lines:
            for line in lines:
                yield Request(line.strip(), callback=self.parse)

    def parse(self, response: Response, **_: Any) -> None:
        """Discard the response."""
