"""The run: pages spread over processes, faults gathered, the smallest page of each kind kept, and a summary."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections import Counter
from concurrent.futures import TimeoutError as PageTimeout
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pebble import ProcessExpired, ProcessPool

from benchmarks.fuzz.minimizing import minimized
from benchmarks.fuzz.reading import Fault, Outcome, attempt
from benchmarks.fuzz.samples import corpus_pages, sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.fuzz.samples import Sample

MAX_PAGE_BYTES = 100_000
"""Larger pages of the corpora are left out: they say nothing that many smaller ones do not, and take long."""
_MAX_MEMORY = 4 * 1024**3
_BATCH = 50
_BATCH_SECONDS = 300
"""Of the clock, after which the process is killed and the pages of its batch are read one by one."""
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


_read_by_all: Sequence[bytes] = ()
"""The pages of the corpora, which the processes have from the one that starts them."""


def fuzz(plan: Plan, numbers: range, jobs: int) -> bool:
    """Read pages, print a summary, and return whether there were faults."""
    global _read_by_all  # noqa: PLW0603 - it is read before the processes start, and by them alone
    _read_by_all = corpus_pages(plan.corpora, plan.corpus_pages, MAX_PAGE_BYTES)
    tally = Tally()
    for number, outcome in _outcomes(plan, numbers, jobs):
        if tally.add(number, outcome) and outcome.fault:
            _keep(plan, number, outcome.fault)
        if len(tally.seconds) % _TOLD_EVERY == 0:
            print(f"{tally}\n", flush=True)
    print(tally)
    return bool(tally.faults)


def _outcomes(plan: Plan, numbers: range, jobs: int) -> Iterator[tuple[int, Outcome]]:
    """Yield the end of each page. Pages of a process that died or hung are read again, one by one."""
    batches = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
    single: list[int] = []
    with _pool(jobs) as pool:
        answers = pool.map(_attempts, [(plan, batch) for batch in batches], timeout=_BATCH_SECONDS).result()
        for batch in batches:
            try:
                yield from zip(batch, next(answers), strict=True)
            except (PageTimeout, ProcessExpired, MemoryError):
                single += batch
    with _pool(jobs) as pool:
        answers = pool.map(_attempts, [(plan, (number,)) for number in single], timeout=_PAGE_SECONDS).result()
        for number in single:
            try:
                yield number, next(answers)[0]
            except (PageTimeout, ProcessExpired, MemoryError) as error:
                yield number, Outcome(_PAGE_SECONDS, Fault(f"the process ended: {type(error).__name__}", str(error)))


def _pool(jobs: int) -> ProcessPool:
    return ProcessPool(jobs, context=multiprocessing.get_context("fork"), initializer=_bound_memory)


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))


def _attempts(batch: tuple[Plan, Iterable[int]]) -> list[Outcome]:
    plan, numbers = batch
    return [_attempt(sample(plan.seed, number, _read_by_all), plan) for number in numbers]


def _attempt(page: Sample, plan: Plan) -> Outcome:
    outcome = attempt(page, plan.most_seconds)
    # What is loaded once, and what another page has left behind in a thread, is not this page's.
    return attempt(page, plan.most_seconds) if outcome.fault else outcome


def _keep(plan: Plan, number: int, fault: Fault) -> None:
    """Write a page with a fault, as it was and as small as the fault allows, and what the fault is."""
    page = sample(plan.seed, number, _read_by_all)
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
