"""Follows a job: its log as it grows, and the articles it wrote."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.tools.deployment.scrapyd_api import ScrapydError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from newsextract.tools.deployment.scrapyd_api import ScrapydClient

PROJECT = "newsextract"
SPIDER = "news"

POLL_SECONDS = 0.3

LOST_SECONDS = 10
"""Seconds after which a job unknown to scrapyd counts as lost."""

ENDED_WELL = "Spider closed (finished)"
"""What Scrapy logs at the end of a crawl that finished."""


@dataclass(frozen=True)
class Job:
    """A crawl that was scheduled."""

    client: ScrapydClient
    name: str

    def follow(self, show: Callable[[str], None], seconds: float = float("inf")) -> str:
        """Pass on the log line by line until the job has finished, and return all of it.

        Raises:
            ScrapydError: scrapyd does not know the job, or it took longer than `seconds`.
        """
        log, shown = b"", 0
        started = known = time.monotonic()
        while True:
            state = self.client.state(PROJECT, self.name)  # before the log, so that the last lines are read
            log += self.client.log(PROJECT, SPIDER, self.name, len(log))
            lines, _, _ = log.rpartition(b"\n")
            for line in lines[shown:].splitlines():
                show(line.decode("utf-8", "replace"))
            shown = len(lines) + 1 if lines else 0
            if state == "finished":
                return log.decode("utf-8", "replace")
            now = time.monotonic()
            known = now if state else known
            if now - known > LOST_SECONDS:
                raise ScrapydError(f"scrapyd does not know the job {self.name}")
            if now - started > seconds:
                raise ScrapydError(f"the job {self.name} is still {state or 'unknown'} after {seconds:.0f} seconds")
            time.sleep(POLL_SECONDS)

    def articles(self, output: Path) -> list[dict[str, Any]]:
        """Return the articles in the job's feed, in its output folder."""
        feed = output / "articles" / f"{self.name}.jsonl"
        return [json.loads(line) for line in feed.read_text("utf-8").splitlines()] if feed.exists() else []


def schedule(client: ScrapydClient, arguments: dict[str, str], settings: dict[str, str]) -> Job:
    """Schedule a crawl of the `news` spider."""
    pairs = [*arguments.items(), *(("setting", f"{name}={value}") for name, value in settings.items())]
    return Job(client, client.schedule(PROJECT, SPIDER, pairs))
