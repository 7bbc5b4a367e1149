"""Read kept pages again in worker processes, and compare each article with its row."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from newsextract.crawl.readers import Readers
from newsextract.evaluation.measures import Text, token_scores
from newsextract.page.page import PageError
from newsextract.processes.pool import Unanswered, in_order
from newsextract.reading.notices import NoArticle, PageState
from newsextract.storage.articles import row_of
from newsextract.storage.kept_pages import UnreadablePage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from newsextract.article import Article
    from newsextract.crawl.readers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.storage.kept_pages import KeptPage, PageFiles

BODY = "article_body"

FIELDS = {
    BODY: "body",
    "headline": "headline",
    "description": "description",
    "date_published": "date",
    "date_modified": "modified",
    "authors": "authors",
    "publisher": "publisher",
    "in_language": "language",
    "section": "section",
    "keywords": "keywords",
    "main_image": "image",
    "canonical_url": "canonical URL",
    "is_accessible_for_free": "paywall",
}
"""The compared columns, with their names in reports; columns on how an article was obtained are left out."""

EMPTIED, FILLED, LONGER, SHORTER, CHANGED = "became empty", "was empty", "longer", "shorter", "changed"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that has another value now."""

    field: str
    """Its column."""
    kind: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result for one page."""

    url: str
    site: str
    changes: tuple[FieldChange, ...] = ()
    body_f1: float = 1.0
    """The F1 of the body's words, stored against now; 0 if the page is no longer an article."""
    end: str | None = None
    """How the page ends if it is no longer an article: its state and the reason."""
    unreadable: str | None = None
    """Why it could not be read again: its file is missing or damaged; `None` if it was read."""

    @property
    def has_changed(self) -> bool:
        """Whether another value would be stored."""
        return bool(self.changes) or self.end is not None


def compare(url: str, site: str, stored: Mapping[str, Any], article: Article) -> Comparison:
    """Return how an article differs from its row."""
    now = row_of(article)
    changes = tuple(
        FieldChange(field, _kind(field, stored.get(field), now[field]), stored.get(field), now[field])
        for field in FIELDS
        if _comparable(stored.get(field)) != _comparable(now[field])
    )
    body_f1 = token_scores(Text(now[BODY] or ""), Text(stored.get(BODY) or ""))["token_f1"]
    return Comparison(url, site, changes, body_f1)


def end_of(url: str, site: str, error: NoArticle | PageError | Unanswered) -> Comparison:
    """Return the result for a page that is no longer an article."""
    state = error.state if isinstance(error, NoArticle) else PageState.ERROR
    return Comparison(url, site, body_f1=0.0, end=f"{state}: {error.reason}")


def _kind(field: str, before: Any, after: Any) -> str:
    if not after and after is not False:
        return EMPTIED
    if not before and before is not False:
        return FILLED
    if field != BODY or len(before) == len(after):
        return CHANGED
    return LONGER if len(after) > len(before) else SHORTER


def _comparable(value: Any) -> Any:
    """Return a value as any database returns it; `None`, "" and [] count as the same.

    >>> _comparable([{"b": 1, "a": None}]) == _comparable([{"a": None, "b": 1}]), _comparable([]) == _comparable(None)
    (True, True)
    """
    if isinstance(value, list | dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False) if value else None
    return None if value == "" else bool(value) if isinstance(value, bool) else value


PAGES_AHEAD = 4
"""Pages in memory for each worker."""


@dataclass(frozen=True)
class Replay:
    """Reads pages again by a plan; with `is_other`, by the plan's extractor whatever they were first read with."""

    plan: ReaderPlan
    files: PageFiles
    jobs: int = 1
    seconds: float = 20.0
    """Seconds allowed for a page, if it is read in a process."""
    is_other: bool = False
    """Whether the plan's extractor takes precedence over one that a page names."""

    def run(self, kept: Iterable[KeptPage]) -> Iterator[Comparison]:
        """Yield the result for each page, in order."""
        readers = Readers(self.plan, 0 if self.jobs == 1 else self.jobs, seconds=self.seconds)
        try:
            for one, answer in in_order(partial(self._submit, readers), kept, self.jobs * PAGES_AHEAD):
                yield _compared(one, answer)
        finally:
            readers.close().result()

    def _submit(self, readers: Readers, kept: KeptPage) -> Future[Article]:
        try:
            page = kept.page(self.files)
        except UnreadablePage as error:
            unreadable: Future[Article] = Future()
            unreadable.set_exception(error)
            return unreadable
        return readers.read(_freed(page) if self.is_other else page, learn=False)


def _freed(page: Page) -> Page:
    """Return the page without the extractor that it names."""
    arguments = {**page.arguments, "extractor": None}
    return type(page)(page.html, continued=tuple(map(_freed, page.continued)), **arguments)


def _compared(kept: KeptPage, answer: Future[Article]) -> Comparison:
    try:
        return compare(kept.url, kept.site, kept.stored, answer.result())
    except UnreadablePage as error:
        return Comparison(kept.url, kept.site, unreadable=str(error))
    except (NoArticle, PageError, Unanswered) as end:
        return end_of(kept.url, kept.site, end)
