"""The results of an evaluation as plain JSON: the command makes them, every report reads them."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

import numpy as np
from rapidfuzz.distance import LCSseq

from newsextract.evaluation.contest import MEASURES, WORST_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from newsextract.evaluation.contest import JudgedPage, PageResult, Run
    from newsextract.evaluation.corpora import BadRecord

    _Means: TypeAlias = npt.NDArray[np.float64]


GroupKind: TypeAlias = Literal["corpus", "language", "site"]
"""What pages are grouped by."""

Segment: TypeAlias = tuple[str, str]
"""A kind (`kept`, `lost` or `noise`) and a text with its white space; a list of two in JSON."""

PageScore: TypeAlias = Mapping[str, float | str | None]
"""One extractor on one page: `ms`, `error` (`None` or a sentence), and each measure that could be computed."""


class Interval(TypedDict):
    """A mean and its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


class Group(TypedDict):
    """One extractor over a group of pages; a measure that could not be computed is absent."""

    pages: int
    errors: int
    too_slow: int
    empty: int
    ms: float
    x_parse: float
    measures: dict[str, Interval]
    known: NotRequired[dict[str, int]]
    """How many of the pages have each measure."""


class Summary(TypedDict):
    """One extractor over all pages, and over those of each corpus, language and site."""

    all: Group
    corpus: dict[str, Group]
    language: dict[str, Group]
    site: dict[str, Group]


class CorpusCount(TypedDict):
    """How many pages of a corpus were judged, left out or broken."""

    name: str
    pages: int
    scored: int
    left_out: int
    bad_records: list[dict[str, str]]
    """Of each its place, by file and line, and the reason."""


class PageFacts(TypedDict):
    """Which page it is."""

    corpus: str
    id: str
    site: str | None
    language: str | None
    url: str | None


class PageRow(PageFacts):
    """One page with the scores of each extractor."""

    scores: dict[str, PageScore]


class Disagreement(PageFacts):
    """A page on which an extractor and the gold differ much, with the text in page order."""

    token_f1: float
    segments: list[Segment]


class Results(TypedDict):
    """All results of an evaluation."""

    version: str
    created: str
    command: str
    corpora: list[CorpusCount]
    extractors: list[str]
    measures: list[str]
    parse_ms: float
    summary: dict[str, Summary]
    pages: list[PageRow]
    worst: dict[str, list[Disagreement]]


# Average the scores of pages, with error bars, over all pages and over groups of them.


RESAMPLES = 1000
"""Bootstrap samples: enough that bounds differ by less than a tenth of the interval's width between seeds."""

SEED = 20090420
"""Fixed, so that the same scores always give the same bounds."""

SHINGLE_F1 = "shingle_f1"
ALIGNED, KEPT, WANTED = "cleaneval_aligned", "cleaneval_kept", "cleaneval_wanted"
"""Words that are aligned, and words of both texts: what the micro-averages are made from."""


@dataclass(frozen=True)
class MeasureSet:
    """Which scores of pages are averaged, and what is computed from the averages."""

    names: Sequence[str]
    joined: Mapping[str, Callable[[Mapping[str, _Means]], _Means]]
    """Measures of groups of pages, each computed from the means of other measures."""
    parts: frozenset[str] = frozenset()
    """Measures that are used only as a part of joined ones."""


def _shingle_f1(means: Mapping[str, _Means]) -> _Means:
    precision, recall = means["shingle_precision"], means["shingle_recall"]
    return np.where(precision + recall > 0, 2 * precision * recall / (precision + recall), precision + recall)


def _micro(*sides: str) -> Callable[[Mapping[str, _Means]], _Means]:
    """Return what computes the aligned share of the words of these sides."""

    def joined(means: Mapping[str, _Means]) -> _Means:
        words = sum((means[side] for side in sides), np.zeros(1))
        return np.where(words > 0, len(sides) * means[ALIGNED] / words, words)

    return joined


BODY = MeasureSet(
    MEASURES,
    {
        SHINGLE_F1: _shingle_f1,
        "cleaneval_micro": _micro(KEPT, WANTED),
        "cleaneval_micro_p": _micro(KEPT),
        "cleaneval_micro_r": _micro(WANTED),
    },
    frozenset((ALIGNED, KEPT, WANTED)),
)
"""The measures of texts."""


def summarise(pages: Sequence[JudgedPage], contestant: str, measures: MeasureSet = BODY) -> Summary:
    """Return the means of one contestant over the fair pages, in all and per corpus, language and site."""
    fair = [page for page in pages if page.is_fair]
    group = partial(_group, contestant=contestant, measures=measures)
    return {
        "all": group(fair),
        "corpus": _by(fair, group, lambda page: page.corpus),
        "language": _by(fair, group, lambda page: page.language or "unknown"),
        "site": _by(fair, group, lambda page: page.site or "unknown"),
    }


def _by(
    pages: Iterable[JudgedPage], group: Callable[[list[JudgedPage]], Group], key: Callable[[JudgedPage], str]
) -> dict[str, Group]:
    groups: dict[str, list[JudgedPage]] = defaultdict(list)
    for page in pages:
        groups[key(page)].append(page)
    return {name: group(members) for name, members in sorted(groups.items())}


def _group(pages: Sequence[JudgedPage], contestant: str, measures: MeasureSet) -> Group:
    scores = [page.scores[contestant] for page in pages]
    milliseconds = [float(score["ms"] or 0.0) for score in scores]
    parse = sum(page.parse_ms for page in pages)
    return {
        "pages": len(pages),
        "errors": sum(score["error"] not in (None, "too slow") for score in scores),
        "too_slow": sum(score["error"] == "too slow" for score in scores),
        "empty": sum(score.get("words") == 0.0 for score in scores),
        "ms": statistics.fmean(milliseconds) if milliseconds else 0.0,
        "x_parse": sum(milliseconds) / parse if parse else 0.0,
        "measures": _intervals(scores, measures),
        "known": {
            name: count
            for name in measures.names
            if name not in measures.parts and (count := sum(score.get(name) is not None for score in scores))
        },
    }


