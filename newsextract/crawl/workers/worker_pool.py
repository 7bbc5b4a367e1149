"""All the workers of a crawl: each site has one of its own, where what is learned of it is kept."""

from __future__ import annotations

import tempfile
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from newsextract.crawl.workers import worker_tasks
from newsextract.crawl.workers.worker_lanes import Job, ProcessLane, ThreadLane
from newsextract.page.urls.clean_urls import site_of
from newsextract.settings import PAGE_SECONDS, WORKER_PAGES
from newsextract.storage.articles.article_store import ArticleStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.article import Article
    from newsextract.crawl.workers.worker_answers import Pagination, ReaderPlan, SiteFile, Survey
    from newsextract.crawl.workers.worker_lanes import Lane
    from newsextract.page.page import Page

    Task: TypeAlias = Callable[..., Any]

SAVING_SECONDS = 120
"""For the memories of all the sites of a worker."""


class Readers:
    """Lets workers read pages and site files, without waiting: every method returns the future of its answer.

    A future fails with what the task raises, or with an `Unanswered`. Processes start when they are first needed.
    Without any, one thread does it all: then nothing is ever too slow.

    Raises:
        StorageError: the database in which the memories of sites are kept cannot be used.
    """

    def __init__(
        self,
        plan: ReaderPlan,
        workers: int = 0,
        *,
        seconds: float = PAGE_SECONDS.default,
        pages: int = WORKER_PAGES.default,
    ) -> None:
        self.seconds = seconds
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if workers and plan.uses_memory and not plan.database:
            # What was learned of a site has to outlive the worker.
            self._folder = tempfile.TemporaryDirectory(prefix="newsextract-")
            plan = replace(plan, database=f"sqlite:///{Path(self._folder.name) / 'memories.db'}")
        if plan.uses_memory and plan.database:
            # Once, before several workers make its tables at the same time; and an error at start if it cannot be.
            ArticleStore.open(plan.database).close()
        self._lanes: Sequence[Lane] = (
            [ProcessLane(plan, pages) for _ in range(workers)] if workers else [ThreadLane(plan)]
        )

    def read(self, page: Page, *, learn: bool = True) -> Future[Article]:
        """Return the article of a page; fails with what `ArticleReader.read` raises.

        What is learned of a site is learned by one worker; where nothing is, any worker may read the page.
        """
        lane = self._lane_of(page.url) if learn else self._idlest()
        return self._submit(lane, worker_tasks.read, page, learn)

    def survey(self, page: Page) -> Future[Survey]:
        """Return where a page leads."""
        return self._submit(self._lane_of(page.url), worker_tasks.survey, page)

    def paginate(self, page: Page, first: str | None = None) -> Future[Pagination]:
        """Return the place of a page among those of the article that begins at `first`, or with the page itself."""
        return self._submit(self._lane_of(page.url), worker_tasks.paginate, page, first or page.url or "")

    def read_sitemap(self, body: bytes, url: str) -> Future[SiteFile]:
        """Return the entries of a sitemap or an index of them."""
        return self._submit(self._idlest(), worker_tasks.read_sitemap, body, url)

    def read_feed(self, body: bytes, url: str) -> Future[SiteFile]:
        """Return the entries of a feed."""
        return self._submit(self._idlest(), worker_tasks.read_feed, body, url)

    def close(self) -> Future[None]:
        """Finish what was submitted, save what was learned, and end the workers."""
        closed: Future[None] = Future()
        saved = [
            self._submit(lane, worker_tasks.save, seconds=SAVING_SECONDS) for lane in self._lanes if _was_used(lane)
        ]
        Thread(target=self._close, args=(saved, closed), name="newsextract-close", daemon=True).start()
        return closed

    def counts(self) -> dict[str, int]:
        """Return how many processes were `started`, `killed` as they were too slow, and `died`."""
        return {name: sum(getattr(lane, name) for lane in self._lanes) for name in ("started", "killed", "died")}

    def _close(self, saved: list[Future[None]], closed: Future[None]) -> None:
        errors = [error for future in saved if (error := future.exception())]
        for lane in self._lanes:
            lane.close()
        if self._folder is not None:
            self._folder.cleanup()
        if errors:
            closed.set_exception(errors[0])
        else:
            closed.set_result(None)

    def _lane_of(self, url: str | None) -> Lane:
        return self._lanes[crc32(site_of(url or "").encode()) % len(self._lanes)]

    def _idlest(self) -> Lane:
        return min(self._lanes, key=lambda lane: (lane.backlog, not lane.started))

    def _submit(self, lane: Lane, task: Task, *arguments: Any, seconds: float | None = None) -> Future[Any]:
        job = Job(task, arguments, seconds or self.seconds)
        lane.submit(job)
        return job.answer


def _was_used(lane: Lane) -> bool:
    return isinstance(lane, ThreadLane) or lane.started > 0 or lane.backlog > 0
