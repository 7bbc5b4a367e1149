"""Times the reading of hostile pages, each at a quarter of its size and in full: the ratio should stay near four.

    python -m benchmarks.growth [SHAPE ...] [-x auto,mss] [--limit 60]

SHAPE is a part of a shape's name; without any, all shapes are read. The first columns are `read_article`; after them
come the slowest of our extractors and its seconds for text, HTML and Markdown. Each page is read in its own process,
which ends when the time is up.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.hostile_shapes import SHAPES
from newsextract import Page, create_extractor, extractor_names, read_article

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

URL = "https://news.example/a/1"
REFERENCES = ("boilerpipe", "readability", "trafilatura")
_FORK = multiprocessing.get_context("fork")


def main() -> int:
    """Time the shapes and print; the exit code is 1 if one took longer than `--most`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*")
    ours = ",".join(name for name in extractor_names() if name not in REFERENCES)
    parser.add_argument("-x", "--extractors", default=ours, help="by name; an empty one reads the article alone")
    parser.add_argument("--limit", type=int, default=60, help="seconds after which a reading is ended")
    parser.add_argument("--share", type=float, default=1, help="of the full sizes")
    parser.add_argument("--most", type=float, default=10, help="seconds that a reading may take")
    options = parser.parse_args()
    read_article(SHAPES["paragraphs"][1](10), URL)  # loads models and patterns before anything is timed
    print(f"{'shape':30}{'MB':>6}{'quarter':>9}{'full':>9}{'ratio':>7}{'peak MB':>9}  slowest extractor")
    slow = 0
    for name, (count, shape) in SHAPES.items():
        if options.shapes and not any(part in name for part in options.shapes):
            continue
        quarter, html = (_encoded(shape(size)) for size in (int(options.share * count / 4), int(options.share * count)))
        first, (full, peak) = _timed(_article, quarter, options.limit)[0], _timed(_article, html, options.limit)
        extractors = filter(None, options.extractors.split(","))
        slowest, most = "", 0.0
        for extractor in extractors:
            seconds = _timed(_forms(extractor), html, options.limit)[0]
            slowest, most = max((slowest, most), (extractor, seconds), key=lambda pair: pair[1])
        slow += max(full, most) > options.most
        size = len(html) / 1e6
        print(
            f"{name:30}{size:6.1f}{first:9.2f}{full:9.2f}{full / first:7.1f}{peak:9.0f}  {slowest} {most:.2f}",
            flush=True,
        )
    print(f"{slow} over {options.most:g} s")
    return int(slow > 0)


def _encoded(html: str) -> bytes:
    return html.encode("utf-8", "surrogatepass")


def _article(html: bytes) -> None:
    read_article(html, URL)


def _forms(extractor: str) -> Callable[[bytes], None]:
    def read(html: bytes) -> None:
        found = create_extractor(extractor).extract(Page(html, URL))
        _ = found.text, found.html, found.markdown, found.confidence

    return read


def _timed(run: Callable[[bytes], None], html: bytes, limit: int) -> tuple[float, float]:
    """Return the CPU seconds that a call takes, at most `limit`, and its peak memory in megabytes."""
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_tell, args=(run, html, limit, theirs))
    process.start()
    theirs.close()
    try:
        told: tuple[float, float] = ours.recv()
    except EOFError:
        told = limit, 0.0
    process.join()
    return told


def _tell(run: Callable[[bytes], None], html: bytes, limit: int, answers: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    started = time.process_time()
    run(html)
    answers.send((time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


if __name__ == "__main__":
    sys.exit(main())
