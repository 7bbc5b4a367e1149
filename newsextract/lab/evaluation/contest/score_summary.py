"""Average the scores of pages, with error bars, over all pages and over groups of them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from newsextract.lab.evaluation.contest.measuring import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from newsextract.lab.evaluation.contest.page_pool import JudgedPage
    from newsextract.lab.evaluation.contest.results import Group, Interval, Summary

    _Means: TypeAlias = npt.NDArray[np.float64]

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
    values = np.array([[_number(score.get(name)) for name in measures.names] for score in scores])
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


def _number(value: float | str | None) -> float:
    return float(value) if isinstance(value, float | int) else float("nan")
