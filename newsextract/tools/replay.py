"""The verb `replay`: reads kept pages again, and shows what would change in the database. Nothing is written."""

from __future__ import annotations

import json as json_form
import re
from collections import Counter
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from difflib import SequenceMatcher
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.page.text import UNSEGMENTED
from newsextract.terminal import DONE, NOTHING, Refusal, console, progress, say, table, verb
from newsextract.tools.project import Given, database_of, moment_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.text import Text
    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine

    from newsextract.article import Article
    from newsextract.crawl.readers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.storage.kept_pages import KeptPage, PageFiles

DIFFERENCES = 10
"""Pages whose differences are shown."""

PAGES_AHEAD = 4
"""Pages in memory for each process."""


MOST_CHARS = 4_000
"""Characters shown of the differences in one field."""

CONTEXT = 8
"""Words shown around a change."""

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
KINDS = (CHANGED, LONGER, SHORTER, EMPTIED, FILLED)

_PIECE = re.compile(rf"[{UNSEGMENTED}]\s*|[^\s{UNSEGMENTED}]+\s*|\s+")


@verb(
    "newsextract replay --since 7d --diff",
    "newsextract replay -x mss --limit 100",
    nothing="something would change, or there was nothing to read",
)
def replay(
    since: Annotated[
        str | None, typer.Option(metavar="WHEN", help="pages fetched since then: 7d, 36h, 2026-11-01")
    ] = None,
    site: Annotated[str | None, typer.Option(metavar="SITE", help="pages of this site")] = None,
    sites: Annotated[
        str | None, typer.Option(metavar="FILE", help="read each site with the extractor and rules of this list")
    ] = None,
    extractor: Annotated[str | None, typer.Option("-x", "--extractor", metavar="NAME", help="as in mss")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="an option of that extractor")] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="pages at most, the newest")] = None,
    diff: Annotated[bool, typer.Option("--diff", help=f"show the words of the {DIFFERENCES} largest changes")] = False,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="processes")] = 1,
    prune: Annotated[
        str | None, typer.Option(metavar="WHEN", help="instead, forget the pages fetched before: 90d, 2026-01-01")
    ] = None,
    given: Given = None,
) -> int:
    """Read kept pages again, and show what would change in the database. Nothing is written.

    The pages are those that crawls with NEWSEXTRACT_KEEP_PAGES have kept, the newest of each article.
    """
    from newsextract.settings import KEEP_PAGES
    from newsextract.storage.kept_pages import PageFiles, newest_pages, read_kept_pages

    settings = settings_of(given)
    folder = KEEP_PAGES.of(settings)
    if folder is None:
        raise Refusal('NEWSEXTRACT_KEEP_PAGES is not set: no page is kept; set it to a folder, such as "output/pages"')
    first = moment_of("--since", since) if since else None
    files = PageFiles(folder)
    with database_of(settings, "there is nothing to compare with", is_named=False) as engine:
        if prune:
            return _pruned(engine, files, prune)
        again = _plan(settings, files, sites, extractor, option or (), jobs)
        with engine.connect() as connection:
            ids = newest_pages(connection, first, site, limit)
            read = progress(again.run(read_kept_pages(connection, ids)), "pages", len(ids))
            comparisons = list(read) if ids else []
    if not comparisons:
        say("no page is kept that is asked for")
        return NOTHING
    summary = Summary.of(comparisons)
    if json:
        print(json_form.dumps(summary.plain(), ensure_ascii=False))
    else:
        console(highlight=False).print(*_report(summary, DIFFERENCES if diff else 0), sep="\n")
    for each in comparisons:
        if each.unreadable is not None:
            say(f"cannot be read: {each.url}: {each.unreadable}")
    return NOTHING if summary.total.changed or summary.total.unreadable == summary.total.pages else DONE


def _plan(
    settings: BaseSettings,
    files: PageFiles,
    sites: str | None,
    extractor: str | None,
    option: Sequence[str],
    jobs: int,
) -> Replay:
    """Return the plan for reading: with the named extractor, else as a crawl with these settings would."""
    from newsextract.crawl.readers import plan_from_settings
    from newsextract.settings import PAGE_SECONDS
    from newsextract.sites.site_list import read_sites
    from newsextract.tools.pages import named_options

    if option and not extractor:
        raise Refusal("--option is of an extractor; name it with -x")
    plan = plan_from_settings(settings, read_sites(sites) if sites else ())
    if extractor:
        plan = replace(plan, extractor=extractor, options=named_options(option), sites={}, listed=())
    plan.create()
    return Replay(plan, files, jobs, PAGE_SECONDS.of(settings), is_other=bool(extractor))


def _pruned(engine: Engine, files: PageFiles, age: str) -> int:
    from newsextract.storage.database import writing
    from newsextract.storage.kept_pages import forget_pages

    with writing(engine) as connection:
        count, names = forget_pages(connection, moment_of("--prune", age))
    freed = sum(files.remove(name) for name in sorted(names))
    print(f"{count} pages forgotten, {freed / 1e6:.1f} MB freed")
    return DONE


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


