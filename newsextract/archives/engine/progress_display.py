"""Shows how far a run is: bars on a terminal, else a line now and then, on standard error."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from newsextract.archives.engine.run_progress import RunProgress, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_SECONDS = 30.0


class Display(Protocol):
    """Shows a run."""

    def show(self, progress: RunProgress) -> None:
        """Show the numbers as they are now."""
        ...

    def say(self, line: str) -> None:
        """Show a line that stays."""
        ...


@contextmanager
def display() -> Iterator[Display]:
    """Give the display that fits standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console  # noqa: PLC0415 - only for people
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield _Bars(bars)


class _Lines:
    def __init__(self) -> None:
        self._next = time.monotonic() + LINE_SECONDS

    def show(self, progress: RunProgress) -> None:
        """Print the numbers if it is time."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + LINE_SECONDS
            self.say(sentence(progress))

    def say(self, line: str) -> None:
        """Print a line."""
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - of a command


class _Bars:
    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._all = bars.add_task("", total=1.0)
        self._of_file: dict[int, Any] = {}

    def show(self, progress: RunProgress) -> None:
        """Set the bars: one of each file that is being read, and one of all."""
        for number in progress.under_way.keys() - self._of_file.keys():
            name = progress.under_way[number].name
            self._of_file[number] = self._bars.add_task(f"  {name}", total=1.0)
        for number in self._of_file.keys() - progress.under_way.keys():
            self._bars.remove_task(self._of_file.pop(number))
        for number, bar in self._of_file.items():
            told = progress.under_way[number]
            text = f"  {told.name}: {told.records:,} records, {told.articles:,} articles"
            self._bars.update(bar, completed=progress.share(number), description=text)
        self._bars.update(self._all, completed=progress.done, description=sentence(progress))

    def say(self, line: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(line, markup=False, highlight=False)
