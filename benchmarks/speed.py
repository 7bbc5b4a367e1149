"""Times the extractors and the reading of whole articles on real pages, and lxml's parse of the same bytes, in one run.

    python -m benchmarks.speed SHARED/corpora/newspaper4k.jsonl.xz -x auto,mss,trafilatura
    python -m benchmarks.speed SHARED/corpora/*.xz --pages 34 --against ../another-checkout

Every page goes through the parse and then each extractor (parse, blocks, selection and text included), through
`read_article` and through its stages, so that a machine whose speed drifts slows all of them. It prints processor time:
the mean over pages of the best repetition, the median and the slowest page, and the ratio of the means to lxml's.

With `--against`, a process of another checkout reads each page in turn with one of this one. It prints the medians of
both, the median and the mean of the pages' ratios, and on how many pages the answers differ.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import os
import pickle
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from newsextract import Page, create_extractor
from newsextract.reading.kinds import judge
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.pagination import join_pages
from newsextract.reading.reader import compose, read_article

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.reading.extraction.contract import Extractor

PARSE = "lxml parse"
URL = "https://news.example/2024/05/14/rain-in-spain-stays-mainly-in-the-plain"
"""For pages of corpora without URLs."""
_SERVE = "--serve"

Seconds = dict[str, float]


def main() -> None:
    """Time the extractors and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractors", default="auto,mss,everything,trafilatura")
    parser.add_argument("--repeat", type=int, default=4)
    parser.add_argument("--pages", type=int, help="read at most so many of each corpus, evenly spread")
    parser.add_argument("--against", type=Path, help="another checkout, to compare with")
    options = parser.parse_args()
    names = options.extractors.split(",") if options.against is None else ["auto"]
    trees = [Path(__file__).parent.parent, *filter(None, [options.against])]
    readers = [_Reader(tree.resolve(), names) for tree in trees]
    answers: list[list[tuple[Seconds, str]]] = [[] for _ in readers]
    for page, url in pages(options.corpora, options.pages):
        told: list[list[tuple[Seconds, str]]] = [[] for _ in readers]
        for turn in range(options.repeat):
            for number in range(len(readers))[:: 1 if turn % 2 else -1]:  # the first is at a disadvantage
                told[number].append(readers[number].read(page, url))
        for found, each in zip(answers, told, strict=True):
            found.append(({name: min(times[name] for times, _ in each) for name in each[0][0]}, each[0][1]))
    if len(answers) == 1:
        print_table([times for times, _ in answers[0]])
    else:
        print_pairs(*answers)