@dataclass(frozen=True)
class Replay:
    """Reads pages again by a plan; with `is_other`, by the plan's extractor whatever they were first read with."""

    plan: ReaderPlan
    files: PageFiles
    jobs: int = 1
    seconds: float = 20.0
    """Seconds allowed for a page, if it is read in a process."""
    is_other: bool = False

    def run(self, kept: Iterable[KeptPage]) -> Iterator[Comparison]:
        """Yield the result for each page, in order."""
        from newsextract.crawl.readers import Readers
        from newsextract.processes.pool import in_order

        readers = Readers(self.plan, 0 if self.jobs == 1 else self.jobs, seconds=self.seconds)
        try:
            for one, answer in in_order(partial(self._submit, readers), kept, self.jobs * PAGES_AHEAD):
                yield _compared(one, answer)
        finally:
            readers.close().result()

    def _submit(self, readers: Any, kept: KeptPage) -> Future[Article]:
        from newsextract.storage.kept_pages import UnreadablePage

        try:
            page = kept.page(self.files)
        except UnreadablePage as error:
            unreadable: Future[Article] = Future()
            unreadable.set_exception(error)
            return unreadable
        answer: Future[Article] = readers.read(_freed(page) if self.is_other else page, learn=False)
        return answer


def _freed(page: Page) -> Page:
    """Return the page without the extractor that it names."""
    arguments = {**page.arguments, "extractor": None}
    return type(page)(page.html, continued=tuple(map(_freed, page.continued)), **arguments)


def _compared(kept: KeptPage, answer: Future[Article]) -> Comparison:
    from newsextract.page.page import PageError
    from newsextract.processes.pool import Unanswered
    from newsextract.reading.notices import NoArticle, PageState
    from newsextract.storage.kept_pages import UnreadablePage

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
        FieldChange(name, _kind(name, stored.get(name), now[name]), stored.get(name), now[name])
        for name in FIELDS
        if _comparable(stored.get(name)) != _comparable(now[name])
    )
    body_f1 = token_scores(Text(now[BODY] or ""), Text(stored.get(BODY) or ""))["token_f1"]
    return Comparison(url, site, changes, body_f1)


def _kind(name: str, before: Any, after: Any) -> str:
    if not after and after is not False:
        return EMPTIED
    if not before and before is not False:
        return FILLED
    if name != BODY or len(before) == len(after):
        return CHANGED
    return LONGER if len(after) > len(before) else SHORTER


def _comparable(value: Any) -> Any:
    """Return a value as any database returns it; `None`, "" and [] count as the same.

    >>> _comparable([{"b": 1, "a": None}]) == _comparable([{"a": None, "b": 1}]), _comparable([]) == _comparable(None)
    (True, True)
    """
    if isinstance(value, list | dict):
        return json_form.dumps(value, sort_keys=True, ensure_ascii=False) if value else None
    return None if value == "" else bool(value) if isinstance(value, bool) else value


