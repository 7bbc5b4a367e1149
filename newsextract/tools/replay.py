"""The verb `replay`: reads kept pages again, and shows what would change in the database. Nothing is written."""

from __future__ import annotations

import json as json_form
from collections import Counter
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from difflib import unified_diff
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from newsextract.terminal import DONE, NOTHING, console, progress, say, show, table, verb
from newsextract.tools.project import database_of, moment_of, settings_of, store_of, with_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine

    from newsextract.article import Article
    from newsextract.crawl.readers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.storage.kept_pages import KeptPage
    from newsextract.storage.warc_store import WarcStore

DIFFERENCES = 10
"""Pages whose differences are shown."""

PAGES_AHEAD = 4
"""Pages in memory for each process."""


MOST_CHARS = 1_000
"""Characters shown of a line that differs."""

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

KINDS = CHANGED, EMPTIED, FILLED = "changed", "became empty", "was empty"


@verb(
    "newsextract replay --since 7d --diff",
    "newsextract replay -x mss --limit 100",
    nothing="something would change, or there was nothing to read",
)
@click.option("--since", metavar="WHEN", help="only pages fetched since: 7d, 36h, 2026-11-01")
@click.option("--site", metavar="SITE", help="only pages of this site")
@click.option("--sites", metavar="FILE", help="read each site with the extractor and rules of this list")
@click.option("-x", "--extractor", metavar="NAME", help="as in mss or eatiht:version=2")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="at most N pages, newest first")
@click.option("--diff", is_flag=True, help=f"show the lines of the {DIFFERENCES} largest changes")
@click.option("--json", is_flag=True, help="print JSON")
@click.option("--jobs", type=click.IntRange(1), default=1, metavar="N", help="processes")
@click.option("--prune", metavar="WHEN", help="delete pages and WARC files older than: 90d, 2026-01-01")
@with_settings
def replay(
    since: str | None, site: str | None, sites: str | None, extractor: str | None, limit: int | None, diff: bool,
    json: bool, jobs: int, prune: str | None, given: tuple[str, ...],
) -> int:  # fmt: skip
    """Read kept pages again, and show what would change in the database. Nothing is written.

    The pages are those that crawls with NEWSEXTRACT_WARC have fetched, the newest of each article.
    """
    from newsextract.settings import PAGE_SECONDS
    from newsextract.storage.kept_pages import newest_pages, read_kept_pages

    settings = settings_of(given)
    store = store_of(settings)
    first = moment_of("--since", since) if since else None
    with database_of(settings, "there is nothing to compare with", is_named=False) as engine:
        if prune:
            return _pruned(engine, store, prune)
        plan = _plan(settings, sites, extractor)
        with engine.connect() as connection:
            ids = newest_pages(connection, first, site, limit)
            kept = read_kept_pages(connection, ids)
            seconds = PAGE_SECONDS.of(settings)
            again = read_again(kept, plan, store, jobs, seconds, is_other=bool(extractor)) if ids else iter(())
            comparisons = list(progress(again, "pages", len(ids)))
    if not comparisons:
        say(f"no page that is asked for is in {store.folder}; crawl with -s NEWSEXTRACT_WARC={store.folder} first")
        return NOTHING
    if json:
        print(json_form.dumps(plain(comparisons), ensure_ascii=False))
    else:
        show(console(highlight=False), *_report(comparisons, DIFFERENCES if diff else 0))
    for each in comparisons:
        if each.unreadable is not None:
            say(f"cannot be read: {each.url}: {each.unreadable}")
    is_changed = any(each.has_changed for each in comparisons)
    return NOTHING if is_changed or all(each.unreadable for each in comparisons) else DONE


def _plan(settings: BaseSettings, sites: str | None, extractor: str | None) -> ReaderPlan:
    """Return the plan for reading: with the named extractor, else as a crawl with these settings would."""
    from newsextract.crawl.readers import plan_from_settings
    from newsextract.sites.site_list import read_sites

    plan = plan_from_settings(settings, read_sites(sites) if sites else ())
    if extractor:
        plan = replace(plan, extractor=extractor, listed=())
    plan.create()
    return plan


