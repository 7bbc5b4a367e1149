"""Times a page of 1 MB and one of 10 MB of the same shape, from bytes to text: the ratio should stay near ten.

python benchmarks/growth.py [-x mss]
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING

from newsextract import Page, create_extractor

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.extraction.contract import Extractor

MEGABYTE = 1_000_000
SHAPES = {
    "paragraphs": "<p>Some words of a story with a <a href=/x>link</a> in them.</p>\n",
    "nested lists": "<ul><li>item <ul><li>inner</li></ul></li></ul>",
    "table cells": "<table><tr><td>one</td><td>two</td></tr></table>",
    "line breaks": "a line of text<br>and another<br><br>",
    "empty spans": "<span></span>text ",
}


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-x", "--extractor", default="mss")
    extractor = create_extractor(parser.parse_args().extractor)
    print(f"{'shape':16}{'1 MB':>9}{'10 MB':>9}{'ratio':>8}")
    for name, piece in SHAPES.items():
        seconds = []
        for size in (MEGABYTE, 10 * MEGABYTE):
            html = (piece * (size // len(piece))).encode()
            seconds.append(min(timed(partial(text_of, extractor, html)) for _ in range(2)))
        print(f"{name:16}{seconds[0]:8.2f}s{seconds[1]:8.2f}s{seconds[1] / seconds[0]:8.1f}")


def text_of(extractor: Extractor, html: bytes) -> str:
    """Return the text that an extractor keeps of a page."""
    return extractor.extract(Page(html)).text


def timed(run: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
