"""Read the pages of records one after another, and yield what became of each record, in the order of the file.

While one page is read in its process, the next record is decompressed here, and the last answer is written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from newsextract.archives.engine.page_answer import PageAnswer
    from newsextract.archives.warc import WarcRecord

MOST_WAITING = 1000
"""Records without a page that wait for the answer of the page before them, a kilobyte each."""


class Pages(Protocol):
    """Reads one page at a time, see `PageProcess`."""

    def send(self, record: WarcRecord) -> None:
        """Let a page be read."""
        ...

    def answer(self) -> PageAnswer:
        """Return what became of it."""
        ...


def read_in_order(
    records: Iterable[WarcRecord], judge: Callable[[WarcRecord], PageAnswer | None], pages: Pages
) -> Iterator[tuple[WarcRecord, PageAnswer]]:
    """Yield each record, without its body, with what became of it.

    `judge` answers for the records whose page is not to be read, and returns `None` for the others.
    """
    page: WarcRecord | None = None
    behind: deque[tuple[WarcRecord, PageAnswer]] = deque()
    for record in records:
        answer = judge(record)
        if answer is not None and page is None:
            yield _bare(record), answer
            continue
        if answer is not None and len(behind) < MOST_WAITING:
            behind.append((_bare(record), answer))
            continue
        done = [(_bare(page), pages.answer()), *behind] if page is not None else []
        behind.clear()
        page = None
        if answer is None:
            pages.send(record)  # before the last answer is written: the process shall not wait
            page = record
        yield from done
        if answer is not None:
            yield _bare(record), answer
    if page is not None:
        yield _bare(page), pages.answer()
    yield from behind


def _bare(record: WarcRecord) -> WarcRecord:
    return replace(record, body=None)
