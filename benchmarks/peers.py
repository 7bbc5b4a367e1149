r"""newspaper4k and news-please as extractors, judged as ours: `benchmarks/peer_reader.py` reads the pages.

    python3 -m venv peers && peers/bin/pip install "newspaper4k[all]" news-please
    P=python=peers/bin/python
    newsextract evaluate CORPUS… --page-type article -x benchmarks.peers.Newspaper4k:$P,benchmarks.peers.NewsPlease:$P

newspaper4k takes a page for English that declares no language, as many pages in Chinese and Greek do: with
`…:$P:language=zh` it is told.

As with the other references, what a library answers is mapped back onto the blocks of the page. A page at which it
fails counts as one of which it keeps nothing, and the failure is printed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.references import Reference

if TYPE_CHECKING:
    from newsextract.page.page import Page

READER = Path(__file__).with_name("peer_reader.py")


@dataclass(frozen=True)
class Peer(Reference):
    """A library in another environment."""

    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    python: str = "peers/bin/python"
    """The Python of the environment that has the library."""
    language: str = ""
    """Of the pages, if newspaper4k is to be told."""

    def read(self, page: Page) -> str:
        """Return the library's text, empty if it failed."""
        asked = json.dumps({"html": page.decoded.text, "url": page.url})
        answer = _answer(_process(self.python, self.name, self.language), asked)
        if "error" in answer:
            print(f"{self.name}: {page.url}: {answer['error']}", file=sys.stderr)
        return answer.get("text", "")


@dataclass(frozen=True)
class Newspaper4k(Peer):
    """newspaper4k."""

    name: ClassVar[str] = "newspaper4k"


@dataclass(frozen=True)
class NewsPlease(Peer):
    """news-please (Hamborg et al., "news-please: A Generic News Crawler and Extractor", 2017)."""

    name: ClassVar[str] = "news-please"


@cache
def _process(python: str, library: str, language: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [python, str(READER), library, *filter(None, [language])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _answer(process: subprocess.Popen[str], asked: str) -> dict[str, str]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{asked}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"the library's process ended with {process.wait()}")
    answer: dict[str, str] = json.loads(line)
    return answer
