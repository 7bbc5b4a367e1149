"""Ctrl-C of `scrapy crawl`: the first ends the crawl in order, another ends it at once; the exit code is the same."""

from __future__ import annotations

import signal
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.utils.reactor import is_reactor_installed

from newsextract.crawl.spider import NewsSpider
from newsextract.interrupts import TOLD, end_at_once
from newsextract.settings import DATABASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

GOES_ON = f"{TOLD}: what was read is stored, and the same command goes on from here"
"""The line of a crawl with a database, which knows what it has read."""

SAME_PRESS_SECONDS = 0.3
"""What comes so soon after the first is the same Ctrl-C: a launcher sends it on, and the terminal sends it to all."""

LOOK_SECONDS = 0.05
"""Between two looks whether the crawl has started: Scrapy can end only one that has."""


class CrawlInterrupts:
    """Handles SIGINT from the start of the command `crawl` to its end; SIGTERM stays with Scrapy."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.heard_at: float | None = None
        self._has_started = False
        self._end_in_order: Callable[[int, Any], object] | None = None

    @property
    def line(self) -> str:
        """What is printed at the end."""
        goes_on = issubclass(self.crawler.spidercls, NewsSpider) and DATABASE.of(self.crawler.settings)
        return GOES_ON if goes_on else TOLD

    def listen(self) -> Self:
        """Take SIGINT over: from now, and once more when Scrapy has installed its own handlers."""
        signal.signal(signal.SIGINT, self._hear)
        if is_reactor_installed():
            # What a trigger adds to its own phase runs behind all others, and so behind Scrapy's.
            add = _reactor().addSystemEventTrigger
            add("after", "startup", lambda: add("after", "startup", self._take_over))
            self.crawler.signals.connect(self._started, signal=signals.engine_started)
        return self

    def _take_over(self) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            self._end_in_order = handler
        signal.signal(signal.SIGINT, self._hear)

    def _started(self) -> None:
        self._has_started = True
        if self.heard_at is not None:
            self._end_when_running()

    def _hear(self, *_: object) -> None:
        if self._end_in_order is None:  # nothing is under way
            end_at_once(self.line)
        if self.heard_at is not None:
            if time.monotonic() - self.heard_at > SAME_PRESS_SECONDS:
                end_at_once(self.line)
            return
        self.heard_at = time.monotonic()
        if self._has_started:
            _reactor().callFromThread(self._end_when_running)

    def _end_when_running(self) -> None:
        assert self._end_in_order is not None  # noqa: S101 - it is heard only with it
        if not self.crawler.engine.running:  # a moment before, or never again
            _reactor().callLater(LOOK_SECONDS, self._end_when_running)
            return
        self._end_in_order(signal.SIGINT, None)
        signal.signal(signal.SIGINT, self._hear)  # Scrapy's next one would wait for all that is under way


def _reactor() -> Any:
    return import_module("twisted.internet.reactor")  # importing it earlier would install one
