"""The kind of page that we take a page for, and how that agrees with the types that a corpus gives."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.page_kinds.page_kind import PageKind

KINDS = ("article", "live", "gallery", "video", "listing", "other")
"""The columns of the confusion matrix, those that are read for one story first."""

_EXTRACTOR = "auto"
"""The extractor whose extraction the kind is judged on: that of a crawl, unless told otherwise."""


def judge_kind(page: Page, metadata: Metadata) -> PageKind:
    """Return the kind of a page."""
    from newsextract.reading.page_kinds.page_kind import judge  # noqa: PLC0415 - loads a model, which few evaluations need

    return judge(page, _extractor().extract(page), metadata)


@cache
def _extractor() -> Extractor:
    return create_extractor(_EXTRACTOR)


def confusion(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many pages of each type of the gold were taken for each kind, the most frequent type first.

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
