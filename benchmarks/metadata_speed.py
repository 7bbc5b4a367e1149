"""Times the reading of metadata on real pages, on top of the extraction of their text, in one run.

    python benchmarks/metadata_speed.py SHARED/corpora/newspaper4k.jsonl.xz -x auto --repeat 3

Every page is parsed anew for each repetition; then the parse, the extraction, `read_metadata` and the judgement of the
page's kind are timed one after the other, as they follow each other in a crawl. Printed: milliseconds of CPU a page as
median, mean, 99th percentile and maximum over pages of the best of the repetitions, and the slowest pages for metadata.
"""

from __future__ import annotations

import argparse
import gc
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract import Page, create_extractor
from newsextract.lab.evaluation.corpora.corpora import BadRecord, read_corpus
from newsextract.lab.evaluation.metadata.metadata_results import times_of
from newsextract.page.page import PageError
from newsextract.reading.metadata import read_metadata
from newsextract.reading.page_kinds.page_kind import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.lab.evaluation.corpora.corpora import GoldPage
    from newsextract.reading.extraction.contract import Extractor

STEPS = ("parse", "extraction", "metadata", "kind")
SAMPLE = "<title>A story</title><h1>A story</h1>" + "<p>It was told in May, and written down on May 4, 2023.</p>" * 20
SLOWEST = 5
"""Pages that are named."""


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractor", default="auto")
    parser.add_argument("--page-type", help="of pages whose type is known, time only this one")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    extractor = create_extractor(options.extractor)
    for language in ("", ' lang="en"'):  # what is loaded on first use is no part of the time of a page
        time_once(extractor, f"<html{language}>{SAMPLE}", None)
    milliseconds: list[list[float]] = []
    names: list[str] = []
    gc.disable()  # a collection falls on whoever is running
    for gold in pages(options.corpora, options.page_type):
        try:
            runs = [time_once(extractor, gold.html, gold.url) for _ in range(options.repeat)]
        except PageError:
            continue
        names.append(f"{gold.corpus} {gold.id}")
        milliseconds.append([min(values) for values in zip(*runs, strict=True)])
        gc.collect(0)
    print_table(milliseconds, names)


def pages(corpora: Sequence[Path], page_type: str | None) -> Iterator[GoldPage]:
    """Yield the readable pages."""
    for path in corpora:
        for record in read_corpus(path):
            if not isinstance(record, BadRecord) and (page_type is None or record.page_type in (None, page_type)):
                yield record


def time_once(extractor: Extractor, html: str | bytes, url: str | None) -> list[float]:
    """Return the milliseconds of CPU of each step on a page of its own."""
    page = Page(html, url)
    clock = [time.process_time()]
    _ = page.tree, page.base_url
    clock.append(time.process_time())
    extraction = extractor.extract(page)
    _ = extraction.text
    clock.append(time.process_time())
    metadata = read_metadata(page)
    clock.append(time.process_time())
    judge(page, extraction, metadata)
    clock.append(time.process_time())
    return [1000 * (after - before) for before, after in pairwise(clock)]


def print_table(milliseconds: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """Print a line a step, and the slowest pages."""
    print(f"{len(names)} pages; milliseconds of CPU a page")
    print(f"{'':12}{'median':>8}{'mean':>8}{'p99':>8}{'max':>8}")
    by_step = dict(zip(STEPS, zip(*milliseconds, strict=True), strict=True))
    for name, values in by_step.items():
        times = times_of(values)
        print(f"{name:12}{times['median']:8.2f}{times['mean']:8.2f}{times['p99']:8.1f}{times['max']:8.1f}")
    slowest = sorted(zip(by_step["metadata"], names, strict=True), reverse=True)[:SLOWEST]
    print("slowest for metadata:", ", ".join(f"{name} ({value:.0f} ms)" for value, name in slowest))


if __name__ == "__main__":
    main()
