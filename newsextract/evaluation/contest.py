"""Runs all extractors on all pages of some corpora: answers, times, and all measures of each answer.

Pages are judged in processes, whose number does not change the figures; time is limited.
"""

from __future__ import annotations

import gc
import heapq
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from lxml import etree, html

from newsextract.evaluation.corpora import BadRecord, GoldPage, read_corpus
from newsextract.evaluation.measures import (
    Answer,
    Case,
    CleanEval,
    Text,
    cosine_scores,
    is_judgeable,
    marked,
    shingle_scores,
    token_accuracy,
    token_scores,
)
from newsextract.page.page import Page, PageError
from newsextract.processes.limits import time_limit
from newsextract.processes.pool import TooSlow, Unanswered, WorkerPool, in_order
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.extraction.references import Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from newsextract.reading.extraction.contract import Extraction, Extractor


_T = TypeVar("_T")


class Attempt(NamedTuple, Generic[_T]):
    """A contestant's answer and its milliseconds, or why there is no answer."""

    answer: _T | None
    ms: float
    error: str | None = None


if TYPE_CHECKING:
    _Site = tuple[str, str | None]
    _Attempt = Attempt[Answer]

    SiteAnswers = dict[str, dict[int, _Attempt]]
    """Answers of extractors that need a site, by extractor and page number; left-out pages have none."""


def timed(run: Callable[[], _T]) -> tuple[_T, float]:
    """Return a function's result and its milliseconds, without garbage collection."""
    gc.disable()
    try:
        started = time.perf_counter()
        value = run()
        return value, (time.perf_counter() - started) * 1000
    finally:
        gc.enable()


def attempt(seconds: float, run: Callable[[], tuple[_T, float]]) -> Attempt[_T]:
    """Return the answer and milliseconds that a function returns; or that it was too slow, or what it raised."""
    try:
        with time_limit(seconds, TooSlow()):
            return Attempt(*run())
    except TooSlow:
        return Attempt(None, seconds * 1000, "too slow")
    except Exception as error:  # noqa: BLE001 - whatever a contestant raises is its result here
        return Attempt(None, 0.0, f"{type(error).__name__}: {error}"[:200])


PAGES_AHEAD = 4
"""Pages waiting in memory for each process, so that corpora are read no faster than they are judged."""

MEASURING_SECONDS = 120.0
"""For measuring all answers of a page; it comes on top of the time of all contestants. Then one hangs in C, say."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Which pages are judged, for how long, and in how many processes."""

    seconds: float = 10.0
    """Seconds allowed per page and extractor."""
    page_type: str | None = None
    """If the corpus gives page types, only pages of this type are judged."""
    jobs: int = 1

    def admits(self, gold: GoldPage) -> bool:
        """Tell whether a page shall be judged."""
        return self.page_type is None or gold.page_type in (None, self.page_type)


@dataclass
class JudgedPage:
    """The result for one page of a corpus."""

    number: int
    """Its number in the run."""
    corpus: str
    id: str
    site: str | None
    language: str | None
    url: str | None
    parse_ms: float = 0.0
    is_fair: bool = False
    """Whether the page has gold that a contestant could find on it."""
    scores: dict[str, dict[str, float | str | None]] = field(default_factory=dict)
    """By contestant: `ms`, `error`, and every measure that could be computed."""

    @classmethod
    def of(cls, number: int, gold: GoldPage) -> Self:
        """Return an empty result, for a page not yet judged."""
        return cls(number, gold.corpus, gold.id, gold.site, gold.language, gold.url)


_Page = TypeVar("_Page", bound=JudgedPage)


@dataclass
class Run(Generic[_Page]):
    """The results of a run, pages in the order of the corpora."""

    pages: list[_Page] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)

    def split_languages(self, corpora: Collection[str]) -> None:
        """Treat each language of these corpora as a corpus of its own."""
        for page in self.pages:
            if page.corpus in corpora:
                page.corpus = f"{page.corpus} {page.language}"


