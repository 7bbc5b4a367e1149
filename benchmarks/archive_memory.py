"""Watches the memory of the workers of `newsextract archive` over many records.

    python -m benchmarks.archive_memory --records 20000
    python -m benchmarks.archive_memory corpora/newspaper4k.jsonl.xz --records 100000 --plot memory.png

The records are pages made up here, or those of folders and corpora in turn, in as many WARC files as there are workers:
a file is not done before the run is, so what a worker would keep for each record shows. A look, twice a second, adds
up the proportional share (PSS) of a worker's processes: the one that reads the archive, and the one that reads its
pages, which is replaced after some thousands. Printed are the peak of each worker, its mean in the second and in the
last fifth of the run, and how much it grows in 10,000 of its records: the slope of a line through all looks but the
first fifth. The exit code is 1 if a worker takes more than `--limit` megabytes (Linux).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from itertools import chain, islice, repeat
from pathlib import Path
from statistics import linear_regression, mean
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.archive_files import http_response, packed, read_pages, warc_record
from benchmarks.process_tree import MEGABYTE, memory_of, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Looks: TypeAlias = list[tuple[float, float]]
"""Of one worker: the seconds since the start of the run, and the megabytes."""

LOOK_SECONDS = 0.5
SENTENCES = 12


def main() -> int:
    """Write the archives, run the command, and print a table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=Path, help="folders of pages, or corpora (default: made-up pages)")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=400.0, metavar="MB", help="of a worker (default: 400)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="a picture, PNG or what else the name says")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        warcs = Path(scratch) / "warcs"
        write_archives(options, warcs)
        started = time.monotonic()
        workers = watched(options, warcs, Path(scratch) / "out")
        seconds = time.monotonic() - started
    highest = show(workers, options.records / options.jobs / seconds)
    print(f"\n{options.records:,} records in {seconds:.0f} seconds")
    if options.plot:
        plot(options.plot, workers)
    return int(highest > options.limit)


def write_archives(options: argparse.Namespace, folder: Path) -> None:
    """Write the records, in one file for each worker."""
    folder.mkdir()
    pages = chain.from_iterable(map(read_pages, repeat(options.sources))) if options.sources else made_up_pages()
    for number in range(options.jobs):
        share = options.records // options.jobs
        with (folder / f"pages-{number}.warc.gz").open("wb") as file:
            for url, page in islice(pages, share):
                file.write(packed(warc_record(http_response(page), url), ".warc.gz"))


def made_up_pages() -> Iterator[tuple[str, bytes]]:
    """Yield the URLs and pages of stories without end, of which no two are alike."""
    number = 0
    while True:
        number += 1
        story = "".join(
            f"<p>Councillor {number * 7 + part} counted {number * 19 + part * 23} visitors at door {number + part}, "
            f"after {number * 13 + part} days, which cost {number * 31 + part * 17} and pleased {number % 89}.</p>"
            for part in range(SENTENCES)
        )
        head = f"<title>Works number {number} are done</title><meta property='og:type' content='article'>"
        html = (
            f"<html lang=en><head>{head}</head><body><article><h1>Works number {number} are done</h1>{story}</article>"
        )
        yield f"https://paper-{number % 50}.example/2026/05/{number}", html.encode()


def watched(options: argparse.Namespace, warcs: Path, output: Path) -> dict[int, Looks]:
    """Run the command, and return the looks at each of its workers that lived longer than a tenth of the run."""
    command = [sys.executable, "-m", "newsextract", "archive", str(warcs), "-o", str(output)]
    command += ["--engine", "processes", "--jobs", str(options.jobs)]
    workers: dict[int, Looks] = defaultdict(list)
    started = time.monotonic()
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None:
        for worker in readers(run.pid):
            taken = [memory[0] for process in tree(worker) if (memory := memory_of(process))]
            if taken:
                workers[worker].append((time.monotonic() - started, sum(taken) / MEGABYTE))
        time.sleep(LOOK_SECONDS)
    assert run.returncode == 0, f"the command ended with {run.returncode}"
    longest = max(map(len, workers.values()), default=0)
    assert longest, "the run ended before its workers were seen; more --records are needed"
    return {worker: looks for worker, looks in workers.items() if len(looks) > longest / 10}


def readers(run: int) -> list[int]:
    """Return the workers of a run: they are below the server that forks them."""
    return [worker for server in children(run) for worker in children(server)]


def children(process: int) -> list[int]:
    """Return the processes that a process has started, and that have not ended."""
    with suppress(OSError):  # it has just ended
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()))
    return []


def show(workers: Mapping[int, Looks], rate: float) -> float:
    """Print a line for each worker, which reads so many records a second; return the highest peak."""
    print("| worker | MB at most | second fifth | last fifth | MB in 10,000 records |\n| --- | --- | --- | --- | --- |")
    for number, looks in enumerate(workers.values(), 1):
        fifth = len(looks) // 5 or 1
        seconds, megabytes = zip(*looks[fifth:], strict=True)
        slope = linear_regression(seconds, megabytes).slope / rate * 10_000
        early, late = mean(megabytes[:fifth]), mean(megabytes[-fifth:])
        print(f"| {number} | {max(size for _, size in looks):.0f} | {early:.0f} | {late:.0f} | {slope:+.1f} |")
    return max(size for looks in workers.values() for _, size in looks)


def plot(path: Path, workers: Mapping[int, Looks]) -> None:
    """Draw the memory of each worker over the time."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - only the plot needs it
    except ImportError:
        raise SystemExit("--plot needs matplotlib: pip install matplotlib") from None
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="seconds", ylabel="memory of a worker, MB (PSS)")
    for number, looks in enumerate(workers.values(), 1):
        axes.plot(*zip(*looks, strict=True), label=f"worker {number}")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    sys.exit(main())
