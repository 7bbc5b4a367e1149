"""Run the readers of metadata, and return the results as one plain value for all reports."""

from __future__ import annotations

import statistics
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from newsextract.lab.evaluation.contest.assembly import results_of
from newsextract.lab.evaluation.contest.page_pool import Limits, Run, judge_pages
from newsextract.lab.evaluation.contest.results import Results
from newsextract.lab.evaluation.contest.score_summary import MeasureSet
from newsextract.lab.evaluation.metadata.metadata_contest import MetadataContest, MetadataResult, confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from newsextract.lab.evaluation.metadata.metadata_differences import Difference


def _ratio(
    part: str, whole: str, factor: float = 1.0
) -> Callable[[Mapping[str, npt.NDArray[np.float64]]], npt.NDArray[np.float64]]:
    return lambda means: factor * means[part] / means[whole]


METADATA = MeasureSet(
    (
        "headline_exact", "headline_f1", "date_day", "date_minute", "author_f1", "author_exact",
        "author_right", "author_named", "kind_right", "kind_found", "kind_gold",
    ),
    {
        "author_micro_f1": _ratio("author_right", "author_named", 2.0),
        "kind_precision": _ratio("kind_right", "kind_found"),
        "kind_recall": _ratio("kind_right", "kind_gold"),
        "kind_f1": lambda means: 2 * means["kind_right"] / (means["kind_found"] + means["kind_gold"]),
    },
    frozenset(("author_right", "author_named", "kind_right", "kind_found", "kind_gold")),
)  # fmt: skip
"""The measures of metadata."""


class Times(TypedDict):
    """The milliseconds of a reader on the pages that it did not fail on."""

    median: float
    mean: float
    p99: float
    max: float


class MetadataResults(Results):
    """All results of an evaluation of metadata; `extractors` of the results are the readers here."""

    times: dict[str, Times]
    kinds: dict[str, dict[str, int]]
    cases: list[Difference]


def run_metadata(
    paths: Sequence[Path],
    readers: Sequence[str],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[MetadataResult], None] = lambda _: None,
) -> Run[MetadataResult]:
    """Judge the metadata of every page of the corpora; raises what `read_corpus` raises."""
    limits = limits or Limits()
    create = partial(MetadataContest, list(readers), limits.seconds)
    return judge_pages(paths, create, limits, jobs=jobs, on_page=on_page)


def assemble_metadata(run: Run[MetadataResult], readers: Sequence[str], command: str) -> MetadataResults:
    """Return the results of a run."""
    return {
        **results_of(run.pages, run.bad_records, METADATA, readers, command),
        "times": {name: times for name in readers if (times := _times(run.pages, name))},
        "kinds": confusion(page.kind for page in run.pages if page.kind),
        "cases": [difference for page in run.pages for difference in page.differences],
    }


def _times(pages: Sequence[MetadataResult], reader: str) -> Times | None:
    scores = [page.scores[reader] for page in pages]
    milliseconds = [float(score["ms"] or 0.0) for score in scores if score["error"] is None]
    return times_of(milliseconds) if milliseconds else None


def times_of(milliseconds: Sequence[float]) -> Times:
    """Return the statistics of some times.

    >>> times_of([1.0, 2.0, 9.0])["median"], times_of([1.0, 2.0, 9.0])["max"]
    (2.0, 9.0)
    """
    return {
        "median": statistics.median(milliseconds),
        "mean": statistics.fmean(milliseconds),
        "p99": float(np.percentile(milliseconds, 99)),
        "max": max(milliseconds),
    }
