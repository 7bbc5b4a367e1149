"""All workers of a crawl: each site is assigned to one, which learns what the site's pages have in common."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from zlib import crc32

from newsextract.crawl.workers.worker_job import Job
from newsextract.crawl.workers.worker_lanes import ProcessLane, ThreadLane
from newsextract.page.urls.clean_urls import site_of
from newsextract.processes.garbage_collection import give_back
from newsextract.settings import PAGE_SECONDS
from newsextract.storage.articles.article_store import ArticleStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.article import Article
    from newsextract.crawl.workers.worker_answers import Pagination, ReaderPlan, Reading, SiteFile, Survey
    from newsextract.crawl.workers.worker_lanes import Lane
    from newsextract.page.page import Page
    from newsextract.reading.feed_article import Instead
    from newsextract.reading.linked_versions import LinkedVersions

SAVING_SECONDS = 120
"""Time limit for saving the memories of all sites of a worker."""

LOOK_SECONDS = 0.25
"""Seconds between two checks for tasks behind a slow one."""

TRIM_SECONDS = 10.0
"""Seconds after which this process gives freed memory back, too."""

SPARES = 2
"""Extra workers, per worker, that start if too few are free of slow tasks."""

MIN_FREE = 2
"""Workers that share the waiting tasks: if one meets the next slow page, the other continues."""


class Readers:
    """Sends pages and site files to workers; every method returns the future of its answer at once.

    A future fails with what the task raises, or with an `Unanswered`. Processes start when they are first needed.
    With no processes, one thread does all tasks, without a time limit.

    Raises:
        StorageError: the database in which the memories of sites are kept cannot be used.
    """

    def __init__(
        self,
        plan: ReaderPlan,
        workers: int = 0,
        *,
        seconds: float = PAGE_SECONDS.default,
        pages: int = 5000,
    ) -> None:
        self.seconds = seconds
        if plan.uses_memory and plan.database:
            # Once, before several workers create its tables at the same time; it also reports errors at start.
            ArticleStore.open(plan.database).close()
        self._new_lane = partial(ProcessLane, plan, pages)
        self._own: Sequence[Lane] = [self._new_lane() for _ in range(workers)] if workers else [ThreadLane(plan)]
        """The lanes to which sites are assigned."""
        self._spares: list[Lane] = []
        self._closed = Event()
        if workers:
            Thread(target=self._relieve, name="newsextract-relief", daemon=True).start()

    def read(self, page: Page, *, learn: bool = True) -> Future[Article]:
        """Return the article of a page; fails with what `ArticleReader.read` raises.

        Only the site's worker learns about the site; with `learn=False`, any worker may read the page.
        """
        lane = self._lane_of(page.url) if learn else _idlest(self._own)
        return self._submit(lane, "read", page, learn)

    def read_to_store(self, page: Page, *, with_print: bool) -> Future[Reading]:
        """Return the article of a page as `read` does, with its words, and with the print by which copies are found."""
        return self._submit(self._lane_of(page.url), "read_to_store", page, with_print)

    def survey(self, page: Page) -> Future[Survey]:
        """Return the links and feeds of a page."""
        return self._submit(self._lane_of(page.url), "survey", page)

    def script_signs(self, page: Page) -> Future[tuple[str, ...]]:
        """Return the signs that scripts bring the text of a page that gave no article."""
        return self._submit(self._lane_of(page.url), "script_signs", page)

    def linked_versions(self, page: Page) -> Future[LinkedVersions]:
        """Return the versions that a page links."""
        return self._submit(self._lane_of(page.url), "linked_versions", page)

    def paginate(self, page: Page, first: str | None = None) -> Future[Pagination]:
        """Return the place of a page in the article that begins at the URL `first`, or at the page itself."""
        return self._submit(self._lane_of(page.url), "paginate", page, first or page.url or "")

    def read_sitemap(self, body: bytes, url: str) -> Future[SiteFile]:
        """Return the entries of a sitemap or sitemap index."""
        return self._submit(_idlest(self._own), "read_sitemap", body, url)

    def read_feed(self, body: bytes, url: str, *, with_texts: bool = False) -> Future[SiteFile]:
        """Return the entries of a feed, if wanted with their texts."""
        return self._submit(_idlest(self._own), "read_feed", body, url, with_texts)

    def read_entry(self, packed: bytes, instead: Instead) -> Future[Article | None]:
        """Return the article of a feed's entry that stands in for a page; `None` if its text is a teaser."""
        return self._submit(self._lane_of(instead.url), "read_entry", packed, instead)

    def close(self) -> Future[None]:
        """Finish what was submitted, save what was learned, and end the workers."""
        closed: Future[None] = Future()
        Thread(target=self._close, args=(closed,), name="newsextract-close", daemon=True).start()
        return closed

    def let_go(self, sites: Sequence[str]) -> list[Future[None]]:
        """Save and forget what is known of sites that another run goes on with; a future per worker."""
        return self._all_do("let_go", tuple(sites))

    def counts(self) -> dict[str, int]:
        """Return how many processes were `started`, were `killed` because they were too slow, and `died`."""
        return {name: sum(getattr(lane, name) for lane in self._lanes) for name in ("started", "killed", "died")}

    def _close(self, closed: Future[None]) -> None:
        # All at once; again if pages went to another worker in the meantime.
        errors = [error for _ in range(2) for future in self._all_do("save") if (error := future.exception())]
        self._closed.set()
        for lane in self._lanes:
            lane.close()
        if errors:
            closed.set_exception(errors[0])
        else:
            closed.set_result(None)

    def _all_do(self, task: str, *arguments: Any) -> list[Future[None]]:
        jobs = [(lane, Job(task, arguments, SAVING_SECONDS, is_bound=True)) for lane in self._lanes]
        used = [(lane, job) for lane, job in jobs if _was_used(lane)]
        for lane, job in used:
            lane.submit(job)
        return [job.answer for _, job in used]

    def _relieve(self) -> None:
        """Move the tasks behind slow ones to workers without a slow task."""
        next_trim = 0.0
        while not self._closed.wait(LOOK_SECONDS):
            now = monotonic()
            if now >= next_trim:
                give_back()
                next_trim = now + TRIM_SECONDS
            for job in [job for lane in self._lanes for job in lane.relieve(now)]:
                self._free_lane().submit(job)

    def _free_lane(self) -> Lane:
        free = [lane for lane in self._lanes if not lane.is_stuck]
        while len(free) < MIN_FREE and len(self._spares) < SPARES * len(self._own):
            self._spares.append(self._new_lane())
            free.append(self._spares[-1])
        return _idlest(free or self._lanes)

    @property
    def _lanes(self) -> Sequence[Lane]:
        return [*self._own, *self._spares]

    def _lane_of(self, url: str | None) -> Lane:
        return self._own[crc32(site_of(url or "").encode()) % len(self._own)]

    def _submit(self, lane: Lane, task: str, *arguments: Any) -> Future[Any]:
        job = Job(task, arguments, self.seconds)
        lane.submit(job)
        return job.answer


def _idlest(lanes: Sequence[Lane]) -> Lane:
    return min(lanes, key=lambda lane: (lane.is_stuck, lane.backlog, not lane.started))


def _was_used(lane: Lane) -> bool:
    return isinstance(lane, ThreadLane) or lane.started > 0 or lane.backlog > 0
