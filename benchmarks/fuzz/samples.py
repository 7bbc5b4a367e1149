"""The pages that are read, each by its number: the same seed, pages and version give the same ones."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from benchmarks.fuzz import words
from benchmarks.fuzz.grammar import attribute, sentence, written_page
from benchmarks.fuzz.mutations import as_bytes, damaged
from newsextract import extractor_names
from newsextract.page.page import Hints, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

REFERENCES = frozenset(("boilerpipe", "readability", "trafilatura"))
"""Extractors of others, whose faults we cannot mend."""

OURS = tuple(name for name in extractor_names() if name not in REFERENCES)
_OWN = 40
"""Pages of the grammar that others are mixed with."""
_SHARE_OF_CORPUS = 0.4
_HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy", "content-language", "link", "content-usage")
_URLS = ("https://news.example/2024/05/14/rain-in-spain.html", "https://news.example/a/1", "https://news.example/")


@dataclass(frozen=True)
class Sample:
    """A page as it could come from a server, and by whom it is read."""

    html: bytes = field(repr=False)
    url: str | None = _URLS[0]
    charset: str | None = None
    hints: Hints = field(default_factory=Hints)
    extractor: str = "auto"
    """Reads the page besides `auto`."""

    def page(self) -> Page:
        """Return it as a page; raises `PageError` where it is none."""
        return Page(self.html, self.url, charset=self.charset, hints=self.hints)


def sample(seed: int, number: int, corpus: Sequence[bytes] = ()) -> Sample:
    """Return the page of this number: one of the grammar or of the corpus, most of them damaged."""
    random = Random(f"{seed}/{number}")  # noqa: S311 - the same each time
    own = Random(f"{seed}/{number % _OWN}")  # noqa: S311
    page = random.choice(corpus) if corpus and random.random() < _SHARE_OF_CORPUS else as_bytes(written_page(random))
    others = [as_bytes(written_page(own)), *(random.choices(corpus, k=2) if corpus else ())]
    if random.random() < 0.9:
        page = damaged(page, random, others)
    return Sample(
        page,
        _written(random.choice(words.ADDRESSES)) if random.random() < 0.2 else random.choice((*_URLS, None)),
        random.choice(words.CHARSETS) if random.random() < 0.4 else None,
        _hints(random),
        random.choice(OURS),
    )


def _written(address: str) -> str:
    # A response's address has been through an encoder; half a surrogate pair is none.
    return address.encode(errors="replace").decode()


def _hints(random: Random) -> Hints:
    if random.random() < 0.7:
        return Hints()
    title, date = sentence(random, 8), random.choice(words.DATES)
    headers = {name: attribute(random) for name in _HEADERS if random.random() < 0.3}
    files = {"tdmrep.json": f"tdm-reservation: 1\ntdm-policy: {attribute(random)}", "robots.txt": attribute(random)}
    return Hints(title, date, headers, files if random.random() < 0.3 else {})


def corpus_pages(paths: Iterable[Path], most: int, max_bytes: int) -> list[bytes]:
    """Return the first pages of each corpus, NAME.jsonl.xz, that have at most so many bytes."""
    return [page for path in paths for page in islice(_pages(path, max_bytes), most)]


def _pages(path: Path, max_bytes: int) -> Iterable[bytes]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            page = as_bytes(json.loads(line)["html"])
            if len(page) <= max_bytes:
                yield page