def _pruned(engine: Engine, store: WarcStore, age: str) -> int:
    from newsextract.storage.database import writing
    from newsextract.storage.kept_pages import forget_pages

    with writing(engine) as connection:
        count, names = forget_pages(connection, moment_of("--prune", age))
    old = [path for path in map(store.folder.joinpath, names) if path.exists()]
    freed = sum(path.stat().st_size for path in old)
    for path in old:
        path.unlink()
    print(f"{count} pages forgotten, {freed / 1e6:.1f} MB freed")
    return DONE


class FieldChange(NamedTuple):
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
    """Why it could not be read again: its record is missing or damaged; `None` if it was read."""

    @property
    def has_changed(self) -> bool:
        """Whether another value would be stored."""
        return bool(self.changes) or self.end is not None


def read_again(
    kept: Iterable[KeptPage], plan: ReaderPlan, store: WarcStore, jobs: int, seconds: float, *, is_other: bool
) -> Iterator[Comparison]:
    """Yield what became of each page, in order; with `is_other`, read by the plan's extractor whatever it names."""
    from newsextract.crawl.readers import Readers
    from newsextract.processes.pool import in_order
    from newsextract.storage.warc_store import UnreadablePage

    readers = Readers(plan, 0 if jobs == 1 else jobs, seconds=seconds)

    def submit(one: KeptPage) -> Future[Article]:
        try:
            page = one.page(store)
        except UnreadablePage as error:
            unreadable: Future[Article] = Future()
            unreadable.set_exception(error)
            return unreadable
        return readers.read(_freed(page) if is_other else page, anywhere=True)

    try:
        for one, answer in in_order(submit, kept, jobs * PAGES_AHEAD):
            yield _compared(one, answer)
    finally:
        readers.close().result()


def _freed(page: Page) -> Page:
    """Return the page without the extractor that it names."""
    arguments = {**page.arguments, "extractor": None}
    return type(page)(page.html, continued=tuple(map(_freed, page.continued)), **arguments)


def _compared(kept: KeptPage, answer: Future[Article]) -> Comparison:
    from newsextract.page.page import PageError
    from newsextract.processes.pool import Unanswered
    from newsextract.reading.notices import NoArticle, PageState
    from newsextract.storage.warc_store import UnreadablePage

    try:
        return compare(kept.url, kept.site, kept.stored, answer.result())
    except UnreadablePage as error:
        return Comparison(kept.url, kept.site, unreadable=str(error))
    except (NoArticle, PageError, Unanswered) as end:
        state = end.state if isinstance(end, NoArticle) else PageState.ERROR
        return Comparison(kept.url, kept.site, body_f1=0.0, end=f"{state}: {end.reason}")


def compare(url: str, site: str, stored: Mapping[str, Any], article: Article) -> Comparison:
    """Return how an article differs from its row."""
    from newsextract.evaluation.measures import Text, token_scores
    from newsextract.storage.articles import row_of

    now = row_of(article)
    changes = tuple(
        FieldChange(name, _kind(stored.get(name), now[name]), stored.get(name), now[name])
        for name in FIELDS
        if _comparable(stored.get(name)) != _comparable(now[name])
    )
    body_f1 = token_scores(Text(now[BODY] or ""), Text(stored.get(BODY) or ""))["token_f1"]
    return Comparison(url, site, changes, body_f1)


def _kind(before: Any, after: Any) -> str:
    if not after and after is not False:
        return EMPTIED
    return FILLED if not before and before is not False else CHANGED