def _intervals(scores: Sequence[Mapping[str, float | str | None]], measures: MeasureSet) -> dict[str, Interval]:
    """Return the mean of every measure that some page has, with its 95 % bootstrap interval over pages."""
    if not scores:
        return {}
    values = np.array([[score.get(name, np.nan) for name in measures.names] for score in scores], dtype=float)
    known = ~np.isnan(values)
    values = np.where(known, values, 0.0)
    means = _means(np.ones((1, len(scores))), values, known, measures)
    samples = np.random.default_rng(SEED).multinomial(len(scores), [1 / len(scores)] * len(scores), size=RESAMPLES)
    spread = _means(samples.astype(float), values, known, measures) if len(scores) > 1 else means
    return {
        name: _interval(float(mean[0]), spread[name])
        for name, mean in means.items()
        if name not in measures.parts and not np.isnan(mean[0])
    }


def _means(
    weights: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    known: npt.NDArray[np.bool_],
    measures: MeasureSet,
) -> dict[str, _Means]:
    """Return, for each row of weights, the mean of each measure over the pages that have it, and joined measures."""
    with np.errstate(invalid="ignore", divide="ignore"):
        columns: npt.NDArray[np.float64] = (weights @ values) / (weights @ known)
        means = {name: columns[:, place] for place, name in enumerate(measures.names)}
        return means | {name: join(means) for name, join in measures.joined.items()}


def _interval(mean: float, spread: _Means) -> Interval:
    low, high = np.nanpercentile(spread, (2.5, 97.5))
    return {"mean": mean, "low": float(low), "high": float(high)}


# Turn a run into one plain value for all reports, with the pages where an extractor and the gold differ most.

_DIGITS = 5
"""Digits of a page's score in the written results."""


def assemble(run: Run[PageResult], extractors: Sequence[str], command: str) -> Results:
    """Return the results of a run."""
    results = results_of(run, BODY, extractors, command)
    return {**results, "worst": {name: worst_pages(run.pages, name) for name in extractors}}


def results_of(run: Run[Any], measures: MeasureSet, contestants: Sequence[str], command: str) -> Results:
    """Return the results that bodies and metadata have in common."""
    pages: Sequence[JudgedPage] = run.pages
    corpora = dict.fromkeys(page.corpus for page in pages)
    return {
        "version": version("newsextract"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "corpora": [count_of(pages, run.bad_records, corpus) for corpus in corpora],
        "extractors": list(contestants),
        "measures": [name for name in (*measures.names, *measures.joined) if name not in measures.parts],
        "parse_ms": statistics.fmean(page.parse_ms for page in pages) if pages else 0.0,
        "summary": {name: summarise(pages, name, measures) for name in contestants},
        "pages": [row_of(page) for page in pages if page.is_fair],
        "worst": {},
    }


def count_of(all_pages: Sequence[JudgedPage], bad_records: Sequence[BadRecord], corpus: str) -> CorpusCount:
    """Return how many pages of a corpus were judged, and which were not and why."""
    pages = [page for page in all_pages if page.corpus == corpus]
    fair = sum(page.is_fair for page in pages)
    records = [record for record in bad_records if corpus.partition(" ")[0] in record.place]
    return {
        "name": corpus,
        "pages": len(pages),
        "scored": fair,
        "left_out": len(pages) - fair,
        "bad_records": [asdict(record) for record in records],
    }


def _facts(page: JudgedPage) -> PageFacts:
    return {"corpus": page.corpus, "id": page.id, "site": page.site, "language": page.language, "url": page.url}


def row_of(page: JudgedPage) -> PageRow:
    """Return the row of a page, with its scores."""
    scores: dict[str, PageScore] = {
        name: {key: round(value, _DIGITS) if isinstance(value, float) else value for key, value in score.items()}
        for name, score in page.scores.items()
    }
    return {**_facts(page), "scores": scores}


_PIECE = re.compile(r"\s*\S+")


def worst_pages(pages: Sequence[PageResult], extractor: str) -> list[Disagreement]:
    """Return the pages with an extractor's lowest scores, lowest first."""
    told = [(float(page.scores[extractor]["token_f1"] or 0.0), page) for page in pages if extractor in page.texts]
    told.sort(key=lambda each: (each[0], each[1].number))
    return [
        {**_facts(page), "token_f1": score, "segments": list(segments(*page.texts[extractor]))}
        for score, page in told[:WORST_KEPT]
    ]


def segments(kept: str, gold: str) -> Iterator[Segment]:
    """Yield the words of both texts in order, as stretches that are `kept`, `lost` or `noise`.

    >>> list(segments("a b x c", "a b c d"))
    [('kept', 'a b'), ('noise', ' x'), ('kept', ' c'), ('lost', ' d')]
    """
    ours, theirs = _PIECE.findall(kept), _PIECE.findall(gold)
    for step in LCSseq.opcodes([piece.strip() for piece in ours], [piece.strip() for piece in theirs]):
        if step.tag == "equal":
            yield "kept", "".join(ours[step.src_start : step.src_end])
        if step.tag in ("delete", "replace"):
            yield "noise", "".join(ours[step.src_start : step.src_end])
        if step.tag in ("insert", "replace"):
            yield "lost", "".join(theirs[step.dest_start : step.dest_end])
