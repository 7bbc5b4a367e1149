"""From the scores of pages to means with error bars, over all pages and over groups of them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from newsextract.evaluation.measuring import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from newsextract.evaluation.contest import PageResult
    from newsextract.evaluation.results import Group, Interval, Summary

RESAMPLES = 1000
"""Bootstrap samples; the bounds of an interval then move by less than a tenth of its width between seeds."""

SEED = 20090420
"""So that the same scores always give the same bounds."""

SHINGLE_F1 = "shingle_f1"


def summarise(pages: Sequence[PageResult], extractor: str) -> Summary:
    """Return the means of one extractor over the fair pages, and per corpus, language and site."""
    fair = [page for page in pages if page.is_fair]
    return {
        "all": _group(fair, extractor),
        "corpus": _by(fair, extractor, lambda page: page.corpus),
        "language": _by(fair, extractor, lambda page: page.language or "unknown"),
        "site": _by(fair, extractor, lambda page: page.site or "unknown"),
    }


def _by(pages: Iterable[PageResult], extractor: str, key: Callable[[PageResult], str]) -> dict[str, Group]:
    groups: dict[str, list[PageResult]] = defaultdict(list)
    for page in pages:
        groups[key(page)].append(page)
    return {name: _group(members, extractor) for name, members in sorted(groups.items())}


def _group(pages: Sequence[PageResult], extractor: str) -> Group:
    scores = [page.scores[extractor] for page in pages]
    milliseconds = [float(score["ms"] or 0.0) for score in scores]
    parse = sum(page.parse_ms for page in pages)
    return {
        "pages": len(pages),
        "errors": sum(score["error"] not in (None, "too slow") for score in scores),
        "too_slow": sum(score["error"] == "too slow" for score in scores),
        "empty": sum(score.get("words") == 0.0 for score in scores),
        "ms": statistics.fmean(milliseconds) if milliseconds else 0.0,
        "x_parse": sum(milliseconds) / parse if parse else 0.0,
        "measures": _intervals(scores),
    }


def _intervals(scores: Sequence[Mapping[str, float | str | None]]) -> dict[str, Interval]:
    """Return the mean of every measure that some page has, with its 95 % bootstrap interval over pages."""
    if not scores:
        return {}
    values = np.array([[_number(score.get(name)) for name in MEASURES] for score in scores])
    known = ~np.isnan(values)
    values = np.where(known, values, 0.0)
    means = _means(np.ones((1, len(scores))), values, known)
    samples = np.random.default_rng(SEED).multinomial(len(scores), [1 / len(scores)] * len(scores), size=RESAMPLES)
    spread = _means(samples.astype(float), values, known) if len(scores) > 1 else means
    names = (*MEASURES, SHINGLE_F1)
    return {
        name: _interval(float(means[0, column]), spread[:, column])
        for column, name in enumerate(names)
        if not np.isnan(means[0, column])
    }


def _means(
    weights: npt.NDArray[np.float64], values: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return for each row of weights the mean of each measure over its known pages; the last is the shingle F1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means: npt.NDArray[np.float64] = (weights @ values) / (weights @ known)
        precision = means[:, MEASURES.index("shingle_precision")]
        recall = means[:, MEASURES.index("shingle_recall")]
        f1 = np.where(precision + recall > 0, 2 * precision * recall / (precision + recall), precision + recall)
    return np.column_stack([means, f1])


def _interval(mean: float, spread: npt.NDArray[np.float64]) -> Interval:
    low, high = np.nanpercentile(spread, (2.5, 97.5))
    return {"mean": mean, "low": float(low), "high": float(high)}


def _number(value: float | str | None) -> float:
    return float(value) if isinstance(value, float | int) else float("nan")