@dataclass
class Tally:
    """Counts over some pages."""

    pages: int = 0
    changed: int = 0
    ended: int = 0
    """Pages that are no longer articles."""
    unreadable: int = 0
    fields: dict[str, Counter[str]] = field(default_factory=dict)
    """By column: how often it became empty, longer, …."""
    scores: list[float] = field(default_factory=list)
    """The F1 of each body."""

    def add(self, comparison: Comparison) -> None:
        """Count a page."""
        self.pages += 1
        if comparison.unreadable is not None:
            self.unreadable += 1
            return
        self.changed += comparison.has_changed
        self.ended += comparison.end is not None
        self.scores.append(comparison.body_f1)
        for change in comparison.changes:
            self.fields.setdefault(change.field, Counter())[change.kind] += 1

    @property
    def body_f1(self) -> str:
        """The mean F1 of the bodies with three digits, empty if no page could be read; only an exact 1 is shown as 1.

        >>> Tally(scores=[1.0, 0.99999]).body_f1, Tally(scores=[1.0]).body_f1, Tally().body_f1
        ('.999', '1', '')
        """
        return shown(fmean(self.scores)) if self.scores else ""

    def plain(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        counts = {name: getattr(self, name) for name in ("pages", "changed", "ended", "unreadable")}
        fields = {FIELDS[name]: dict(kinds) for name, kinds in self.fields.items()}
        return counts | {"body_f1": fmean(self.scores) if self.scores else None, "fields": fields}

    def sentence(self) -> str:
        """Return the counts as one line.

        >>> Tally(pages=3, changed=1, scores=[1.0, 1.0, 0.5]).sentence()
        '3 pages read again: 1 would change; body F1 .833'
        """
        parts = [f"{self.pages} page{'s' * (self.pages != 1)} read again: {self.changed or 'nothing'} would change"]
        if self.ended:
            parts.append(f"{self.ended} no longer an article")
        if self.unreadable:
            parts.append(f"{self.unreadable} could not be read")
        if self.scores:
            parts.append(f"body F1 {self.body_f1}")
        return "; ".join(parts)


def shown(score: float) -> str:
    """Return a score with three digits; only an exact 1 is shown as 1."""
    return "1" if score >= 1 else f".{int(score * 1000):03d}"


@dataclass(frozen=True)
class Summary:
    """The counts of a replay, in all and by site."""

    comparisons: Sequence[Comparison]
    total: Tally
    by_site: dict[str, Tally]

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> Summary:
        """Return the summary of these comparisons."""
        total, by_site = Tally(), dict[str, Tally]()
        for comparison in comparisons:
            total.add(comparison)
            by_site.setdefault(comparison.site, Tally()).add(comparison)
        return cls(comparisons, total, dict(sorted(by_site.items())))

    def largest(self, number: int) -> list[Comparison]:
        """Return the pages that changed most, those that lost their article first, then by the words of the body."""
        changed = [comparison for comparison in self.comparisons if comparison.has_changed]
        return sorted(changed, key=lambda one: (one.end is None, one.body_f1, -len(one.changes), one.url))[:number]

    def plain(self) -> dict[str, Any]:
        """Return the summary as plain values, with the pages that changed or could not be read."""
        return {
            "total": self.total.plain(),
            "sites": {site: tally.plain() for site, tally in self.by_site.items()},
            "pages": [asdict(one) for one in self.comparisons if one.has_changed or one.unreadable is not None],
        }


def _report(summary: Summary, differences: int) -> Iterator[RenderableType]:
    """Yield the tables, the differences of that many of the largest changes, and the sentence at the end."""
    from rich.text import Text

    if summary.total.fields:
        yield _fields_table(summary.total)
    if summary.total.changed:
        yield _sites_table(summary)
    for comparison in summary.largest(differences):
        yield from _differences(comparison)
    yield Text(summary.total.sentence(), "bold")


def _fields_table(total: Tally) -> RenderableType:
    found = table("field", "pages", *KINDS)
    for name, title in FIELDS.items():
        if kinds := total.fields.get(name):
            found.add_row(title, str(kinds.total()), *(str(kinds[kind] or "") for kind in KINDS))
    return found


def _sites_table(summary: Summary) -> RenderableType:
    from rich.text import Text

    found = table("site", "pages", "changed", "gone", "unread", "F1")
    for site, tally in sorted(summary.by_site.items(), key=lambda item: (-item[1].changed, item[0])):
        counts = tally.pages, tally.changed, tally.ended, tally.unreadable
        found.add_row(Text(site), *(str(count or "") for count in counts), tally.body_f1)
    return found


def _differences(comparison: Comparison) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{comparison.url}", "bold")
    if comparison.end is not None:
        yield Text(f"  no longer an article: {comparison.end}", "red")
    for change in comparison.changes:
        score = f" (F1 {shown(comparison.body_f1)})" if change.field == BODY else ""
        yield Text.assemble((f"  {FIELDS[change.field]}", "cyan"), f" {change.kind}{score}")
        text = word_diff(*(_written(value) for value in (change.before, change.after)))
        text.truncate(MOST_CHARS, overflow="ellipsis")
        yield Padding(text, (0, 0, 0, 4))


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_form.dumps(value, ensure_ascii=False)


def word_diff(before: str, after: str) -> Text:
    """Return two versions as one text, with some words around each change: what went in red, what came in green.

    >>> word_diff("It is an old bridge.", "It is a new bridge.").plain
    'It is [-an old-] {+a new+} bridge.'
    """
    from rich.text import Text

    old, new = _PIECE.findall(before), _PIECE.findall(after)
    plain_old, plain_new = ([piece.strip() for piece in pieces] for pieces in (old, new))
    found = Text()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, plain_old, plain_new).get_opcodes():
        if tag == "equal":
            found.append(_ends(new[j1:j2], is_first=j1 == 0, is_last=j2 == len(new)), "dim")
            continue
        for pieces, opening, closing, style in (
            (old[i1:i2], "[-", "-]", "red strike"),
            (new[j1:j2], "{+", "+}", "green"),
        ):
            if text := "".join(pieces).rstrip().replace("\n", " ¶ "):
                found.append(f"{opening}{text}{closing}", style)
                found.append(" ")
    return found


def _ends(pieces: Sequence[str], *, is_first: bool, is_last: bool) -> str:
    """Return an unchanged stretch cut to its ends; at the start or end of the text, only the end near a change."""
    before, after = (0 if is_first else CONTEXT), (0 if is_last else CONTEXT)
    if len(pieces) > before + after + 1:
        pieces = [*pieces[:before], "[…] ", *pieces[len(pieces) - after :]]
    return "".join(pieces).replace("\n", " ¶ ")
