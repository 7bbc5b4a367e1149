"""Run all readers of metadata on a page: answers, times and scores, and where ours differ from the gold.

If a corpus gives the kind of a page, it is compared with the kind that our classifier gives.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.contest.page_pool import JudgedPage
from newsextract.lab.evaluation.contest.timing import TooSlow, attempt, timed
from newsextract.lab.evaluation.measures import metadata_scores as measures
from newsextract.lab.evaluation.metadata.metadata_differences import Difference, GoldFields, source_of
from newsextract.lab.evaluation.metadata.metadata_readers import OURS, READERS, Statement
from newsextract.page.page import Page, PageError
from newsextract.page.parsing import parse
from newsextract.processes.limits import time_limit
from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from newsextract.lab.evaluation.corpora.corpora import GoldPage
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.kinds import PageKind
    from newsextract.reading.metadata.clues import Metadata

_SAMPLE = "<title>A story</title><h1>A story</h1>" + "<p>It was told in May, and written down on May 4, 2023.</p>" * 20
"""Read once by every reader first, so that loading on first use does not count as a page's time."""


@dataclass
class MetadataResult(JudgedPage):
    """The result for one page of a corpus."""

    kind: tuple[str, str] | None = None
    """The kind that the gold gives, and ours."""
    differences: list[Difference] = field(default_factory=list)
    """The fields where our answer differs from the gold."""


class MetadataContest:
    """The readers of a run, in one process."""

    def __init__(self, readers: Sequence[str], seconds: float) -> None:
        self.readers = {name: READERS[name] for name in readers}
        self.seconds = seconds
        for reader in self.readers.values():
            with suppress(Exception):  # the first page will raise the same error, and it is counted then
                reader.prepare(Page(_SAMPLE, "https://example.com/story"))()

    def judge(self, number: int, gold: GoldPage) -> MetadataResult:
        """Return the scores of every reader on a page."""
        result = MetadataResult.of(number, gold)
        fields = GoldFields.of(gold)
        try:
            page = Page(gold.html, gold.url)
            text = page.decoded.text
        except PageError as error:
            result.scores = {name: {"ms": 0.0, "error": str(error)} for name in self.readers}
            return result
        result.is_fair = bool(fields)
        result.parse_ms = timed(lambda: parse(text))[1]
        statements = {name: self._answer(name, page, result) for name in self.readers}
        for name, statement in statements.items():
            result.scores[name] |= fields.scores(statement, READERS[name].fields)
        ours = statements.get(OURS)
        if ours and ours.metadata:
            result.differences += _differences(statements, fields, result)
            if fields.kind is not None:
                self._add_kind(page, ours.metadata, fields.kind, result)
        return result

    def _answer(self, name: str, page: Page, result: MetadataResult) -> Statement:
        """Return a reader's answer for a page, empty if it fails, and note its time or failure."""
        found = attempt(self.seconds, lambda: timed(self.readers[name].prepare(page)))
        result.scores[name] = {"ms": found.ms, "error": found.error}
        return found.answer or Statement()

    def _add_kind(self, page: Page, metadata: Metadata, gold: str, result: MetadataResult) -> None:
        """Judge the kind of a page if its gold has one; it needs an extraction, so other pages skip it."""
        found: str
        try:
            with time_limit(self.seconds, TooSlow()):
                kind = judge_kind(page, metadata)
            found, source = kind.kind, f"probability {kind.probability:.2f}"
        except Exception as error:  # noqa: BLE001 - a failure stands in the matrix as a kind of its own
            found, source = type(error).__name__, str(error)[:200]
        result.kind = gold, found
        scores = measures.kind_scores(found, gold)
        result.scores[OURS] |= scores
        if scores["kind_found"] != scores["kind_gold"]:
            result.differences.append(_difference(result, "kind", gold, found, source, {}))


def _differences(statements: Mapping[str, Statement], gold: GoldFields, result: MetadataResult) -> Iterator[Difference]:
    ours = statements[OURS]
    for name, told in gold.wrong_fields(result.scores[OURS]):
        givers = [reader for reader in statements if reader != OURS and name in READERS[reader].fields]
        others = {reader: gold.answer(name, statements[reader]) for reader in givers}
        yield _difference(result, name, told, gold.answer(name, ours), source_of(name, ours), others)


def _difference(
    page: MetadataResult, name: str, gold: str, ours: str, source: str, others: dict[str, str]
) -> Difference:
    found = {"field": name, "gold": gold, "ours": ours, "source": source, "others": others}
    return {"corpus": page.corpus, "id": page.id, "url": page.url, **found}  # type: ignore[typeddict-item]


KINDS = ("article", "live", "gallery", "video", "listing", "other")
"""The columns of the confusion matrix, article-like kinds first."""

_EXTRACTOR = "auto"
"""The extractor that the kind is judged with: the default of a crawl."""


def judge_kind(page: Page, metadata: Metadata) -> PageKind:
    """Return the kind of a page."""
    from newsextract.reading.kinds import judge  # noqa: PLC0415 - loads a model, which few evaluations need

    return judge(page, _extractor().extract(page), metadata)


@cache
def _extractor() -> Extractor:
    return create_extractor(_EXTRACTOR)


def confusion(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many pages of each gold type were taken for each kind, the most frequent type first.

    >>> confusion([("forum", "other"), ("article", "article"), ("article", "live")])
    {'article': {'article': 1, 'live': 1}, 'forum': {'other': 1}}
    """
    counts = Counter(pairs)
    types: Counter[str] = Counter()
    for (gold, _), count in counts.items():
        types[gold] += count
    order = [*KINDS, *sorted({found for _, found in counts} - set(KINDS))]
    return {
        gold: {found: counts[gold, found] for found in order if counts[gold, found]} for gold, _ in types.most_common()
    }
