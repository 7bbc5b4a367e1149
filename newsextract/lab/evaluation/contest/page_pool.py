"""Judge all pages of some corpora in several processes; the results do not depend on their number."""

from __future__ import annotations

import multiprocessing
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from newsextract.lab.evaluation.corpora.corpora import BadRecord, GoldPage, read_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any, Self

PAGES_PER_TASK = 4
"""Enough that passing pages on costs little, few enough that the last task does not keep one process busy alone."""

TASKS_AHEAD = 4
"""Tasks per process waiting in memory, so that corpora are read no faster than they are judged."""

_Task = list[tuple[int, GoldPage]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Which pages are judged, and for how long."""

    seconds: float = 10.0
    """Seconds allowed per page and extractor."""
    page_type: str | None = None
    """If the corpus gives page types, only pages of this type are judged."""

    def admits(self, gold: GoldPage) -> bool:
        """Tell whether a page shall be judged."""
        return self.page_type is None or gold.page_type in (None, self.page_type)


@dataclass
class JudgedPage:
    """The result for one page of a corpus."""

    number: int
    """Its number in the run."""
    corpus: str
    id: str
    site: str | None
    language: str | None
    url: str | None
    parse_ms: float = 0.0
    is_fair: bool = False
    """Whether the page has gold that a contestant could find on it."""
    scores: dict[str, dict[str, float | str | None]] = field(default_factory=dict)
    """By contestant: `ms`, `error`, and every measure that could be computed."""

    @classmethod
    def of(cls, number: int, gold: GoldPage) -> Self:
        """Return an empty result, for a page not yet judged."""
        return cls(number, gold.corpus, gold.id, gold.site, gold.language, gold.url)


_Page = TypeVar("_Page", bound=JudgedPage)
_Page_co = TypeVar("_Page_co", bound=JudgedPage, covariant=True)


class PageJudge(Protocol[_Page_co]):
    """Judges one page after the other."""

    def judge(self, number: int, gold: GoldPage) -> _Page_co:
        """Return the result for a page; `number` is its number in the run."""


@dataclass
class Run(Generic[_Page]):
    """The results of a run, pages in the order of the corpora."""

    pages: list[_Page] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)

    def split_languages(self, corpora: Collection[str]) -> None:
        """Treat each language of these corpora as a corpus of its own."""
        for page in self.pages:
            if page.corpus in corpora:
                page.corpus = f"{page.corpus} {page.language}"


def judge_pages(
    paths: Sequence[Path],
    create: Callable[[], PageJudge[_Page]],
    limits: Limits,
    *,
    jobs: int,
    on_page: Callable[[_Page], None],
) -> Run[_Page]:
    """Return the judges' results for the pages of some corpora; raises what `read_corpus` raises.

    `create` makes a judge, in each process; `on_page` is called with each page as it arrives, in any order.
    """
    run: Run[_Page] = Run()
    tasks = _Tasks(paths, limits, run.bad_records, jobs * TASKS_AHEAD)
    with _judged(create, tasks, jobs) as batches:
        for batch in batches:
            tasks.room.release()
            for page in batch:
                run.pages.append(page)
                on_page(page)
    if tasks.error is not None:
        raise tasks.error
    run.pages.sort(key=lambda page: page.number)
    return run


@contextmanager
def _judged(create: Callable[[], PageJudge[_Page]], tasks: _Tasks, jobs: int) -> Iterator[Iterable[list[_Page]]]:
    if jobs == 1:
        judge = create()
        yield ([judge.judge(number, gold) for number, gold in batch] for batch in tasks)
        return
    # Spawned, not forked: a forked process with threads may hang, and every platform can spawn.
    with multiprocessing.get_context("spawn").Pool(jobs, _start, (create,)) as pool:
        yield pool.imap_unordered(_judge, tasks)


class _Tasks:
    """Pages in small batches, read while there is room for them."""

    def __init__(self, paths: Sequence[Path], limits: Limits, bad_records: list[BadRecord], ahead: int) -> None:
        self.paths, self.limits, self.bad_records = paths, limits, bad_records
        self.room = threading.Semaphore(ahead)
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[_Task]:
        pages = enumerate(self._pages())
        while batch := list(islice(pages, PAGES_PER_TASK)):
            self.room.acquire()
            yield batch

    def _pages(self) -> Iterator[GoldPage]:
        """Yield the readable pages; an error that ends a corpus is stored, since a pool would swallow it."""
        try:
            for path in self.paths:
                for record in read_corpus(path):
                    if isinstance(record, BadRecord):
                        self.bad_records.append(record)
                    elif self.limits.admits(record):
                        yield record
        except Exception as error:  # noqa: BLE001 - raised again by `judge_pages`, in the caller's thread
            self.error = error


_judge_here: PageJudge[Any] | None = None
"""The judge of this process; a pool's workers can keep it only in a global variable."""


def _start(create: Callable[[], PageJudge[Any]]) -> None:
    global _judge_here  # noqa: PLW0603 - see above
    _judge_here = create()


def _judge(batch: _Task) -> list[Any]:
    assert _judge_here is not None  # noqa: S101 - `_start` ran first
    return [_judge_here.judge(number, gold) for number, gold in batch]
