"""All pages of some corpora before one judge, over processes; what comes back does not depend on how many."""

from __future__ import annotations

import multiprocessing
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from newsextract.lab.evaluation.corpora.corpora import BadRecord, GoldPage, read_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

_Verdict = TypeVar("_Verdict")
_Given_co = TypeVar("_Given_co", covariant=True)

PAGES_PER_TASK = 4
"""Enough that handing pages over costs little, few enough that the last task does not keep one process busy alone."""

TASKS_AHEAD = 4
"""Tasks per process that wait in memory; corpora are read no faster than they are judged."""

_Task = list[tuple[int, GoldPage]]


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


class LocatedPage(Protocol):
    """What is known of any judged page."""

    corpus: str
    language: str | None


def split_languages(pages: Iterable[LocatedPage], corpora: Collection[str]) -> None:
    """Take each language of these corpora for a corpus of its own."""
    for page in pages:
        if page.corpus in corpora:
            page.corpus = f"{page.corpus} {page.language}"


class PageJudge(Protocol[_Given_co]):
    """What judges one page after the other."""

    def judge(self, number: int, gold: GoldPage) -> _Given_co:
        """Return what became of a page; `number` is its place in the run."""


@dataclass
class Judging(Generic[_Verdict]):
    """The pages of some corpora on their way through judges, one a process."""

    paths: Sequence[Path]
    create: Callable[[], PageJudge[_Verdict]]
    """Makes a judge, in each process."""
    limits: Limits
    bad_records: list[BadRecord]
    """Where records that cannot be read are put."""

    def run(self, jobs: int, on_page: Callable[[_Verdict], None]) -> None:
        """Hand over what the judges return, in any order; raises what `read_corpus` raises."""
        tasks = _Tasks(self, jobs * TASKS_AHEAD)
        if jobs == 1:
            judge = self.create()
            self._collect((_judged(judge, batch) for batch in tasks), tasks, on_page)
            return
        # Spawned, not forked: a fork of a process with threads may hang, and every platform has it.
        context = multiprocessing.get_context("spawn")
        with context.Pool(jobs, _start, (self.create,)) as pool:
            self._collect(pool.imap_unordered(_judge, tasks), tasks, on_page)

    @staticmethod
    def _collect(results: Iterator[list[_Verdict]], tasks: _Tasks, on_page: Callable[[_Verdict], None]) -> None:
        for batch in results:
            tasks.room.release()
            for page in batch:
                on_page(page)
        if tasks.error is not None:
            raise tasks.error


class _Tasks:
    """Pages in small batches, read while there is room for them."""

    def __init__(self, judging: Judging[Any], ahead: int) -> None:
        self.judging = judging
        self.room = threading.Semaphore(ahead)
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[_Task]:
        batch: _Task = []
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
            for path in self.judging.paths:
                for record in read_corpus(path):
                    if isinstance(record, BadRecord):
                        self.judging.bad_records.append(record)
                    elif self.judging.limits.admits(record):
                        yield record
        except Exception as error:  # noqa: BLE001 - raised again by `_collect`, in the caller's thread
            self.error = error


_judge_here: PageJudge[Any] | None = None
"""The judge of this process; a pool's workers have no other place to keep one."""


def _start(create: Callable[[], PageJudge[Any]]) -> None:
    global _judge_here  # noqa: PLW0603 - see above
    _judge_here = create()


def _judge(batch: _Task) -> list[Any]:
    assert _judge_here is not None  # noqa: S101 - `_start` ran first
    return _judged(_judge_here, batch)


def _judged(judge: PageJudge[_Verdict], batch: _Task) -> list[_Verdict]:
    return [judge.judge(number, gold) for number, gold in batch]
