"""Has kept pages read again by workers, a few more at a time than there are, and compares."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.crawl.workers.worker_pool import Readers
from newsextract.page.page import PageError
from newsextract.reading.page_state import NoArticle
from newsextract.storage.articles.page_files import UnreadablePage
from newsextract.tools.replaying.article_comparison import Comparison, compare, end_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from newsextract.article import Article
    from newsextract.crawl.workers.worker_answers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.storage.articles.page_files import PageFiles
    from newsextract.storage.articles.raw_pages import KeptPage

PAGES_AHEAD = 4
"""Pages in memory for each worker."""


@dataclass(frozen=True)
class Replay:
    """Reads pages again as a plan says, whatever extractor they were first read with if `is_other`."""

    plan: ReaderPlan
    files: PageFiles
    jobs: int = 1
    seconds: float = 20.0
    """Allowed for a page, where there are processes."""
    is_other: bool = False
    """Whether the plan's extractor stands above one that a page names itself."""

    def run(self, kept: Iterable[KeptPage]) -> Iterator[Comparison]:
        """Yield what becomes of each page, in their order."""
        readers = Readers(self.plan, 0 if self.jobs == 1 else self.jobs, seconds=self.seconds)
        waiting: deque[tuple[KeptPage, Future[Article] | str]] = deque()
        try:
            for one in kept:
                waiting.append((one, self._asked(readers, one)))
                if len(waiting) > self.jobs * PAGES_AHEAD:
                    yield _settled(*waiting.popleft())
            while waiting:
                yield _settled(*waiting.popleft())
        finally:
            readers.close().result()

    def _asked(self, readers: Readers, kept: KeptPage) -> Future[Article] | str:
        try:
            page = kept.page(self.files)
        except UnreadablePage as error:
            return str(error)
        return readers.read(_freed(page) if self.is_other else page, learn=False)


def _freed(page: Page) -> Page:
    """Return the page without the extractor that was named for it."""
    arguments = {**page.arguments, "extractor": None}
    return type(page)(page.html, continued=tuple(map(_freed, page.continued)), **arguments)


def _settled(kept: KeptPage, answer: Future[Article] | str) -> Comparison:
    if isinstance(answer, str):
        return Comparison(kept.url, kept.site, unreadable=answer)
    try:
        return compare(kept.url, kept.site, kept.stored, answer.result())
    except (NoArticle, PageError, Unanswered) as end:
        return end_of(kept.url, kept.site, end)
