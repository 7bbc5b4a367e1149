"""All pages of some corpora before all extractors, over processes; the figures do not depend on how many."""

from __future__ import annotations

import multiprocessing
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.evaluation.contest import Contest, PageResult
from newsextract.evaluation.corpora import BadRecord, GoldPage, read_corpus
from newsextract.evaluation.statistics import CorpusStatistics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

PAGES_PER_TASK = 4
"""Enough that handing pages over costs little, few enough that the last task does not keep one process busy alone."""

TASKS_AHEAD = 4
"""Tasks per process that wait in memory; corpora are read no faster than they are judged."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is judged, and for how long."""

    seconds: float = 10.0
    """Allowed per page and extractor."""
    page_type: str | None = None
    """Of pages whose type the corpus knows, only these are judged."""

    def admits(self, gold: GoldPage) -> bool:
        """Tell whether a page is to be judged."""
        return self.page_type is None or gold.page_type in (None, self.page_type)


@dataclass
class Run:
    """What a run found, pages in the order of the corpora."""

    pages: list[PageResult] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)
    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)

    def split_languages(self, corpora: Collection[str]) -> None:
        """Take each language of these corpora for a corpus of its own."""
        for page in self.pages:
            if page.corpus in corpora:
                page.corpus = f"{page.corpus} {page.language}"


def run_contest(
    paths: Sequence[Path],
    extractors: Mapping[str, Mapping[str, Any]],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[PageResult], None] = lambda _: None,
) -> Run:
    """Judge every page of the corpora; raises what `read_corpus` and `create_extractor` raise."""
    limits = limits or Limits()
    Contest(extractors, limits.seconds)  # a wrong name is an error here, before any page is read
    run = Run()
    tasks = _Tasks(paths, run, limits, jobs * TASKS_AHEAD)
    if jobs == 1:
        _start(extractors, limits.seconds)
        results: Iterator[list[PageResult]] = map(_judge, tasks)
        _collect(results, run, tasks, on_page)
    else:
        # Spawned, not forked: a fork of a process with threads may hang, and every platform has it.
        context = multiprocessing.get_context("spawn")
        with context.Pool(jobs, _start, (extractors, limits.seconds)) as pool:
            _collect(pool.imap_unordered(_judge, tasks), run, tasks, on_page)
    run.pages.sort(key=lambda page: page.number)
    return run


class _Tasks:
    """Pages in small batches, read while there is room for them."""

    def __init__(self, paths: Sequence[Path], run: Run, limits: Limits, ahead: int) -> None:
        self.paths = paths
        self.run = run
        self.limits = limits
        self.room = threading.Semaphore(ahead)
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[list[tuple[int, GoldPage]]]:
        batch: list[tuple[int, GoldPage]] = []
        for number, gold in enumerate(self._pages()):
            batch.append((number, gold))
            if len(batch) == PAGES_PER_TASK:
                self.room.acquire()
                yield batch
                batch = []
        if batch:
            self.room.acquire()
            yield batch

    def _pages(self) -> Iterator[GoldPage]:
        """Yield the readable pages; an error that ends a corpus is kept, since a pool would swallow it."""
        try:
            for path in self.paths:
                for record in read_corpus(path):
                    if isinstance(record, BadRecord):
                        self.run.bad_records.append(record)
                    elif self.limits.admits(record):
                        yield record
        except Exception as error:  # noqa: BLE001 - raised again by `_collect`, in the caller's thread
            self.error = error


def _collect(
    results: Iterator[list[PageResult]], run: Run, tasks: _Tasks, on_page: Callable[[PageResult], None]
) -> None:
    for batch in results:
        tasks.room.release()
        for page in batch:
            run.pages.append(page)
            run.statistics.merge(page.statistics)
            on_page(page)
    if tasks.error is not None:
        raise tasks.error


_contest: Contest | None = None
"""The contest of this process; a pool's workers have no other place to keep one."""


def _start(extractors: Mapping[str, Mapping[str, Any]], seconds: float) -> None:
    global _contest  # noqa: PLW0603 - see above
    _contest = Contest(extractors, seconds)


def _judge(batch: list[tuple[int, GoldPage]]) -> list[PageResult]:
    assert _contest is not None  # noqa: S101 - `_start` ran first
    return [_contest.judge(number, gold) for number, gold in batch]
