"""Times `newsextract archive` on archives of real pages beside `read_article` alone, and beside trafilatura.

    python benchmarks/archive_rate.py WARCS
    python benchmarks/archive_rate.py WARCS --jobs 1,2 --rounds 3 --trafilatura --memory memory.csv

WARCS is a folder of archives, such as `benchmarks/archive_files.py` writes. One process reads the pages of all archives
with `read_article`, as `PageReader` decodes them; then the command reads the archives with each number of `--jobs`, and
with `--trafilatura` that tool reads the same pages in the first process, by `bare_extraction` with metadata. Rounds
take turns with all of these, and the best of each counts.

Printed are pages a second of processor time, of all processes together, which a parent that adopts them adds up; the
time from start to end; and the largest memory of a worker: the proportional share (PSS) of it and of all processes
below it, looked at twice a second. `--memory` writes each look into a CSV file.

A worker is two processes, one that reads the archive and one that reads its pages, so on a machine with two processors
one worker uses more than one of them. With `--pinned` a run gets as many processors as it has workers, as on a machine
whose processors are all taken: what a second worker adds is then seen as it is (Linux).

What it takes to start is left out: a run on archives with one short page each is subtracted. What is done when the last
file is read, the copies and the description, is in. Other work on the machine slows the wall clock more than the first
figure; `nice -n -10` keeps most of it out.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow.parquet as pq
from w3lib.encoding import http_content_type_encoding

from newsextract.archives.locations import expand_locations, open_location
from newsextract.archives.warc import read_records
from newsextract.page.page import Page
from newsextract.reading.reader import read_article

if TYPE_CHECKING:
    from collections.abc import Callable

Looks: TypeAlias = list[tuple[str, float, int]]
"""The run, the seconds since its start, and the bytes of its largest worker."""

LOOK_SECONDS = 0.5
_RECORD = (
    b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://a.example/1/b\r\n"
    b"WARC-Date: 2026-05-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
)
KIB = 1024


@dataclass(frozen=True)
class Timed:
    """What a run took."""

    pages: int
    processor: float
    wall: float
    memory: int = 0
    """Bytes of the largest worker."""


def main() -> None:
    """Time all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warcs", type=Path)
    parser.add_argument("--jobs", default="1,2", help="numbers of workers (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--engine", default="processes")
    parser.add_argument("--trafilatura", action="store_true")
    parser.add_argument("--pinned", action="store_true", help="as many processors as workers")
    parser.add_argument("--memory", type=Path, help="write each look at the memory into this CSV file")
    parser.add_argument("--alone", choices=("newsextract", "trafilatura"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        read_alone(options.warcs, options.alone)
        return
    looks: Looks = []
    runs: dict[str, Callable[[], Timed]] = {
        "read_article alone": lambda: alone(options.warcs, "newsextract"),
        "read_article, 2 processes": lambda: twice(options.warcs),
    }
    if options.trafilatura:
        runs["trafilatura alone"] = lambda: alone(options.warcs, "trafilatura")
    for jobs in map(int, options.jobs.split(",")):
        name = f"archive, {jobs} jobs"
        runs[name] = lambda jobs=jobs, name=name: archive(options, jobs, name, looks)  # type: ignore[misc]
    best: dict[str, Timed] = {}
    for _ in range(options.rounds):
        for name, run in runs.items():
            found = run()
            if name not in best or found.processor < best[name].processor:
                best[name] = found
    show(best)
    if options.memory:
        with options.memory.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("run", "seconds", "bytes"), *looks])


