"""Read annotated corpora in the formats that the field uses, as one stream of pages or site by site."""

from __future__ import annotations

import gzip
import json
import lzma
from collections import defaultdict
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.corpora.corpus_folders import (
    has_pairs,
    has_truth,
    has_two_folders,
    read_pairs,
    read_truth,
    read_two_folders,
)
from newsextract.lab.evaluation.corpora.gold_pages import (
    READ_ERRORS,
    BadRecord,
    CorpusError,
    GoldPage,
    as_fields,
    gold_page,
    reason_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Recogniser = Callable[[Path], bool]
    Reader = Callable[[Path], Iterator[GoldPage | BadRecord]]

__all__ = ["BadRecord", "CorpusError", "GoldPage", "read_corpus"]

_HTML_ENDINGS = (".html", ".htm")

_OPENERS: dict[str, Callable[[Path], AbstractContextManager[Iterable[bytes]]]] = {
    ".jsonl": lambda path: path.open("rb"),
    ".jsonl.gz": gzip.open,
    ".jsonl.xz": lzma.open,
}


def is_lines(path: Path) -> bool:
    """Tell whether a file is named as JSON Lines, plain or compressed: `NAME.jsonl`, `….jsonl.gz`, `….jsonl.xz`."""
    return path.is_file() and _ending(path) is not None


def read_lines(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages line by line; a wrong line is skipped, a broken archive ends the pages; each is a bad record."""
    ending = _ending(path) or ""
    corpus, number = path.name[: -len(ending)], 0
    try:
        with _OPENERS[ending](path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _page_of(line, corpus, number, f"{path}:{number}")
    except READ_ERRORS as error:
        yield BadRecord(f"{path}:{number + 1}", reason_of(error))


def _page_of(line: bytes, corpus: str, number: int, place: str) -> GoldPage | BadRecord:
    try:
        fields = as_fields(json.loads(line))
    except READ_ERRORS as error:
        return BadRecord(place, reason_of(error))
    page_id = str(fields.get("id") or number)
    return gold_page(fields, fields.get("html"), corpus=corpus, page_id=page_id, place=place)


def _ending(path: Path) -> str | None:
    return next((ending for ending in _OPENERS if path.name.lower().endswith(ending)), None)


_FORMATS: tuple[tuple[Recogniser, Reader], ...] = (
    (is_lines, read_lines),
    (has_truth, read_truth),
    (has_two_folders, read_two_folders),
    (has_pairs, read_pairs),
)
"""How to recognise and read each format; the first that fits counts."""

_ACCEPTED = (
    "a corpus is a file .jsonl, .jsonl.gz or .jsonl.xz; a folder with html/ and gold/, ground-truth/ or reference/, or "
    "HTML/ and Corrected/; one with ground-truth.json or articles.json and html/; or one of NAME.json with NAME.html.gz"
)


def read_corpus(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages of a corpus, with a bad record in place of each that cannot be read.

    Raises:
        CorpusError: there is nothing at the path, or nothing that looks like a corpus.
    """
    if not path.exists():
        raise CorpusError(f"there is no {path}; {_ACCEPTED}")
    reader = next((read for fits, read in _FORMATS if fits(path)), None)
    if reader is None:
        raise CorpusError(f"{path} has no known format; {_ACCEPTED}")
    return reader(path)


def read_sites(path: Path, only: str | None = None) -> dict[str, list[GoldPage]]:
    """Return the pages by site, or of one site only, as named in the corpus; a folder without gold is one site.

    Raises:
        CorpusError: there is nothing of the kind at the path.
    """
    sites: dict[str, list[GoldPage]] = defaultdict(list)
    for page in _read_folder(path) if _is_plain_folder(path) else read_corpus(path):
        if isinstance(page, GoldPage) and page.site is not None and only in (None, page.site):
            sites[page.site].append(page)
    if not sites:
        raise CorpusError(f"{path} has no page of {only}" if only else f"{path} has no page whose site is known")
    return sites


def _is_plain_folder(path: Path) -> bool:
    """Tell whether a folder holds pages but no gold."""
    if not path.is_dir():
        return False
    endings = {file.suffix.lower() for file in path.iterdir()}
    return ".json" not in endings and not endings.isdisjoint(_HTML_ENDINGS)


def _read_folder(path: Path) -> Iterator[GoldPage]:
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in _HTML_ENDINGS:
            yield GoldPage(path.name, file.name, file.read_bytes(), str(file), site=path.name)