def pages(corpora: Sequence[Path], most: int | None) -> Iterator[tuple[bytes, str]]:
    """Yield pages of each corpus as bytes in UTF-8, with their URLs."""
    for path in corpora:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in islice(rows[:: max(len(rows) // (most or len(rows)), 1)], most):
            yield row["html"].encode("utf-8", "replace"), row.get("url") or URL


class _Reader:
    """A process that reads pages with the newsextract of a checkout."""

    def __init__(self, tree: Path, names: Sequence[str]) -> None:
        command = [sys.executable, __file__, _SERVE, str(tree), *names]
        environment = {"PYTHONPATH": str(tree)}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def read(self, page: bytes, url: str) -> tuple[Seconds, str]:
        """Return the seconds that each step takes, and a digest of the article."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((page, url), self._process.stdin)
        self._process.stdin.flush()
        told: tuple[Seconds, str] = pickle.load(self._process.stdout)  # noqa: S301 - our own process
        return told


def serve(tree: str, names: Sequence[str]) -> None:
    """Answer the requests of a `_Reader` until its input ends."""
    source = str(sys.modules["newsextract"].__file__)
    assert source.startswith(tree), f"{source} is not in {tree}"
    extractors = {f"extract({name})": create_extractor(name) for name in names}
    for _ in range(2):  # the second time, models and patterns are loaded
        timed(b"<h1>Rain in Spain</h1><p>The rain in Spain stays mainly in the plain, they say.</p>", URL, extractors)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # all readers on one processor: no two are alike
    gc.disable()  # a collection would count for whichever step is running
    while True:
        try:
            page, url = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own process
        except EOFError:
            return
        pickle.dump(timed(page, url, extractors), sys.stdout.buffer)
        sys.stdout.buffer.flush()


def timed(page: bytes, url: str, extractors: Mapping[str, Extractor]) -> tuple[Seconds, str]:
    """Return the processor seconds of each step, and a digest of the article."""
    gc.freeze()  # or the collector would look through all modules and models
    watch = _Watch()
    with watch(PARSE):
        etree.fromstring(page, html.HTMLParser(encoding="utf-8", huge_tree=True))
    for name, extractor in extractors.items():
        with watch(name, frees=True):
            _ = extractor.extract(Page(page, charset="utf-8")).text
    with watch("read_article", frees=True):
        article = read_article(Page(page, url))
    read_in_stages(page, url, watch)
    stated = asdict(article)
    stated["metadata"].pop("dateDownloaded")
    return watch.seconds, sha256(repr(stated).encode("utf-8", "replace")).hexdigest()


def read_in_stages(html: bytes, url: str, watch: _Watch) -> None:
    """Read an article step by step, as `read_article` does."""
    page, auto = Page(html, url), create_extractor("auto")
    with watch("  decode"):
        _ = page.decoded
    with watch("  parse, with guards"):
        _ = page.tree
    with watch("  elements, runs, blocks"):
        _ = page.outline.table
    with watch("  features and choice"):
        extraction = auto.extract(page)
    with watch("  metadata"):
        metadata = read_metadata(page)
    with watch("  page kind"):
        kind = judge(page, extraction, metadata)
    with watch("  next page"):
        joined = join_pages(page, extraction, auto)
    with watch("  composing"):
        article = compose(page, joined, metadata, kind=kind)
    with watch("  freeing", frees=True):
        del page, extraction, metadata, kind, joined, article


class _Watch:
    """Processor seconds by name."""

    def __init__(self) -> None:
        self.seconds: Seconds = {}

    @contextmanager
    def __call__(self, name: str, *, frees: bool = False) -> Iterator[None]:
        """Time what is inside the `with`; with `frees`, and the collection of the garbage that it leaves."""
        started = time.process_time()
        yield
        if frees:
            gc.collect()
        self.seconds[name] = time.process_time() - started


def print_table(pages: Sequence[Seconds]) -> None:
    """Print one line per step."""
    base = statistics.mean(times[PARSE] for times in pages)
    print(f"{len(pages)} pages; milliseconds of processor time a page")
    print(f"{'':24}{'mean':>8}{'median':>8}{'slowest':>9}{'x parse':>9}")
    for name in pages[0]:
        taken = [times[name] for times in pages]
        mean, median, slowest = (f(taken) * 1000 for f in (statistics.mean, statistics.median, max))
        print(f"{name:24}{mean:8.2f}{median:8.2f}{slowest:9.1f}{statistics.mean(taken) / base:9.2f}")


def print_pairs(ours: list[tuple[Seconds, str]], theirs: list[tuple[Seconds, str]]) -> None:
    """Print one line per step: its medians in this checkout and in the other, and their ratios."""
    print(f"{len(ours)} pages; milliseconds of processor time a page, medians; ratios of this checkout to the other")
    print(f"{'':24}{'this':>8}{'other':>8}{'x parse':>9}{'other':>8}{'ratio':>8}{'of sums':>9}")
    for name in ours[0][0]:
        pair: list[list[Any]] = [[times[name] for times, _ in each] for each in (ours, theirs)]
        here, there = (statistics.median(times) * 1000 for times in pair)
        parses = [statistics.median(times[name] / times[PARSE] for times, _ in each) for each in (ours, theirs)]
        ratio = statistics.median(one / max(other, 1e-9) for one, other in zip(*pair, strict=True))
        sums = sum(pair[0]) / sum(pair[1])
        print(f"{name:24}{here:8.2f}{there:8.2f}{parses[0]:9.2f}{parses[1]:8.2f}{ratio:8.2f}{sums:9.2f}")
    differing = sum(one != other for (_, one), (_, other) in zip(ours, theirs, strict=True))
    print(f"the articles of {differing} pages differ")


if __name__ == "__main__":
    if sys.argv[1:2] == [_SERVE]:
        serve(sys.argv[2], sys.argv[3:])
    else:
        main()
