"""Corpora with a JSON object a line, plain or compressed: `NAME.jsonl`, `NAME.jsonl.gz`, `NAME.jsonl.xz`."""

from __future__ import annotations

import gzip
import json
import lzma
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.corpora.gold_pages import (
    READ_ERRORS,
    BadRecord,
    GoldPage,
    as_fields,
    gold_page,
    reason_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

_OPENERS: dict[str, Callable[[Path], AbstractContextManager[Iterable[bytes]]]] = {
    ".jsonl": lambda path: path.open("rb"),
    ".jsonl.gz": gzip.open,
    ".jsonl.xz": lzma.open,
}


def is_lines(path: Path) -> bool:
    """Tell whether the path is such a file."""
    return path.is_file() and _ending(path) is not None


def read_lines(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages line by line; after a line that is wrong comes the next, after a broken archive nothing."""
    ending = _ending(path) or ""
    corpus, number = path.name[: -len(ending)], 0
    try:
        with _OPENERS[ending](path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _page(line, corpus, number, f"{path}:{number}")
    except READ_ERRORS as error:
        yield BadRecord(f"{path}:{number + 1}", reason_of(error))


def _page(line: bytes, corpus: str, number: int, place: str) -> GoldPage | BadRecord:
    try:
        fields = as_fields(json.loads(line))
    except READ_ERRORS as error:
        return BadRecord(place, reason_of(error))
    page_id = str(fields.get("id") or number)
    return gold_page(fields, fields.get("html"), corpus=corpus, page_id=page_id, place=place)


def _ending(path: Path) -> str | None:
    return next((ending for ending in _OPENERS if path.name.lower().endswith(ending)), None)
