"""A run as one plain value for all reports."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from newsextract.lab.evaluation.contest.disagreements import worst_pages
from newsextract.lab.evaluation.contest.score_summary import BODY, ScoredPage, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.lab.evaluation.contest.benchmark import Run
    from newsextract.lab.evaluation.contest.results import CorpusCount, PageRow, Results
    from newsextract.lab.evaluation.contest.score_summary import MeasureSet
    from newsextract.lab.evaluation.corpora.corpora import BadRecord

_DIGITS = 5
"""Of a page's score in the written results."""


class JudgedPage(ScoredPage, Protocol):
    """What a page must have to be written down."""

    id: str
    url: str | None


def assemble(run: Run, extractors: Sequence[str], command: str) -> Results:
    """Return the results of a run."""
    results = results_of(run.pages, run.bad_records, BODY, extractors, command)
    return {**results, "worst": {name: worst_pages(run.pages, name) for name in extractors}}


def results_of(
    pages: Sequence[JudgedPage],
    bad_records: Sequence[BadRecord],
    measures: MeasureSet,
    contestants: Sequence[str],
    command: str,
) -> Results:
    """Return what the results of bodies and of metadata have in common."""
    corpora = dict.fromkeys(page.corpus for page in pages)
    return {
        "version": version("newsextract"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "corpora": [count_of(pages, bad_records, corpus) for corpus in corpora],
        "extractors": list(contestants),
        "measures": [name for name in (*measures.names, *measures.joined) if name not in measures.parts],
        "parse_ms": statistics.fmean(page.parse_ms for page in pages) if pages else 0.0,
        "summary": {name: summarise(pages, name, measures) for name in contestants},
        "pages": [row_of(page) for page in pages if page.is_fair],
        "worst": {},
    }


def count_of(all_pages: Sequence[JudgedPage], bad_records: Sequence[BadRecord], corpus: str) -> CorpusCount:
    """Return what became of the pages of a corpus."""
    pages = [page for page in all_pages if page.corpus == corpus]
    fair = sum(page.is_fair for page in pages)
    records = [record for record in bad_records if corpus.partition(" ")[0] in record.place]
    return {
        "name": corpus,
        "pages": len(pages),
        "scored": fair,
        "left_out": len(pages) - fair,
        "bad_records": [{"place": record.place, "reason": record.reason} for record in records],
    }


def row_of(page: JudgedPage) -> PageRow:
    """Return a page and its scores."""
    return {
        "corpus": page.corpus,
        "id": page.id,
        "site": page.site,
        "language": page.language,
        "url": page.url,
        "scores": {
            name: {key: round(value, _DIGITS) if isinstance(value, float) else value for key, value in score.items()}
            for name, score in page.scores.items()
        },
    }
