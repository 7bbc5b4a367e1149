"""A run of the readers of metadata, and its results as one plain value for all reports."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from newsextract.lab.evaluation.contest.assembly import results_of
from newsextract.lab.evaluation.contest.page_pool import Judging, Limits, split_languages
from newsextract.lab.evaluation.contest.results import Results
from newsextract.lab.evaluation.contest.score_summary import MeasureSet
from newsextract.lab.evaluation.metadata.metadata_contest import MetadataContest, MetadataResult, confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from newsextract.lab.evaluation.corpora.corpora import BadRecord
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
    """All that an evaluation of metadata found; the extractors of the results are the readers here."""

    times: dict[str, Times]
    kinds: dict[str, dict[str, int]]
    cases: list[Difference]


@dataclass
class MetadataRun:
    """What a run found, pages in the order of the corpora."""

    pages: list[MetadataResult] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)

    def split_languages(self, corpora: Collection[str]) -> None:
        """Take each language of these corpora for a corpus of its own; differences keep the corpus they came from."""
        split_languages(self.pages, corpora)


def run_metadata(
    paths: Sequence[Path],
    readers: Sequence[str],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[MetadataResult], None] = lambda _: None,
) -> MetadataRun:
    """Judge the metadata of every page of the corpora; raises what `read_corpus` raises."""
    limits = limits or Limits()
    run = MetadataRun()

    def keep(page: MetadataResult) -> None:
        run.pages.append(page)
        on_page(page)

    Judging(paths, partial(MetadataContest, list(readers), limits.seconds), limits, run.bad_records).run(jobs, keep)
    run.pages.sort(key=lambda page: page.number)
    return run


def assemble_metadata(run: MetadataRun, readers: Sequence[str], command: str) -> MetadataResults:
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
    """Return what is said of some times.

    >>> times_of([1.0, 2.0, 9.0])["median"], times_of([1.0, 2.0, 9.0])["max"]
    (2.0, 9.0)
    """
    return {
        "median": statistics.median(milliseconds),
        "mean": statistics.fmean(milliseconds),
        "p99": float(np.percentile(milliseconds, 99)),
        "max": max(milliseconds),
    }
