"""Measure the memory of a process and its descendants, once a second, and their CPU, from Linux's /proc."""

from __future__ import annotations

import ctypes
import os
import resource
import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

_BECOME_SUBREAPER = 36
"""The option PR_SET_CHILD_SUBREAPER of `prctl`."""

MEGABYTE = 1024
"""In kibibytes, the unit of /proc."""


@dataclass(frozen=True)
class Sample:
    """The memory at one moment, in megabytes; pages shared by processes count once in `pss`, once for each in `rss`."""

    seconds: int
    articles: int
    pss: float
    rss: float
    processes: int


@dataclass
class MemoryWatch:
    """A context manager that takes a sample every second."""

    root: int
    """The id of the process."""
    progress: Callable[[], int]
    """Returns how many article pages have been fetched so far."""
    samples: list[Sample] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    """The ids of all processes so far."""

    def __enter__(self) -> Self:
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        second = 0
        while not self._end.wait(1.0):
            second += 1
            processes = tree(self.root)
            self.seen.update(processes)
            taken = [memory for process in processes if (memory := memory_of(process))]
            if taken:
                pss, rss = (sum(column) / MEGABYTE for column in zip(*taken, strict=True))
                self.samples.append(Sample(second, self.progress(), pss, rss, len(taken)))


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, so that their CPU is counted.

    A crawl does not wait for the fork server of its workers: their CPU would be lost with it.
    """
    ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)


def children_cpu() -> float:
    """Return the CPU seconds of the children that have ended, and of those they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def await_orphans(processes: set[int]) -> None:
    """Wait until those of the processes have ended that are now children of this one."""
    for process in processes:
        with suppress(ChildProcessError):  # its own parent has waited for it
            os.waitpid(process, 0)


def tree(root: int) -> list[int]:
    """Return the process and its descendants."""
    children = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The program's name is in parentheses and may contain anything.
            parent = int(stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
        children[parent].append(int(stat.parent.name))
    found = [root]
    for process in found:
        found += children[process]
    return found


def memory_of(process: int) -> tuple[int, int] | None:
    """Return the proportional and the resident memory of a process in kibibytes, or `None` if it has ended."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return None
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    return (sizes["Pss"], sizes["Rss"]) if "Rss" in sizes else None


def growth(samples: Sequence[Sample], articles: int) -> tuple[float, float] | None:
    """Return the mean memory at a quarter of the pages and at the end, or `None` if there are too few samples."""
    early = [sample.pss for sample in samples if 0.2 <= sample.articles / articles <= 0.3]
    late = [sample.pss for sample in samples if sample.articles / articles >= 0.95]
    return (mean(early), mean(late)) if early and late else None


def memory_line(samples: Sequence[Sample], articles: int) -> str:
    """Return the memory of a crawl of this many article pages as a line of text."""
    if not samples:
        return "memory: too quick for a sample"
    line = f"memory: at most {max(sample.pss for sample in samples):.0f} MB (PSS, all processes)"
    if grown := growth(samples, articles):
        early, late = grown
        line += f"; {early:.0f} MB at 25 % of the pages, {late:.0f} MB at the end: {late / early - 1:+.1%}"
    return line
