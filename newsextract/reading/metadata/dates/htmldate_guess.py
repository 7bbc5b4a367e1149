"""The date that htmldate guesses if nothing else on the page states one.

It tries hundreds of patterns on the whole page and takes seconds on some. So it runs in its own thread with a time
limit, and never on pages too large to finish in time.
"""

from __future__ import annotations

import logging
import re
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from copy import deepcopy
from threading import Lock
from typing import TYPE_CHECKING

from lxml.etree import LxmlError

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

BUDGET_SECONDS = 0.15
"""Its median is 3 ms, its worst case in three corpora 14 ms, or 1.3 s with its extensive search."""
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
        self._pool = ThreadPoolExecutor(1, "htmldate")  # the thread starts with the first page
        self._lock = Lock()
        self._overdue: Future[str | None] | None = None

    def guess(self, tree: HtmlElement, url: str | None) -> str | None:
        """Return the date in ISO 8601 or `None`; raises `OutOfTime`."""
        with self._lock:
            if self._overdue is not None and not self._overdue.done():
                raise OutOfTime
            future = self._pool.submit(_guess, tree, url)
        try:
            return future.result(BUDGET_SECONDS)
        except OutOfTime:
            if not future.cancel():  # cancelled: it was still waiting behind others
                with self._lock:
                    self._overdue = future
            raise


_GUESSER = _Guesser()


def _guess(tree: HtmlElement, url: str | None) -> str | None:
    from htmldate import find_date  # noqa: PLC0415 - see above

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    try:
        return find_date(tree, url=url, extensive_search=False, original_date=True)
    except _ON_ODD_PAGES:
        return None
