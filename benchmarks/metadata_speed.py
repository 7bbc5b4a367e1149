"""Times the reading of metadata on real pages that are parsed, beside the extraction of the text, in one run.

    python benchmarks/metadata_speed.py SHARED/corpora/newspaper4k.jsonl.xz -x auto --repeat 3

Every page is parsed anew for each repetition and each contestant, and only what comes after the parse is timed: for
metadata `read_metadata`; for an extractor the blocks, the selection and the text. Printed: milliseconds a page as
median, mean, 99th percentile and maximum over pages of the best of the repetitions, and the slowest pages for metadata.
"""

from __future__ import annotations

import argparse
import gc
import time
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract import Page, create_extractor
from newsextract.evaluation.corpora import BadRecord, read_corpus
from newsextract.evaluation.metadata_results import times_of
from newsextract.metadata import read_metadata
from newsextract.page import PageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from newsextract.evaluation.corpora import GoldPage

METADATA = "read_metadata"
SAMPLE = "<title>A story</title><h1>A story</h1>" + "<p>It was told in May, and written down on May 4, 2023.</p>" * 20
SLOWEST = 5
"""Pages that are named."""


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractors", default="auto")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    contestants: dict[str, Callable[[Page], object]] = {METADATA: read_metadata}
    contestants |= {name: reader(name) for name in options.extractors.split(",")}
    milliseconds: dict[str, list[float]] = {name: [] for name in contestants}
    names: list[str] = []
    for run in contestants.values():
        run(Page(SAMPLE))  # what is loaded on first use is no part of the time of a page
    gc.disable()  # a collection falls on whoever is running
    for gold in pages(options.corpora):
        try:
            best = {name: time_once(run, gold, options.repeat) for name, run in contestants.items()}
        except PageError:
            continue
        names.append(f"{gold.corpus} {gold.id}")
        for name, value in best.items():
            milliseconds[name].append(value)
        gc.collect(0)
    print_table(milliseconds, names)


def reader(name: str) -> Callable[[Page], object]:
    """Return a function from a page to the text that an extractor keeps."""
    extractor = create_extractor(name)
    return lambda page: extractor.extract(page).text


def pages(corpora: Sequence[Path]) -> Iterator[GoldPage]:
    """Yield the readable pages."""
    for path in corpora:
        yield from (record for record in read_corpus(path) if not isinstance(record, BadRecord))


def time_once(run: Callable[[Page], object], gold: GoldPage, repeat: int) -> float:
    """Return the best time of a contestant on a page, in milliseconds, each time on a page of its own."""
    best = float("inf")
    for _ in range(repeat):
        page = Page(gold.html, gold.url)
        _ = page.tree, page.base_url  # parsed on first use, and kept
        started = time.perf_counter()
        run(page)
        best = min(best, time.perf_counter() - started)
    return best * 1000


def print_table(milliseconds: dict[str, list[float]], names: Sequence[str]) -> None:
    """Print a line a contestant, and the slowest pages."""
    print(f"{len(names)} pages; milliseconds a parsed page")
    print(f"{'':16}{'median':>8}{'mean':>8}{'p99':>8}{'max':>8}")
    for name, values in milliseconds.items():
        times = times_of(values)
        print(f"{name:16}{times['median']:8.2f}{times['mean']:8.2f}{times['p99']:8.1f}{times['max']:8.1f}")
    slowest = sorted(zip(milliseconds[METADATA], names, strict=True), reverse=True)[:SLOWEST]
    print("slowest for metadata:", ", ".join(f"{name} ({value:.0f} ms)" for value, name in slowest))


if __name__ == "__main__":
    main()