def show(best: dict[str, Timed]) -> None:
    """Print what was the best of each."""
    base = next(iter(best.values()))
    print("| | pages | pages a second of processor time | of read_article | seconds | MB a worker |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, timed in best.items():
        rate = timed.pages / timed.processor
        share = rate / (base.pages / base.processor)
        memory = f"{timed.memory / KIB**2:.0f}" if timed.memory else ""
        print(f"| {name} | {timed.pages:,} | {rate:.1f} | {share:.2f} | {timed.wall:.1f} | {memory} |")


def alone(warcs: Path, reader: str) -> Timed:
    """Let a process of its own read all pages, and return what it took beside its start and the archives."""
    command = [sys.executable, __file__, str(warcs), "--alone", reader]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout.split()
    return Timed(int(told[0]), float(told[1]), float(told[2]))


def twice(warcs: Path) -> Timed:
    """Let two processes read all pages at once: what this machine has for a second worker, at best."""
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(lambda _: alone(warcs, "newsextract"), range(2))
    return Timed(one.pages + other.pages, one.processor + other.processor, max(one.wall, other.wall))


def read_alone(warcs: Path, reader: str) -> None:
    """Read all pages in this process; print how many they are, and the seconds in the reader alone."""

    def ours(body: bytes, url: str | None, content_type: str | None) -> object:
        return read_article(Page(body, url, charset=http_content_type_encoding(content_type)))

    def theirs(body: bytes, url: str | None, _: str | None) -> object:
        from trafilatura import bare_extraction  # noqa: PLC0415 - another reader's memory is none of ours

        return bare_extraction(body, url=url, with_metadata=True)

    read = ours if reader == "newsextract" else theirs
    read(
        b"<h1>Rain in Spain</h1><p>The rain in Spain stays mainly in the plain, they say.</p>",
        "https://a.example/",
        None,
    )
    pages, processor, wall = 0, 0.0, 0.0
    for location in expand_locations([str(warcs)]):
        with open_location(location) as file:
            for record in read_records(file):
                if record.body is None or record.type == "revisit" or record.status not in (None, 200):
                    continue
                started, clock = time.process_time(), time.perf_counter()
                with suppress(ValueError):
                    read(record.body, record.url, record.content_type)
                processor += time.process_time() - started
                wall += time.perf_counter() - clock
                pages += 1
    print(pages, processor, wall)


def archive(options: argparse.Namespace, jobs: int, name: str, looks: Looks) -> Timed:
    """Run the command, and return what the reading of all files but the first took."""
    with tempfile.TemporaryDirectory() as scratch:
        bare = Path(scratch) / "bare"
        bare.mkdir()
        for number in range(jobs):  # one for each worker, as each has to start
            page = b"<h1>Rain in Spain</h1><p>The rain in Spain stays mainly in the plain.</p>"
            (bare / f"{number}.warc").write_bytes(_RECORD % (len(page), page))
        folder = Path(scratch) / "out"
        empty = run_command(bare, Path(scratch) / "none", options, jobs, None)
        whole = run_command(options.warcs, folder, options, jobs, (name, looks))
        read = sum(
            sum(state in ("article", "not_article", "empty", "error", "killed") for state in states)
            for path in (folder / "records").glob("*.parquet")
            for states in [pq.read_table(path, columns=["state"]).column("state").to_pylist()]
        )
        return Timed(read, whole.processor - empty.processor, whole.wall - empty.wall, whole.memory)


def run_command(
    warcs: Path,
    folder: Path,
    options: argparse.Namespace,
    jobs: int,
    looks: tuple[str, list[tuple[str, float, int]]] | None,
) -> Timed:
    """Run the command; a process of its own adopts what it leaves behind, so that all processor time is counted."""
    command = [sys.executable, "-m", "newsextract", "archive", str(warcs), "-o", str(folder)]
    command += ["--engine", options.engine, "--jobs", str(jobs)]
    started = time.perf_counter()
    become_reaper()
    before = os.times()
    own = os.sched_getaffinity(0)
    if options.pinned:
        os.sched_setaffinity(0, sorted(own)[:jobs])  # the command inherits it
    run = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.sched_setaffinity(0, own)
    largest = 0
    while run.poll() is None:
        if looks is not None:
            seen = largest_worker(run.pid)
            largest = max(largest, seen)
            looks[1].append((looks[0], round(time.perf_counter() - started, 1), seen))
        time.sleep(LOOK_SECONDS)
    assert run.returncode == 0, f"the command ended with {run.returncode}"
    wall = time.perf_counter() - started
    reap()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Timed(0, spent, wall, largest)


def become_reaper() -> None:
    """Let orphans of our children become our own children (Linux), whose time then counts as ours."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def reap() -> None:
    """Wait for the processes that the run has left behind."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def largest_worker(run: int) -> int:
    """Return the bytes of the worker with the most: itself and the processes below it, shared pages in proportion."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))

    def weight(process: int) -> int:
        own = 0
        with suppress(OSError, ValueError, StopIteration):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            own = int(next(line.split()[1] for line in lines if line.startswith("Pss:"))) * KIB
        return own + sum(map(weight, parents.get(process, ())))

    # The workers are below the server that forks them.
    servers = [child for child in parents.get(run, ()) if parents.get(child)]
    return max((weight(worker) for server in servers for worker in parents[server]), default=0)


def environment() -> dict[str, str]:
    """Return the environment of all runs: libraries of numbers use one thread."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


if __name__ == "__main__":
    main()
