"""The run: pages spread over processes, faults gathered, the smallest page of each kind kept, and a summary."""

from __future__ import annotations

import resource
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import parent_process
from typing import TYPE_CHECKING

from benchmarks.fuzz.minimizing import minimized
from benchmarks.fuzz.reading import Fault, Outcome, attempt
from benchmarks.fuzz.samples import corpus_pages, sample
from newsextract.processes.pool import Unanswered, WorkerPool, in_order

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.fuzz.samples import Sample

MAX_PAGE_BYTES = 100_000
"""Larger pages of the corpora are left out: they say nothing that many smaller ones do not, and take long."""
_MAX_MEMORY = 4 * 1024**3
_PAGE_SECONDS = 60
_MOST_A_KIND = 3
"""Pages of one kind of fault that are kept: more show nothing new."""
_TOLD_EVERY = 1_000


@dataclass(frozen=True)
class Plan:
    """What is read, and what may be called slow."""

    seed: int
    most_seconds: float
    corpora: tuple[Path, ...]
    corpus_pages: int
    folder: Path


@dataclass
class Tally:
    """What has been read so far."""

    faults: dict[str, list[int]] = field(default_factory=dict)
    seconds: Counter[int] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    def add(self, number: int, outcome: Outcome) -> bool:
        """Note how a page ended; returns whether it has a fault that is worth keeping."""
        self.seconds[number] = outcome.seconds  # type: ignore[assignment]  # a counter sorts seconds as well
        if outcome.fault is None:
            return False
        numbers = self.faults.setdefault(outcome.fault.kind, [])
        numbers.append(number)
        return len(numbers) <= _MOST_A_KIND

    def __str__(self) -> str:
        passed = time.monotonic() - self.started
        slowest = ", ".join(f"{number}: {seconds:.2f} s" for number, seconds in self.seconds.most_common(5))
        lines = [
            f"{len(self.seconds):,} pages in {passed:.0f} s, {len(self.seconds) / passed:.1f} a second",
            f"{sum(map(len, self.faults.values()))} faults of {len(self.faults)} kinds",
            *(f"  {len(numbers):6} x {kind}; pages {numbers[:5]}" for kind, numbers in self.faults.items()),
            f"slowest: {slowest}",
        ]
        return "\n".join(lines)


def fuzz(plan: Plan, numbers: range, jobs: int) -> bool:
    """Read pages, print a summary, and return whether there were faults."""
    tally = Tally()
    kept = FuzzTasks(plan)
    with WorkerPool(f"{__name__}:FuzzTasks", plan, processes=jobs, seconds=_PAGE_SECONDS) as pool:
        for number, answer in in_order(partial(pool.submit, "attempt"), numbers, 4 * jobs):
            try:
                outcome: Outcome = answer.result()
            except (Unanswered, MemoryError) as error:
                outcome = Outcome(_PAGE_SECONDS, Fault(f"the process ended: {type(error).__name__}", str(error)))
            if tally.add(number, outcome) and outcome.fault:
                _keep(plan, kept.sample(number), number, outcome.fault)
            if len(tally.seconds) % _TOLD_EVERY == 0:
                print(f"{tally}\n", flush=True)
    print(tally)
    return bool(tally.faults)


class FuzzTasks:
    """Reads pages in a worker process, which has the pages of the corpora."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._pages = corpus_pages(plan.corpora, plan.corpus_pages, MAX_PAGE_BYTES)
        if parent_process() is not None:
            resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))

    def sample(self, number: int) -> Sample:
        """Return a page."""
        return sample(self.plan.seed, number, self._pages)

    def attempt(self, number: int) -> Outcome:
        """Read a page, and return how that ended."""
        page = self.sample(number)
        outcome = attempt(page, self.plan.most_seconds)
        # What is loaded once, and what another page has left behind in a thread, is not this page's.
        return attempt(page, self.plan.most_seconds) if outcome.fault else outcome


def _keep(plan: Plan, page: Sample, number: int, fault: Fault) -> None:
    """Write a page with a fault, as it was and as small as the fault allows, and what the fault is."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    (plan.folder / f"{number}.html").write_bytes(page.html)
    if fault.detail.startswith("Traceback"):
        page = minimized(
            page, lambda smaller: (found := attempt(smaller).fault) is not None and found.kind == fault.kind
        )
        (plan.folder / f"{number}.min.html").write_bytes(page.html)
    around = f"{replace(page, html=b'')!r}\n{page.html[:500]!r}"
    (plan.folder / f"{number}.txt").write_text(
        f"{fault.kind}\n{around}\n\n{fault.detail}\n", "utf-8", "backslashreplace"
    )
    print(f"page {number}: {fault.kind}\n{around}\n", flush=True)
