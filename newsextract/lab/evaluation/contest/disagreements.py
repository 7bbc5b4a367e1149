"""Where an extractor and the gold part: the text of a page as what was kept, lost, and kept wrongly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rapidfuzz.distance import LCSseq

from newsextract.lab.evaluation.contest.contest import WORST_KEPT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.lab.evaluation.contest.contest import PageResult
    from newsextract.lab.evaluation.contest.results import Disagreement, Segment

_PIECE = re.compile(r"\s*\S+")


def worst_pages(pages: Sequence[PageResult], extractor: str) -> list[Disagreement]:
    """Return the pages that an extractor did worst on, worst first."""
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