def _comparable(value: Any) -> Any:
    """Return a value as any database returns it; `None`, "" and [] count as the same.

    >>> _comparable([{"b": 1, "a": None}]) == _comparable([{"a": None, "b": 1}]), _comparable([]) == _comparable(None)
    (True, True)
    """
    if isinstance(value, list | dict):
        return json_form.dumps(value, sort_keys=True, ensure_ascii=False) if value else None
    return None if value == "" else bool(value) if isinstance(value, bool) else value


def _f1(comparisons: Iterable[Comparison]) -> float | None:
    """Return the mean F1 of the bodies of the pages that could be read."""
    scores = [each.body_f1 for each in comparisons if each.unreadable is None]
    return fmean(scores) if scores else None


def shown(score: float | None) -> str:
    """Return a score with three digits; only an exact 1 is shown as 1.

    >>> shown(0.99999), shown(1.0), shown(None)
    ('.999', '1', '')
    """
    return "" if score is None else "1" if score >= 1 else f".{int(score * 1000):03d}"


def _counts(comparisons: Sequence[Comparison]) -> dict[str, int]:
    return {
        "pages": len(comparisons),
        "changed": sum(each.has_changed for each in comparisons),
        "ended": sum(each.end is not None for each in comparisons),
        "unreadable": sum(each.unreadable is not None for each in comparisons),
    }


def _fields(comparisons: Iterable[Comparison]) -> dict[str, Counter[str]]:
    """Return by field how often it changed, became empty or was empty."""
    found: dict[str, Counter[str]] = {}
    for change in (change for each in comparisons for change in each.changes):
        found.setdefault(FIELDS[change.field], Counter())[change.kind] += 1
    return found


def plain(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return the results as plain values, with the pages that changed or could not be read."""
    return {
        "total": _counts(comparisons) | {"body_f1": _f1(comparisons), "fields": _fields(comparisons)},
        "pages": [asdict(each) for each in comparisons if each.has_changed or each.unreadable is not None],
    }


def _report(comparisons: Sequence[Comparison], differences: int) -> Iterator[RenderableType]:
    """Yield the tables, the differences of that many of the largest changes, and the sentence at the end."""
    from rich.text import Text

    counts = _counts(comparisons)
    if counts["changed"]:
        by_field = table("field", *KINDS)
        for name, kinds in _fields(comparisons).items():
            by_field.add_row(name, *(str(kinds[kind] or "") for kind in KINDS))
        by_site = table("site", *counts, "F1")
        for site in sorted({each.site for each in comparisons}):
            own = [each for each in comparisons if each.site == site]
            by_site.add_row(Text(site), *(str(count or "") for count in _counts(own).values()), shown(_f1(own)))
        yield from (by_field, by_site)
    changed = [each for each in comparisons if each.has_changed]
    for each in sorted(changed, key=lambda one: (one.end is None, one.body_f1, -len(one.changes)))[:differences]:
        yield from _differences(each)
    parts = [f"{counts['pages']} pages read again: {counts['changed'] or 'nothing'} would change"]
    parts += [f"{counts['ended']} no longer an article"] if counts["ended"] else []
    parts += [f"{counts['unreadable']} could not be read"] if counts["unreadable"] else []
    yield Text("; ".join([*parts, f"body F1 {shown(_f1(comparisons))}"]), "bold")


def _differences(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{comparison.url}", "bold")
    if comparison.end is not None:
        yield Text(f"  no longer an article: {comparison.end}", "red")
    for change in comparison.changes:
        score = f" (F1 {shown(comparison.body_f1)})" if change.field == BODY else ""
        yield Text.assemble((f"  {FIELDS[change.field]}", "cyan"), f" {change.kind}{score}")
        before, after = (_written(value).splitlines() for value in (change.before, change.after))
        for line in [*unified_diff(before, after, n=0, lineterm="")][2:]:
            style = {"-": "red", "+": "green"}.get(line[0], "dim")
            yield Padding(Text(line[:MOST_CHARS], style), (0, 0, 0, 4))


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_form.dumps(value, ensure_ascii=False)
