"""A run as one plain value for all reports."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from newsextract.evaluation.disagreements import worst_pages
from newsextract.evaluation.measuring import MEASURES
from newsextract.evaluation.summary import SHINGLE_F1, summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.evaluation.benchmark import Run
    from newsextract.evaluation.contest import PageResult
    from newsextract.evaluation.results import CorpusCount, PageRow, Results

_DIGITS = 5
"""Of a page's score in the written results."""


def assemble(run: Run, extractors: Sequence[str], command: str) -> Results:
    """Return the results of a run."""
    return {
        "version": version("newsextract"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "corpora": [_count(run, corpus) for corpus in dict.fromkeys(page.corpus for page in run.pages)],
        "extractors": list(extractors),
        "measures": [*MEASURES, SHINGLE_F1],
        "parse_ms": statistics.fmean(page.parse_ms for page in run.pages) if run.pages else 0.0,
        "summary": {name: summarise(run.pages, name) for name in extractors},
        "pages": [_row(page) for page in run.pages if page.is_fair],
        "worst": {name: worst_pages(run.pages, name) for name in extractors},
    }


def _count(run: Run, corpus: str) -> CorpusCount:
    pages = [page for page in run.pages if page.corpus == corpus]
    fair = sum(page.is_fair for page in pages)
    records = [record for record in run.bad_records if corpus.partition(" ")[0] in record.place]
    return {
        "name": corpus,
        "pages": len(pages),
        "scored": fair,
        "left_out": len(pages) - fair,
        "bad_records": [{"place": record.place, "reason": record.reason} for record in records],
    }


def _row(page: PageResult) -> PageRow:
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
