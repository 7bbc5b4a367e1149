"""How far a run is: files, records, pages a second and the time left, as numbers that a display shows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.archives.engine.file_task import Told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.archives.engine.file_task import FileReport

RATE_SECONDS = 60.0
"""Pages a second are those of the last minute: the first ones wait for processes to start."""


@dataclass
class RunProgress:
    """The numbers of a run under way. The time left follows from bytes where all sizes are known, else from files."""

    sizes: Sequence[int | None]
    """Of each file to be read, in bytes; `None` for a remote one."""
    started: float = field(default_factory=time.monotonic)
    under_way: dict[int, Told] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)
    records: int = 0
    pages: int = 0
    articles: int = 0
    _seen: list[tuple[float, int]] = field(default_factory=list)

    def tell(self, number: int, told: Told) -> None:
        """Note how far a file is."""
        before = self.under_way.get(number)
        self._add(told, before)
        self.under_way[number] = told
        self._note()

    def finish(self, number: int, report: FileReport, pages: int) -> None:
        """Note that a file has ended; `pages` of it were read."""
        before = self.under_way.pop(number, None)
        ends = report.ends
        if ends:
            self._add(Told(report.name, ends.total(), pages, ends["article"], 0), before)
        self.finished.add(number)
        self._note()

    def share(self, number: int) -> float:
        """Return how much of a file is done, from 0 to 1."""
        if number in self.finished:
            return 1.0
        told, size = self.under_way.get(number), self.sizes[number]
        return min(told.offset / size, 1.0) if told and size else 0.0

    @property
    def done(self) -> float:
        """How much of the run is done, from 0 to 1."""
        are_known = all(size for size in self.sizes)
        weights = [(size or 0) if are_known else 1 for size in self.sizes]
        counted = {*self.finished, *self.under_way}
        return sum(weights[number] * self.share(number) for number in counted) / (sum(weights) or 1)

    @property
    def pages_a_second(self) -> float:
        """Pages read a second lately, by all workers together."""
        if not self._seen:
            return 0.0
        since, pages = self._seen[0]
        return (self.pages - pages) / max(time.monotonic() - since, 1.0)

    @property
    def seconds_left(self) -> float | None:
        """The time left, `None` as long as that is a guess."""
        spent, done = time.monotonic() - self.started, self.done
        return spent * (1 - done) / done if done > 0 and spent > 1 else None

    def _add(self, told: Told, before: Told | None) -> None:
        self.records += told.records - (before.records if before else 0)
        self.pages += told.pages - (before.pages if before else 0)
        self.articles += told.articles - (before.articles if before else 0)

    def _note(self) -> None:
        now = time.monotonic()
        if not self._seen or now - self._seen[-1][0] >= 1:
            self._seen.append((now, self.pages))
        while len(self._seen) > 2 and now - self._seen[0][0] > RATE_SECONDS:
            del self._seen[0]


def sentence(progress: RunProgress) -> str:
    """Return the numbers as a line.

    >>> sentence(RunProgress([10, None]))
    '0 of 2 files, 0 records, 0 pages (0.0/s), 0 articles'
    """
    text = (
        f"{len(progress.finished):,} of {len(progress.sizes):,} files, {progress.records:,} records, "
        f"{progress.pages:,} pages ({progress.pages_a_second:.1f}/s), {progress.articles:,} articles"
    )
    left = progress.seconds_left
    return text if left is None or left < 1 else f"{text}, {duration(left)} left"


def duration(seconds: float) -> str:
    """Return a time in two units at most.

    >>> duration(45), duration(754), duration(93_784)
    ('45 s', '13 min', '1 d 2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 24 else f"{hours // 24} d {hours % 24} h"
