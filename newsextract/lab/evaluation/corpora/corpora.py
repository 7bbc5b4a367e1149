"""Annotated corpora in every format that the field keeps them in, read as one stream of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.lab.evaluation.corpora.corpus_folders import (
    has_pairs,
    has_truth,
    has_two_folders,
    read_pairs,
    read_truth,
    read_two_folders,
)
from newsextract.lab.evaluation.corpora.corpus_lines import is_lines, read_lines
from newsextract.lab.evaluation.corpora.gold_pages import BadRecord, CorpusError, GoldPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Recogniser = Callable[[Path], bool]
    Reader = Callable[[Path], Iterator[GoldPage | BadRecord]]

__all__ = ["BadRecord", "CorpusError", "GoldPage", "read_corpus"]

_FORMATS: tuple[tuple[Recogniser, Reader], ...] = (
    (is_lines, read_lines),
    (has_truth, read_truth),
    (has_two_folders, read_two_folders),
    (has_pairs, read_pairs),
)
"""How to recognise a format, and how to read it; the first that fits."""

_ACCEPTED = (
    "a corpus is a file .jsonl, .jsonl.gz or .jsonl.xz; a folder with html/ and gold/; "
    "a folder with ground-truth.json and html/; or a folder of NAME.json with NAME.html.gz"
)


def read_corpus(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Return the pages of a corpus one after the other, and a bad record in place of each that cannot be read.

    Raises:
        CorpusError: there is nothing at the path, or nothing that looks like a corpus.
    """
    if not path.exists():
        raise CorpusError(f"there is no {path}; {_ACCEPTED}")
    reader = next((read for fits, read in _FORMATS if fits(path)), None)
    if reader is None:
        raise CorpusError(f"{path} has no known format; {_ACCEPTED}")
    return reader(path)
