"""An extractor that misbehaves as the page's URL says; worker processes can import it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from newsextract.crawl.workers.worker_answers import ReaderPlan
from newsextract.page.page import Page

if TYPE_CHECKING:
    from pathlib import Path

ODD = """
import os, time
from newsextract.reading.extraction.contract import Extraction

class Untold(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")

class Odd:
    name = "odd"

    def extract(self, page):
        if "slow" in page.url:
            time.sleep(600)
        while "until=" in page.url and not os.path.exists(page.url.partition("until=")[2]):
            time.sleep(0.02)
        if "fatal" in page.url:
            os._exit(3)
        if "wrong" in page.url:
            raise KeyError("what it looked for")
        if "untold" in page.url:
            raise Untold("one thing", "another")
        return Extraction("odd", page.blocks, warnings=(f"read by {os.getpid()}",))
"""


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReaderPlan:
    """Plan to read with the odd extractor, which is in a zip file as the code of a deployed project is."""
    with ZipFile(tmp_path / "odd.egg", "w") as egg:
        egg.writestr("odd_extractors.py", ODD)
    monkeypatch.syspath_prepend(str(tmp_path / "odd.egg"))
    return ReaderPlan("odd_extractors.Odd", uses_memory=False)


def page_at(url: str) -> Page:
    """Return a page with a story."""
    told = "".join(
        f"<p>The mayor opened part {n} of the bridge that its people had asked for in vain.</p>" for n in range(9)
    )
    return Page(f"<title>A bridge</title><article><h1>A bridge opens in May</h1>{told}</article>", url)
