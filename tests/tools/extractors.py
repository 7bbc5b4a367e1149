"""A page on which extractors differ, and extractors that keep what tests tell them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.contract import Extraction

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor

STORY = """<!DOCTYPE html><html lang="en"><head><title>Bridge</title>
</head>
<body class="news"><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<h1>The mayor opens a bridge</h1>
<p id="one">The mayor of the town opened the <b>new bridge</b> that its people had asked for.</p>
<p id="two">It is forty metres long, and it cost less than anybody had thought.</p>
<div class="more"><p id="aside">Read more: the old bridge and its sad end.</p></div>
<p id="three">The ferry makes its last journey on Friday evening.</p>
<footer>All rights reserved by the Gazette.</footer></body></html>"""


@dataclass(frozen=True)
class Keeps:
    """Keeps the blocks that contain one of some words."""

    words: tuple[str, ...]
    name: ClassVar[str] = "keeps"

    def extract(self, page: Page) -> Extraction:
        return Extraction(self.name, tuple(b for b in page.blocks if any(word in b.text for word in self.words)))


@dataclass(frozen=True)
class Fails:
    """Always fails."""

    name: ClassVar[str] = "fails"

    def extract(self, page: Page) -> Extraction:
        raise ZeroDivisionError(f"no letters in <b>{page!r}</b>")


@dataclass(frozen=True)
class Dawdles:
    """Takes longer than the time limit."""

    name: ClassVar[str] = "dawdles"

    def extract(self, page: Page) -> Extraction:
        time.sleep(20)
        return Extraction(self.name, page.blocks)


BODY = ("new bridge", "forty metres", "ferry")
EXTRACTORS: dict[str, Extractor] = {
    "exact": Keeps(BODY),
    "titled": Keeps(("The mayor opens", *BODY)),
    "greedy": Keeps(("The mayor opens", *BODY, "All rights", "Home")),
    "short": Keeps(("new bridge", "ferry")),
    "nothing": Keeps(("no such word",)),
    "fails": Fails(),
    "everything": Keeps(("",)),
}
