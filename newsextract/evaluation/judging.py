"""Judges all pages of some corpora in processes, whose number does not change the figures; time is limited."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from newsextract.evaluation.corpora import BadRecord, GoldPage, read_corpus
from newsextract.processes.limits import time_limit
from newsextract.processes.pool import Unanswered, WorkerPool, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path
    from typing import Self


_T = TypeVar("_T")


class TooSlow(Exception):  # noqa: N818 - counted, not handled
    """A contestant took longer than allowed on a page."""


class Attempt(NamedTuple, Generic[_T]):
    """A contestant's answer and its milliseconds, or why there is no answer."""

    answer: _T | None
    ms: float
    error: str | None = None


def timed(run: Callable[[], _T]) -> tuple[_T, float]:
    """Return a function's result and its milliseconds, without garbage collection."""
    gc.disable()
    try:
        started = time.perf_counter()
        value = run()
        return value, (time.perf_counter() - started) * 1000
    finally:
        gc.enable()


def attempt(seconds: float, run: Callable[[], tuple[_T, float]]) -> Attempt[_T]:
    """Return the answer and milliseconds that a function returns; or that it was too slow, or what it raised."""
    try:
        with time_limit(seconds, TooSlow()):
            return Attempt(*run())
    except TooSlow:
        return Attempt(None, seconds * 1000, "too slow")
    except Exception as error:  # noqa: BLE001 - whatever a contestant raises is its result here
        return Attempt(None, 0.0, f"{type(error).__name__}: {error}"[:200])


PAGES_AHEAD = 4
"""Pages waiting in memory for each process, so that corpora are read no faster than they are judged."""

MEASURING_SECONDS = 120.0
"""For measuring all answers of a page; it comes on top of the time of all contestants. Then one hangs in C, say."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which pages are judged, for how long, and in how many processes."""

    seconds: float = 10.0
    """Seconds allowed per page and extractor."""
    page_type: str | None = None
    """If the corpus gives page types, only pages of this type are judged."""
    jobs: int = 1

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
    create: Callable[[], object],
    kind: type[_Page],
    contestants: Sequence[str],
    limits: Limits,
    on_page: Callable[[_Page], None],
) -> Run[_Page]:
    """Return the results for the pages of some corpora; raises what `read_corpus` raises.

    `create` makes, in each process, what has a method `judge(number, page)`; `on_page` gets each result, in order. On a
    page whose process hangs or dies, all contestants fail.
    """
    run: Run[_Page] = Run()
    pages = enumerate(_admitted(paths, limits, run.bad_records))
    seconds = limits.seconds * len(contestants) + MEASURING_SECONDS
    with WorkerPool(f"{__name__}:_created", create, processes=limits.jobs, seconds=seconds) as pool:
        for (number, gold), judged in in_order(
            lambda page: pool.submit("judge", *page), pages, limits.jobs * PAGES_AHEAD
        ):
            try:
                page: _Page = judged.result()
            except Unanswered as error:
                page = kind.of(number, gold)
                page.is_fair = True
                page.scores = {name: {"ms": limits.seconds * 1000, "error": error.reason} for name in contestants}
            run.pages.append(page)
            on_page(page)
    return run


def _admitted(paths: Sequence[Path], limits: Limits, bad_records: list[BadRecord]) -> Iterator[GoldPage]:
    for path in paths:
        for record in read_corpus(path):
            if isinstance(record, BadRecord):
                bad_records.append(record)
            elif limits.admits(record):
                yield record


def _created(create: Callable[[], object]) -> object:
    return create()
