"""Requests that are sent to the engine from elsewhere than a callback."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.crawler import Crawler


@dataclass
class Outbox:
    """Sends requests one after the other, also those that sending one brings about.

    A request that the engine drops has the spider send its next: a thousand such in a row would nest too deep.
    """

    crawler: Crawler
    waiting: deque[Request] = field(default_factory=deque)
    is_sending: bool = False

    def send(self, requests: Iterable[Request]) -> None:
        """Give the requests to the engine."""
        self.waiting.extend(requests)
        if self.is_sending:
            return
        self.is_sending = True
        try:
            while self.waiting:
                self.crawler.engine.crawl(self.waiting.popleft())
        finally:
            self.is_sending = False