def judge_pages(
    paths: Sequence[Path],
    create: Callable[[], object],
    kind: type[_Page],
    contestants: Sequence[str],
    limits: Limits,
    on_page: Callable[[_Page], None],
) -> Run[_Page]:
    """Return the results for the pages of some corpora; raises what `read_corpus` raises.

    `create` makes, in each process, what has a method `judge(number, page)`; `on_page` gets each result, in order. On a
    page whose process hangs or dies, all contestants fail.
    """
    run: Run[_Page] = Run()
    pages = enumerate(_admitted(paths, limits, run.bad_records))
    seconds = limits.seconds * len(contestants) + MEASURING_SECONDS
    with WorkerPool(f"{__name__}:_created", create, processes=limits.jobs, seconds=seconds) as pool:
        for (number, gold), judged in in_order(
            lambda page: pool.submit("judge", *page), pages, limits.jobs * PAGES_AHEAD
        ):
            try:
                page: _Page = judged.result()
            except Unanswered as error:
                page = kind.of(number, gold)
                page.is_fair = True
                page.scores = {name: {"ms": limits.seconds * 1000, "error": error.reason} for name in contestants}
            run.pages.append(page)
            on_page(page)
    return run


def _admitted(paths: Sequence[Path], limits: Limits, bad_records: list[BadRecord]) -> Iterator[GoldPage]:
    for path in paths:
        for record in read_corpus(path):
            if isinstance(record, BadRecord):
                bad_records.append(record)
            elif limits.admits(record):
                yield record


def _created(create: Callable[[], object]) -> object:
    return create()


MEASURES = (
    "token_f1", "token_precision", "token_recall", "token_accuracy",
    "cleaneval_f", "cleaneval_p", "cleaneval_r", "cleaneval_tag_f",
    "shingle_precision", "shingle_recall", "exact",
    "cosine", "exactitude", "equal", "inside", "around",
    "includes", "excludes",
    "cleaneval_aligned", "cleaneval_kept", "cleaneval_wanted",
)  # fmt: skip
"""The measures of a page, each from 0 to 1, and three counts; averages of pages have some more."""

_LINE_MARKS = {"li": "l", "dt": "l", "dd": "l", **{f"h{level}": "h" for level in range(1, 7)}}


def answer_of(extraction: Extraction) -> Answer:
    """Return an extraction in the form of the measures: its segments, or its blocks as `<h>`, `<l>` or `<p>`."""
    blocks = [(_LINE_MARKS.get(block.tag, "p"), block.text) for block in extraction.blocks]
    return Answer(Text(extraction.text), marked(blocks if extraction.segments is None else extraction.segments))


class Judge:
    """Measures answers for one page; what depends on the page alone is computed once."""

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def is_fair(self) -> bool:
        """Whether the page shows enough of its gold for an extractor to find it."""
        return self.case.gold is None or is_judgeable(self.case.gold, self.case.visible)

    @cached_property
    def _cleaneval(self) -> CleanEval:
        gold = self.case.gold_marked
        if gold is None:
            lines = (self.case.gold or Text("")).raw.splitlines()
            gold = marked([("p", line.strip()) for line in lines if line.strip()])
        return CleanEval(gold)

    def scores(self, answer: Answer) -> dict[str, float]:
        """Return every measure that the page's gold allows: those of texts, of snippets, or both."""
        scores = snippet_scores(answer.text, self.case)
        gold = self.case.gold
        if gold is None:
            return scores
        return {
            **token_scores(answer.text, gold),
            "token_accuracy": token_accuracy(answer.text, gold, self.case.visible),
            **self._cleaneval.scores(answer.marked),
            **shingle_scores(answer.text.raw, gold.raw),
            **cosine_scores(answer.text, gold),
            **scores,
        }


def snippet_scores(kept: Text, case: Case) -> dict[str, float]:
    """Return the shares of wanted (`includes`) and unwanted (`excludes`) snippets found; absent if there are none.

    A snippet is found if the kept text contains it, white space folded, case kept (after trafilatura's evaluation).
    """
    wanted = {"includes": case.includes, "excludes": case.excludes}
    return {name: found_share(kept, snippets) for name, snippets in wanted.items() if snippets}


