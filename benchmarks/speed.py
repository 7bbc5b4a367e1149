"""Times the extractors on real pages, and lxml's parse of the same bytes, in one run.

    python benchmarks/speed.py SHARED/corpora/newspaper4k.jsonl.xz -x auto,mss,trafilatura

Every page goes through the parse and then each extractor (parse, blocks, selection and text included), so that a
machine whose speed drifts slows all of them. It prints the mean over pages of the best repetition, the median and the
slowest page, and the ratio of the means to lxml's.
"""

from __future__ import annotations

import argparse
import gc
import json
import lzma
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree, html

from newsextract import Page, create_extractor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PARSE = "lxml parse"


def main() -> None:
    """Time the extractors and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractors", default="auto,mss,everything,trafilatura")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    contestants: dict[str, Callable[[bytes], object]] = {PARSE: parse}
    contestants |= {name: reader(name) for name in options.extractors.split(",")}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    gc.disable()  # a collection would count for whichever is running
    for page in pages(options.corpora):
        for name, best in time_in_turn(contestants, page, options.repeat).items():
            seconds[name].append(best)
        gc.collect(0)
    print_table(seconds)


def parse(page: bytes) -> object:
    """Parse a page as users of lxml do."""
    return etree.fromstring(page, html.HTMLParser(encoding="utf-8", huge_tree=True))


def reader(name: str) -> Callable[[bytes], object]:
    """Return a function from bytes to the text that an extractor keeps."""
    extractor = create_extractor(name)
    return lambda page: extractor.extract(Page(page, charset="utf-8")).text


def pages(corpora: Sequence[Path]) -> Iterator[bytes]:
    """Yield the pages as bytes in UTF-8."""
    for path in corpora:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)["html"].encode("utf-8", "replace")


def time_in_turn(contestants: dict[str, Callable[[bytes], object]], page: bytes, repeat: int) -> dict[str, float]:
    """Return the best time of each contestant on a page, in seconds."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(repeat):
        for name, run in contestants.items():
            started = time.perf_counter()
            run(page)
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def print_table(seconds: dict[str, list[float]]) -> None:
    """Print one line per contestant."""
    base = statistics.mean(seconds[PARSE])
    print(f"{len(seconds[PARSE])} pages; milliseconds a page")
    print(f"{'':16}{'mean':>8}{'median':>8}{'slowest':>9}{'x parse':>9}")
    for name, times in seconds.items():
        mean, median, slowest = (f(times) * 1000 for f in (statistics.mean, statistics.median, max))
        print(f"{name:16}{mean:8.2f}{median:8.2f}{slowest:9.1f}{statistics.mean(times) / base:9.2f}")


if __name__ == "__main__":
    main()
