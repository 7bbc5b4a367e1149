"""Read pages one after another, or in processes of which each page may crash or block one."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.reading.notices import NoticeCode, noticed
from newsextract.tools.page_reading.page_forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.rules import SiteRules
    from newsextract.tools.page_reading.page_sources import Source

_AHEAD = 4
"""Pages given to the processes before their turn, for each process: a slow one holds up the order, not the others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of every page."""

    form: str
    """One of `FORMS`."""
    extractor: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)
    """The fields of `ExtractionOptions`."""
    own: dict[str, Any] = field(default_factory=dict)
    """The extractor's own options."""
    seconds: float = 30.0
    """Time for one page to be fetched, and as much for it to be read."""
    private_addresses: str = ""
    """The private addresses that may be fetched, as in `NEWSEXTRACT_PRIVATE_ADDRESSES`."""
    rules: Mapping[str, SiteRules] = field(default_factory=dict)
    """The rules of sites, by host."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page: its article as written, an error, or both if it has no body."""

    source: Source
    written: str | None = None
    error: str | None = None
    is_usage: bool = False
    """Whether the error is one of the options, the same for every page."""


def read_all(sources: Iterable[Source], wish: Wish, jobs: int) -> Generator[Outcome]:
    """Yield what became of each page, in order; with `jobs` above 0 they are read in as many processes."""
    if not jobs:
        yield from (read_one(source, wish) for source in sources)
        return
    from newsextract.processes.pool import WorkerPool, in_order  # noqa: PLC0415 - one page needs none

    with WorkerPool(f"{__name__}:PageTasks", wish, processes=jobs, seconds=wish.seconds) as pool:

        def submit(source: Source) -> Future[Outcome]:
            fetched = _loaded(source, wish) if _is_loaded_here(source) else None
            if not isinstance(fetched, Outcome):
                return pool.submit("read", source, fetched)
            failed: Future[Outcome] = Future()
            failed.set_result(fetched)
            return failed

        for source, answer in in_order(submit, sources, _AHEAD * jobs):
            yield _outcome(source, answer, wish)


class PageTasks:
    """Reads pages in a worker process."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, source: Source, page: Page | None) -> Outcome:
        """Read a page and write its article; no error of the page is raised."""
        return read_one(source, self._wish, page)


def _outcome(source: Source, answer: Future[Outcome], wish: Wish) -> Outcome:
    """Return what became of a page that was given to a process; waits for it."""
    from newsextract.processes.pool import Crashed, TooSlow  # noqa: PLC0415 - likewise

    try:
        return answer.result()
    except TooSlow:
        return Outcome(source, error=f"not read within {wish.seconds:g} seconds")
    except Crashed as error:
        return Outcome(source, error=f"its process died: {error}")
    except Exception as error:  # noqa: BLE001 - a fault that one page brings to light may not lose the others
        return Outcome(source, error=f"it was not read, for a fault: {type(error).__name__}: {error}")


def _is_loaded_here(source: Source) -> bool:
    # Standard input is this process's, and pages of one host are not fetched at the same time.
    return source.is_url or source.name == "-"


def read_one(source: Source, wish: Wish, page: Page | None = None) -> Outcome:
    """Read a page and write its article; no error of the page is raised."""
    from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor  # noqa: PLC0415
    from newsextract.reading.extraction_options import ExtractionOptions  # noqa: PLC0415
    from newsextract.reading.reader import of_host, read_page  # noqa: PLC0415 - not in a process that only waits

    loaded = page or _loaded(source, wish)
    if isinstance(loaded, Outcome):
        return loaded
    form = FORMS[wish.form]
    try:
        options, rules = ExtractionOptions(**wish.options), of_host(wish.rules, loaded.url)
        extraction, article = read_page(loaded, wish.extractor, options, wish.own, rules)
    except (UnknownExtractor, BadExtractorOption) as error:
        return Outcome(source, error=str(error), is_usage=True)
    except (ValueError, OSError) as error:
        return Outcome(source, error=str(error))
    if extraction:
        return Outcome(source, form.write(extraction, article))
    return Outcome(source, form.write(extraction, article) if form.keeps_empty else None, without_body(extraction))


def without_body(extraction: Extraction) -> str:
    """Return why an extraction is empty."""
    return next(noticed(NoticeCode.TOO_FEW_WORDS, extraction.warnings), f"{extraction.extractor} found no main content")


def why_unread(error: Exception) -> str:
    """Return a phrase for an error of loading a page, without the number and the name, which stands before it.

    >>> why_unread(FileNotFoundError(2, "No such file or directory", "page.html"))
    'no such file'
    """
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)


def _loaded(source: Source, wish: Wish) -> Page | Outcome:
    from newsextract.page.page import MAX_BYTES, Page, PageError  # noqa: PLC0415 - likewise

    try:
        if source.is_url:
            return _fetched(source.name, wish)
        if source.name == "-":
            if sys.stdin is None:
                return Outcome(source, error="standard input is closed")
            return Page(sys.stdin.buffer.read(MAX_BYTES + 1), source.url)
        with Path(source.name).open("rb") as file:  # no more than a page may have, as a device never ends
            return Page(file.read(MAX_BYTES + 1), source.url)
    except (PageError, OSError) as error:
        return Outcome(source, error=why_unread(error))


def _fetched(url: str, wish: Wish) -> Page:
    from newsextract.sites.fetching import PageFetcher  # noqa: PLC0415
    from newsextract.sites.private_addresses import AddressPolicy  # noqa: PLC0415 - files need no network

    return PageFetcher(AddressPolicy.parse(wish.private_addresses), seconds=wish.seconds).fetch(url)