def found_share(kept: Text, snippets: tuple[str, ...]) -> float:
    """Return the share of the snippets that the text contains."""
    return sum(" ".join(snippet.split()) in kept.folded for snippet in snippets) / len(snippets)


# Answers of extractors that compare pages of a site: they get all pages of the site first, then read page by page.
#
# Sites are named as in the corpus. The pages of a site with too few of them are left out for such an extractor, and
# only for that one.


@runtime_checkable
class SiteExtractor(Protocol):
    """An extractor that must see other pages of a site before it can read one."""

    min_pages: ClassVar[int]
    """Pages of a site that it needs."""

    def fit(self, pages: Sequence[Page]) -> SiteReader:
        """Return a reader for the site of these pages, which are not changed."""
        ...


class SiteReader(Protocol):
    """Reads pages of one site; made by a `SiteExtractor`."""

    def extract(self, page: Page) -> Extraction:
        """Return the article's blocks of a page of the site."""
        ...


def answer_sites(paths: Sequence[Path], names: Collection[str], limits: Limits) -> SiteAnswers:
    """Return the answers for every site with enough pages; raises what `read_corpus` and `create_extractor` raise."""
    created = {name: create_extractor(name) for name in names}
    fitting = {name: extractor for name, extractor in created.items() if isinstance(extractor, SiteExtractor)}
    found: SiteAnswers = {name: {} for name in fitting}
    if fitting:
        least = min(extractor.min_pages for extractor in fitting.values())
        for site in _sites(paths, limits, least):
            for name, extractor in fitting.items():
                if len(site) >= extractor.min_pages:
                    found[name].update(_answers(extractor, site, limits.seconds))
    return found


def _sites(paths: Sequence[Path], limits: Limits, least: int) -> Iterator[dict[int, Page]]:
    """Yield the readable pages of each large enough site by their number in the run, holding few sites at a time."""
    sizes = Counter(_site(gold) for _, gold in _numbered(paths, limits))
    waiting, read = sizes.copy(), dict["_Site", dict[int, Page]]()
    for number, gold in _numbered(paths, limits):
        site = _site(gold)
        if gold.site is None or sizes[site] < least:
            continue
        seen = read.setdefault(site, {})
        waiting[site] -= 1
        with suppress(PageError):  # the contest reports it, for every extractor
            seen[number] = Page(gold.html, gold.url)
        if not waiting[site]:
            yield read.pop(site)


def _numbered(paths: Sequence[Path], limits: Limits) -> Iterator[tuple[int, GoldPage]]:
    """Yield the pages of a run with their numbers, as the judges get them."""
    records = (record for path in paths for record in read_corpus(path))
    return enumerate(gold for gold in records if isinstance(gold, GoldPage) and limits.admits(gold))


def _site(gold: GoldPage) -> _Site:
    return gold.corpus, gold.site


def _answers(
    extractor: SiteExtractor, site: Mapping[int, Page], seconds: float
) -> Iterator[tuple[int, Attempt[Answer]]]:
    reader, milliseconds = timed(lambda: extractor.fit(tuple(site.values())))
    for number, page in site.items():
        found = attempt(seconds, partial(timed_answer, reader, page))
        # An answer's time includes its share of the time for the site.
        yield number, found if found.error else found._replace(ms=found.ms + milliseconds / len(site))


def timed_answer(reader: SiteReader, page: Page) -> tuple[Answer, float]:
    """Return what a reader keeps of a page, and the milliseconds until its text was ready."""

    def extract() -> Extraction:
        extraction = reader.extract(page)
        _ = extraction.text  # rendered on first use, then cached
        return extraction

    extraction, milliseconds = timed(extract)
    return answer_of(extraction), milliseconds


WORST_KEPT = 20
"""Worst pages per extractor whose texts are kept for the reports."""


@dataclass
class PageResult(JudgedPage):
    """The result for one page of a corpus."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By extractor, if its answer is among the worst so far: the text kept and the gold."""


