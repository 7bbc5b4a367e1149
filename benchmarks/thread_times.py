"""A Scrapy extension that writes the CPU seconds of each thread of the crawl's process to a file, from Linux's /proc.

scrapy crawl news … -s 'EXTENSIONS={"benchmarks.thread_times.ThreadTimes": 0}' -s THREAD_TIMES=threads.json
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals
from twisted.internet.task import LoopingCall

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

EXTENSIONS = {
    "benchmarks.thread_times.ThreadTimes": 0,
    # As in our settings, which this setting on the command line replaces.
    "scrapy.extensions.telnet.TelnetConsole": None,
    "scrapy.extensions.remote_control.RemoteControl": None,
}
NAMES = {"MainThread": "reactor", "newsextract-database": "database"}
"""What the threads are called in the figures; all others are `other threads`."""

START, OTHERS = "start", "other threads"


class ThreadTimes:
    """Looks at the threads once a second, as some have ended by the end of the crawl."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.start = 0.0
        self.seconds: dict[tuple[str, int], float] = {}
        self.loop = LoopingCall(self.look)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin when the spider opens; what the process has used by then is its start."""
        self = cls(Path(crawler.settings["THREAD_TIMES"]))
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signal=signals.engine_stopped)
        return self

    def spider_opened(self) -> None:
        """Begin."""
        self.start = time.process_time()
        self.loop.start(1.0)

    def look(self) -> None:
        """Note what each thread has used so far."""
        for thread in threading.enumerate():
            with suppress(OSError):  # it has just ended
                used = Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text(encoding="ascii").split()[0]
                self.seconds[thread.name, thread.native_id or 0] = int(used) / 1e9

    def engine_stopped(self) -> None:
        """Write the figures."""
        self.look()
        self.loop.stop()
        found: Counter[str] = Counter()
        for (name, _), seconds in self.seconds.items():
            found[NAMES.get(name, OTHERS)] += seconds  # type: ignore[assignment]  # seconds, not counts
        found["reactor"] -= self.start  # type: ignore[assignment]
        self.path.write_text(json.dumps({START: self.start, **found}), encoding="utf-8")


def thread_line(path: Path, pages: int, workers: float) -> str:
    """Return the figures of a crawl as a line of text; `workers` are the CPU seconds of its other processes."""
    seconds = json.loads(path.read_text(encoding="utf-8"))
    start = seconds.pop(START)
    parts = [f"{name} {1000 * used / pages:.2f}" for name, used in (*seconds.items(), ("workers", workers))]
    return f"ms of CPU a page: {', '.join(parts)}; {start:.1f} s until it begins"
