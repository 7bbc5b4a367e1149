"""All that is done with a page, as a library's caller and a crawl's worker do it, and what must hold of the answers."""

from __future__ import annotations

import json
import signal
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from itemadapter.adapter import ItemAdapter

from newsextract import Article, create_extractor, read_article
from newsextract.crawl.reader_tasks import ReaderTasks
from newsextract.crawl.readers import ReaderPlan
from newsextract.page.page import PageError
from newsextract.reading.notices import NoArticle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.fuzz.samples import Sample
    from newsextract import Page

MOST_SECONDS = 2.0
"""Of processor time, for all that is done with a page."""
_ENDED_SECONDS = 20.0
"""After which a reading is stopped, and where it was then is told."""


_OURS = frozenset(("newsextract", "benchmarks"))


class OutOfTime(BaseException):
    """A page takes so long that nobody waits for it; no exception, so that nobody on the way catches it."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with the reading of a page."""

    kind: str
    """The same for all pages with the same fault: an exception and where it was raised, or `slow`."""
    detail: str


@dataclass(frozen=True)
class Outcome:
    """How the reading of a page ended."""

    seconds: float
    fault: Fault | None = None


def attempt(sample: Sample, most_seconds: float = MOST_SECONDS) -> Outcome:
    """Read a page, and return the seconds it took and the fault, if there is one."""
    started = time.process_time()
    fault = None
    try:
        with _stopped_after(_ENDED_SECONDS):
            read(sample)
    except (Exception, OutOfTime) as error:  # noqa: BLE001 - whatever it is, it is what we look for
        fault = Fault(_kind(error), "".join(traceback.format_exception(error)))
    seconds = time.process_time() - started
    if fault is None and seconds > most_seconds:
        fault = Fault("slow", f"{seconds:.1f} s")
    return Outcome(seconds, fault)


def read(sample: Sample) -> None:
    """Read a page in every way; raises what the readers raise, and `AssertionError` where an answer is impossible."""
    try:
        page = sample.page()
    except PageError:
        return
    _read_as_a_worker(page)
    found = create_extractor(sample.extractor).extract(page)
    assert 0 <= found.confidence <= 1
    for written in (found.text, found.html, found.markdown, *found.warnings):
        written.encode()
    assert bool(found.text) == bool(found)


def _read_as_a_worker(page: Page) -> None:
    tasks = ReaderTasks(ReaderPlan(extractor="auto", comments=True, markdown=True))
    try:
        article = tasks.read(page)
    except NoArticle:
        article = read_article(page)
    check_article(article)
    tasks.survey(page)
    tasks.paginate(page, page.url or "")


def check_article(article: Article) -> None:
    """Raise `AssertionError` unless it can be written as JSON, in UTF-8, and nothing in it is empty."""
    fields = ItemAdapter(article).asdict()
    json.dumps(fields, ensure_ascii=False).encode()
    for name, value in fields.items():
        assert value not in ("", [], {}) or name == "url", f"{name} is {value!r}"
        assert "\x00" not in str(value), f"{name} has a NUL"


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _stop(*_: object) -> None:
    raise OutOfTime


def _kind(error: BaseException) -> str:
    """Return the exception with the last place in our code that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if not _OURS.isdisjoint(PurePath(frame.filename).parts)]
    place = places[-1]
    return f"{type(error).__name__} at {PurePath(place.filename).name}:{place.lineno} {place.name}"