def run_contest(
    paths: Sequence[Path],
    names: Sequence[str],
    *,
    limits: Limits = Limits(),
    on_page: Callable[[PageResult], None] = lambda _: None,
) -> Run[PageResult]:
    """Judge every page of the corpora; raises what `read_corpus` and `create_extractor` raise."""
    Contest(names, limits.seconds)  # a wrong name raises here, before any page is read
    create = partial(Contest, names, limits.seconds, answer_sites(paths, names, limits))
    return judge_pages(paths, create, PageResult, names, limits, on_page)


class Contest:
    """The extractors of a run, in one process."""

    def __init__(self, names: Collection[str], seconds: float, sites: SiteAnswers | None = None) -> None:
        self.extractors = {name: create_extractor(name) for name in names}
        self.seconds = seconds
        self.sites = sites or {}
        self.worst: dict[str, list[tuple[float, int]]] = {name: [] for name in names}

    def judge(self, number: int, gold: GoldPage) -> PageResult:
        """Return the scores of every extractor on a page."""
        result = PageResult.of(number, gold)
        try:
            page = Page(gold.html, gold.url)
            judge = Judge(_case(gold, page))
            result.is_fair = judge.is_fair
        except PageError as error:
            result.scores = {name: {"ms": 0.0, "error": str(error)} for name in self.extractors}
            return result
        source = page.decoded.text
        result.parse_ms = timed(lambda: _parse(source.encode("utf-8", "replace")))[1]
        answers = {name: self._answer(name, source, gold.url, result) for name in self.extractors}
        if result.is_fair:
            self._score(judge, answers, gold, result)
        return result

    def _answer(self, name: str, source: str, url: str | None, result: PageResult) -> Answer | None:
        """Return an extractor's answer on a fresh copy of the page, and note its time or failure."""
        extractor = self.extractors[name]
        found = self.sites.get(name, {}).get(result.number) or attempt(
            self.seconds, partial(_timed_answer, extractor, Page(source, url))
        )
        result.scores[name] = {"ms": found.ms, "error": found.error}
        return found.answer

    def _score(self, judge: Judge, answers: Mapping[str, Answer | None], gold: GoldPage, result: PageResult) -> None:
        nothing = Answer(Text(""), "")
        for name, given in answers.items():
            if result.number not in self.sites.get(name, [result.number]):
                continue  # its site has too few pages for this extractor
            answer = given or nothing
            result.scores[name] |= judge.scores(answer) | {"words": float(len(answer.text.tokens))}
            score = result.scores[name].get("token_f1")
            if gold.text is not None and isinstance(score, float) and self._is_among_worst(name, score, result.number):
                result.texts[name] = (answer.text.raw, gold.text)

    def _is_among_worst(self, name: str, score: float, number: int) -> bool:
        """Tell whether a page is among the worst that this process saw; they include the worst of the run."""
        worst = self.worst[name]
        heapq.heappush(worst, (-score, -number))
        if len(worst) > WORST_KEPT:
            return heapq.heappop(worst) != (-score, -number)
        return True


def _timed_answer(extractor: Extractor, page: Page) -> tuple[Answer, float]:
    """Return an extractor's answer, and the milliseconds until its text was ready.

    The time of a reference tool leaves out our mapping of its text onto blocks.
    """
    if not isinstance(extractor, Reference):
        return timed_answer(extractor, page)
    written, milliseconds = timed(lambda: extractor.read(page))
    return answer_of(extractor.extraction_of(page, written)), milliseconds


def _case(gold: GoldPage, page: Page) -> Case:
    text = Text(gold.text) if gold.text is not None else None
    return Case(Text(source_text(page)), text, gold.marked, gold.includes, gold.excludes)


_SOURCE_TEXT = etree.XPath(
    "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]",
    smart_strings=False,
)


def source_text(page: Page) -> str:
    """Return the text in a page's source, shown or hidden: what an extractor can find."""
    runs: Sequence[str] = _SOURCE_TEXT(page.tree)
    return " ".join(runs)


def _parse(source: bytes) -> object:
    return etree.fromstring(source, html.HTMLParser(encoding="utf-8", huge_tree=True)) if source.strip() else None
