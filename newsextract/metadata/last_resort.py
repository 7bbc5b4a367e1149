"""The date that htmldate guesses, where nothing else on the page states one.

It tries hundreds of patterns on the whole page, and takes seconds on some: it gets a budget of time in a thread of its
own, and no page beyond a size that it could ever read in time.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from newsextract.metadata.findings import Findings

if TYPE_CHECKING:
    from newsextract.metadata.clues import Clues

BUDGET_SECONDS = 0.15
"""Its median is 3 ms, its worst case in three corpora 14 ms without its extensive search, 1.3 s with it."""
_MAX_CHARS = 1_000_000


def read(clues: Clues) -> Findings:
    """Return its guess; a warning says where there was no time for one."""
    text = clues.page.decoded.text
    if clues.heading is None or len(text) > _MAX_CHARS:
        return Findings()  # no article that one could date, or too much to read
    try:
        guess = _guesser().guess(text, clues.page.url)
    except OutOfTime:
        return Findings(warnings=(f"no date within {BUDGET_SECONDS} s",))
    return Findings({"datePublished": [guess]} if guess else {})


@cache
def _guesser() -> _Guesser:
    return _Guesser()


class _Guesser:
    """Asks htmldate in another thread; while that is busy beyond its budget, nobody asks again."""

    def __init__(self) -> None:
        logging.getLogger("htmldate").setLevel(logging.CRITICAL)
        self._pool = ThreadPoolExecutor(1, "htmldate")
        self._lock = Lock()
        self._pending: Future[str | None] | None = None

    def guess(self, html: str, url: str | None) -> str | None:
        """Return the date in ISO 8601; raises `OutOfTime`."""
        with self._lock:
            if self._pending is not None and not self._pending.done():
                raise OutOfTime
            self._pending = future = self._pool.submit(_guess, html, url)
        return future.result(BUDGET_SECONDS)


def _guess(html: str, url: str | None) -> str | None:
    from htmldate import find_date  # noqa: PLC0415 - a tenth of a second, for the few pages that need it

    try:
        return find_date(html, url=url, extensive_search=False, original_date=True)
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError):
        return None  # what it raises on pages that it cannot read
