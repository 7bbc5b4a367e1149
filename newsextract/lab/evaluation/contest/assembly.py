"""Turn a run into one plain value for all reports, with the pages where an extractor and the gold differ most."""

from __future__ import annotations

import re
import statistics
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from rapidfuzz.distance import LCSseq

from newsextract.lab.evaluation.contest.contest import WORST_KEPT
from newsextract.lab.evaluation.contest.score_summary import BODY, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.lab.evaluation.contest.contest import PageResult
    from newsextract.lab.evaluation.contest.page_pool import JudgedPage, Run
    from newsextract.lab.evaluation.contest.results import CorpusCount, Disagreement, PageRow, Results, Segment
    from newsextract.lab.evaluation.contest.score_summary import MeasureSet
    from newsextract.lab.evaluation.corpora.corpora import BadRecord

_DIGITS = 5
"""Digits of a page's score in the written results."""


def assemble(run: Run[PageResult], extractors: Sequence[str], command: str) -> Results:
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
    """Return the results that bodies and metadata have in common."""
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
    """Return how many pages of a corpus were judged, and which were not and why."""
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
    """Return the row of a page, with its scores."""
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


_PIECE = re.compile(r"\s*\S+")


def worst_pages(pages: Sequence[PageResult], extractor: str) -> list[Disagreement]:
    """Return the pages with an extractor's lowest scores, lowest first."""
    told = [page for page in pages if extractor in page.texts]
    told.sort(key=lambda page: (float(page.scores[extractor]["token_f1"] or 0.0), page.number))
    return [_disagreement(page, extractor) for page in told[:WORST_KEPT]]


def _disagreement(page: PageResult, extractor: str) -> Disagreement:
    kept, gold = page.texts[extractor]
    return {
        "corpus": page.corpus,
        "id": page.id,
        "url": page.url,
        "site": page.site,
        "language": page.language,
        "token_f1": float(page.scores[extractor]["token_f1"] or 0.0),
        "segments": list(segments(kept, gold)),
    }


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
