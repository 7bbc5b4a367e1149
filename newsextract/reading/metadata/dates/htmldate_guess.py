"""The date that htmldate guesses if nothing else on the page states one.

It tries hundreds of patterns on the whole page and takes seconds on some. So it runs in its own thread with a time
limit, and never on pages too large to finish in time.
"""

from __future__ import annotations

import logging
import os
import re
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from copy import deepcopy
from functools import partial
from threading import Lock, get_ident
from typing import TYPE_CHECKING

from lxml.etree import LxmlError

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

BUDGET_SECONDS = 0.15
"""Its median is 3 ms, its worst case in three corpora 14 ms, or 1.3 s with its extensive search.

Of processor time, where the system counts it for each thread: how busy the machine is changes no date.
"""
_WALL_BUDGETS = 20
"""So many budgets of the clock are waited for the processor time of one."""
_SHORTEST_WAIT = 0.005
_MAX_CHARS = 1_000_000
_ON_ODD_PAGES = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    LxmlError,
    re.error,
)
"""What htmldate, or the parsers that it calls, raise on pages that they cannot read."""


def read(clues: Clues) -> Findings:
    """Return the guess; a warning if it took too long."""
    page = clues.page
    if clues.heading is None or len(page.decoded.text) > _MAX_CHARS:
        return Findings()  # no article to date, or too much to read
    import htmldate  # noqa: F401, PLC0415 - a tenth of a second, for the few pages that need it, and not of their budget

    try:
        guess = _GUESSER.guess(deepcopy(page.tree), page.url)  # a copy, because htmldate changes the tree
    except OutOfTime:
        return Findings(warnings=(Notice(NoticeCode.OUT_OF_TIME, seconds=BUDGET_SECONDS),))
    return Findings({"datePublished": [guess]} if guess else {})


class _Guesser:
    """Runs htmldate in another thread; while an overdue page keeps that busy, no other page is tried."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin anew: a process forked from one that has guessed has its pool, but not its thread."""
        self._pool = ThreadPoolExecutor(1, "htmldate")  # the thread starts with the first page
        self._lock = Lock()
        self._overdue: Future[str | None] | None = None

    def guess(self, tree: HtmlElement, url: str | None) -> str | None:
        """Return the date in ISO 8601 or `None`; raises `OutOfTime`."""
        with self._lock:
            if self._overdue is not None and not self._overdue.done():
                raise OutOfTime
            watch = _Stopwatch()
            future = self._pool.submit(_timed_guess, watch, tree, url)
        try:
            return _result(future, watch)
        except OutOfTime:
            if not future.cancel():  # cancelled: it was still waiting behind others
                with self._lock:
                    self._overdue = future
            raise


class _Stopwatch:
    """The seconds of processor time that a thread has used since it started the watch."""

    def __init__(self) -> None:
        self._read: Callable[[], float] | None = None
        self._started = 0.0

    def start(self) -> None:
        """Start, in the thread that is watched."""
        has_clock = hasattr(time, "pthread_getcpuclockid")  # not on every system
        read = partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident())) if has_clock else time.monotonic
        self._started = read()
        self._read = read

    @property
    def seconds(self) -> float:
        """The seconds until now; 0 before the start."""
        return self._read() - self._started if self._read is not None else 0.0


_GUESSER = _Guesser()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_GUESSER.renew)


def _guess(tree: HtmlElement, url: str | None) -> str | None:
    from htmldate import find_date  # noqa: PLC0415 - see above

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    try:
        return find_date(tree, url=url, extensive_search=False, original_date=True)
    except _ON_ODD_PAGES:
        return None


def _timed_guess(watch: _Stopwatch, tree: HtmlElement, url: str | None) -> str | None:
    watch.start()
    return _guess(tree, url)


def _result(future: Future[str | None], watch: _Stopwatch) -> str | None:
    """Return the guess; raises `OutOfTime` when the budget is used up."""
    deadline = time.monotonic() + BUDGET_SECONDS * _WALL_BUDGETS
    wait = BUDGET_SECONDS
    while True:
        try:
            return future.result(wait)
        except OutOfTime:
            wait = min(BUDGET_SECONDS - watch.seconds, deadline - time.monotonic())
            if wait <= 0:
                raise
            wait = max(wait, _SHORTEST_WAIT)
