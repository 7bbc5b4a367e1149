"""Run all extractors on all pages of some corpora, and collect answers, times and scores.

Pages are judged in worker processes; the figures do not depend on how many.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from newsextract.lab.evaluation.contest.measuring import Judge, answer_of
from newsextract.lab.evaluation.contest.page_pool import JudgedPage, Limits, Run, judge_pages
from newsextract.lab.evaluation.contest.site_answers import NO_SITES, answer_sites, create_all, timed_answer
from newsextract.lab.evaluation.contest.timing import attempt, timed
from newsextract.lab.evaluation.corpora.corpus_statistics import CorpusStatistics, count_answer, count_page, total
from newsextract.lab.evaluation.measures.measured_texts import Answer, Case, Text
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.extractors.references import Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from newsextract.lab.evaluation.contest.site_answers import SiteAnswers
    from newsextract.lab.evaluation.corpora.corpora import GoldPage
    from newsextract.reading.extraction.contract import Extractor

WORST_KEPT = 20
"""Worst pages per extractor whose texts are kept for the reports."""


@dataclass
class PageResult(JudgedPage):
    """The result for one page of a corpus."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By extractor, if its answer is among the worst so far: the text kept and the gold."""
    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)


def run_contest(
    paths: Sequence[Path],
    extractors: Mapping[str, Mapping[str, Any]],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[PageResult], None] = lambda _: None,
) -> Run[PageResult]:
    """Judge every page of the corpora; raises what `read_corpus` and `create_extractor` raise.

    `extractors` are the options of each, by its name, or by its name with something behind a colon that tells it apart.
    """
    limits = limits or Limits()
    Contest(extractors, limits.seconds)  # a wrong name raises here, before any page is read
    create = partial(Contest, extractors, limits.seconds, answer_sites(paths, extractors, limits))
    return judge_pages(paths, create, limits, jobs=jobs, on_page=on_page)


class Contest:
    """The extractors of a run, in one process."""

    def __init__(self, options: Mapping[str, Mapping[str, Any]], seconds: float, sites: SiteAnswers = NO_SITES) -> None:
        self.extractors = create_all(options)
        self.seconds = seconds
        self.sites = sites
        self.worst: dict[str, list[tuple[float, int]]] = {name: [] for name in options}

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
        counts = [count_answer(gold, name, answer) for name, answer in answers.items() if answer]
        result.statistics = total([count_page(gold), *counts])
        return result

    def _answer(self, name: str, source: str, url: str | None, result: PageResult) -> Answer | None:
        """Return an extractor's answer on a fresh copy of the page, and note its time or failure."""
        extractor = self.extractors[name]
        found = self.sites.found(name, result.number) or attempt(
            self.seconds, partial(_timed_answer, extractor, Page(source, url))
        )
        result.scores[name] = {"ms": found.ms, "error": found.error}
        return found.answer

    def _score(self, judge: Judge, answers: Mapping[str, Answer | None], gold: GoldPage, result: PageResult) -> None:
        nothing = Answer(Text(""), "")
        for name, given in answers.items():
            if self.sites.is_left_out(name, result.number):
                continue
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
    return replace(answer_of(extractor.extraction_of(page, written)), written=written), milliseconds


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
