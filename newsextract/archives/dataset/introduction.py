"""What a data set is, in a few sentences: the same in its card and in its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.archives.dataset.dataset_figures import RECORDS

if TYPE_CHECKING:
    from newsextract.archives.dataset.dataset_figures import Figures


def introduction(figures: Figures) -> str:
    """Return the sentences."""
    origin = "web archives (WARC files)" if RECORDS in figures.schemas else "the database of a crawl"
    known = sorted(filter(None, figures.languages))
    languages = f"{len(known)} languages" if len(known) != 1 else "one language"
    return (
        f"{figures.articles:,} news articles in {languages}, with {figures.words:,} words, extracted from {origin} by "
        "newsextract. Each has its text, its metadata with their sources, what its page states about use by machines, "
        "and signals of quality to filter by."
    )
