"""One page before all readers of metadata: their answers, times and scores, and where ours parts from the gold."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.contest.timing import TooSlow, at_most, timed
from newsextract.lab.evaluation.measures import metadata_scores as measures
from newsextract.lab.evaluation.measures.author_names import names_in
from newsextract.lab.evaluation.metadata.metadata_cases import Case, Difference, evidence_of, verdict_of
from newsextract.lab.evaluation.metadata.metadata_evidence import Evidence
from newsextract.lab.evaluation.metadata.metadata_kinds import judge_kind
from newsextract.lab.evaluation.metadata.metadata_readers import OURS, READERS, Statement
from newsextract.page.html_parser import parse
from newsextract.page.page import Page, PageError
from newsextract.reading.metadata.dates.iso_dates import read_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.lab.evaluation.corpora.corpora import GoldPage
    from newsextract.reading.metadata import Metadata

_SOURCES = {"headline": "headline", "date": "datePublished", "authors": "authors"}
"""The field of our metadata that answers for a field of the gold."""


_SAMPLE = "<title>A story</title><h1>A story</h1>" + "<p>It was told in May, and written down on May 4, 2023.</p>" * 20
"""Read once by every reader: what is loaded on first use is no part of the time of a page."""


@dataclass(frozen=True, slots=True)
class GoldFields:
    """What is compared of a page's gold; a field that is absent or cannot be read is `None` or empty."""

    headline: str | None
    date: str | None
    """ISO 8601."""
    authors: frozenset[str]
    kind: str | None

    @classmethod
    def of(cls, gold: GoldPage) -> GoldFields:
        """Return the fields of a page's gold."""
        is_day_first = not (gold.language or "en").lower().startswith("en")
        date = read_date(gold.date, is_day_first=is_day_first) if gold.date else None
        return cls(gold.headline, date, names_in(gold.authors), gold.page_type)

    def __bool__(self) -> bool:
        return bool(self.headline or self.date or self.authors or self.kind)


@dataclass
class MetadataResult:
    """What became of one page of a corpus."""

    number: int
    """Its place in the run."""
    corpus: str
    id: str
    site: str | None
    language: str | None
    url: str | None
    parse_ms: float = 0.0
    is_fair: bool = False
    """Whether the page has gold to compare with."""
    scores: dict[str, dict[str, float | str | None]] = field(default_factory=dict)
    """By reader: `ms`, `error`, and every measure that could be computed."""
    kind: tuple[str, str] | None = None
    """The kind that the gold gives, and ours."""
    kind_evidence: str = ""
    cases: list[Case] = field(default_factory=list)
    """Where our answer is not the gold."""


class MetadataContest:
    """The readers of a run, in one process."""

    def __init__(self, readers: Sequence[str], seconds: float) -> None:
        self.readers = {name: READERS[name] for name in readers}
        self.seconds = seconds
        for reader in self.readers.values():
            with suppress(Exception):  # whatever it is will be raised by the first page, and counted
                reader.prepare(Page(_SAMPLE, "https://example.com/story"))()

    def judge(self, number: int, gold: GoldPage) -> MetadataResult:
        """Return the scores of every reader on a page."""
        result = MetadataResult(number, gold.corpus, gold.id, gold.site, gold.language, gold.url)
        fields = GoldFields.of(gold)
        try:
            page = Page(gold.html, gold.url)
            text = page.decoded.text
        except PageError as error:
            result.scores = {name: {"ms": 0.0, "error": str(error)} for name in self.readers}
            return result
        result.is_fair = bool(fields)
        result.parse_ms = timed(lambda: parse(text))[1]
        for name in self.readers:
            statement = self._answer(name, page, result)
            result.scores[name] |= scores_of(statement, fields, READERS[name].fields)
            if name == OURS and statement.metadata:
                self._add_kind(page, statement.metadata, fields, result)
                result.cases += _cases(page, statement, fields, result)
        return result

    def _answer(self, name: str, page: Page, result: MetadataResult) -> Statement:
        """Return what a reader says of a page, nothing when it fails, and note its time or its failure."""
        result.scores[name] = {"ms": 0.0, "error": None}
        try:
            with at_most(self.seconds):
                read = self.readers[name].prepare(page)
                statement, result.scores[name]["ms"] = timed(read)
                return statement
        except TooSlow:
            result.scores[name] |= {"error": "too slow", "ms": self.seconds * 1000}
        except Exception as error:  # noqa: BLE001 - whatever a reader raises is its result here
            result.scores[name]["error"] = f"{type(error).__name__}: {error}"[:200]
        return Statement()

    def _add_kind(self, page: Page, metadata: Metadata, fields: GoldFields, result: MetadataResult) -> None:
        """Judge the kind of a page whose gold has one; it takes an extraction, so others are spared it."""
        if fields.kind is None:
            return
        found: str
        try:
            with at_most(self.seconds):
                kind = judge_kind(page, metadata)
            found, result.kind_evidence = kind.kind, f"probability {kind.probability:.2f}"
        except Exception as error:  # noqa: BLE001 - a failure stands in the matrix as a kind of its own
            found, result.kind_evidence = type(error).__name__, str(error)[:200]
        result.kind = fields.kind, found
        result.scores[OURS] |= measures.kind_scores(found, fields.kind)


def scores_of(statement: Statement, gold: GoldFields, given: frozenset[str]) -> dict[str, float]:
    """Return every measure that the gold allows, of the fields that a reader gives."""
    scores: dict[str, float] = {}
    if gold.headline and "headline" in given:
        scores |= measures.headline_scores(statement.headline, gold.headline)
    if gold.date and "date" in given:
        dates = measures.date_scores(statement.date, gold.date)
        scores |= {name: score for name, score in dates.items() if name == "date_day" or "minute" in given}
    if gold.authors and "authors" in given:
        names = measures.counted_names(statement.persons, statement.organizations, gold.authors)
        scores |= measures.author_scores(names, gold.authors)
    return scores


def _cases(page: Page, statement: Statement, gold: GoldFields, result: MetadataResult) -> Iterator[Case]:
    evidence = Evidence(page)
    sources = statement.metadata.sources if statement.metadata else {}
    for name, difference in _differences(statement, gold, result):
        yield {
            "corpus": result.corpus,
            "id": result.id,
            "url": result.url,
            "field": name,
            "gold": difference.gold,
            "ours": difference.ours,
            "source": sources.get(_SOURCES.get(name, ""), ""),
            "evidence": result.kind_evidence if name == "kind" else evidence_of(name, evidence, difference),
            "verdict": verdict_of(name, evidence, difference),
        }


def _differences(statement: Statement, gold: GoldFields, result: MetadataResult) -> Iterator[tuple[str, Difference]]:
    """Yield the fields in which our answer is not the gold."""
    scores = result.scores[OURS]
    if gold.headline and not scores["headline_exact"]:
        yield "headline", Difference(gold.headline, statement.headline or "")
    if gold.date and not (scores["date_day"] and scores.get("date_minute", 1.0)):
        yield "date", Difference(gold.date, statement.date or "")
    if gold.authors and not scores["author_exact"]:
        names = measures.counted_names(statement.persons, statement.organizations, gold.authors)
        yield "authors", Difference("; ".join(sorted(gold.authors)), "; ".join(sorted(names)))
    if result.kind and scores["kind_found"] != scores["kind_gold"]:
        yield "kind", Difference(*result.kind)
