"""Kills `newsextract archive` again and again, lets it go on, and compares its rows with those of an undisturbed run.

    python benchmarks/archive_kills.py WARCS --rounds 10 --engine processes --jobs 2

WARCS is a folder of archives, such as `benchmarks/archive_files.py` writes. Each round reads them into a folder of its
own. At random moments, until `--kills` of them have hit, one of its processes gets kill -9: the run itself, a worker, a
process that reads pages, or all of them; a run that ends is started again with the same command, until it says that all
is done. `--seed` chooses the moments. The exit code is the number of rounds whose rows differ.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq

KILLED = -signal.SIGKILL
MOST_ATTEMPTS = 40
ALL = "all"


def main() -> int:
    """Run the rounds, print a table, and return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warcs", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=3, help="in a round (default: 3)")
    parser.add_argument("--seconds", type=float, default=8.0, help="the longest wait for the next (default: 8)")
    parser.add_argument("--engine", default="processes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)  # noqa: S311 - moments, no secrets
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        quiet = Path(scratch) / "quiet"
        assert subprocess.run(command(options, quiet), check=False, stderr=subprocess.DEVNULL).returncode == 0
        wanted = rows(quiet)
        print(f"undisturbed: {sum(map(len, wanted.values())):,} rows in {len(wanted)} tables\n")
        print("| round | killed | attempts | tables that differ |\n| --- | --- | --- | --- |", flush=True)
        for number in range(1, options.rounds + 1):
            folder = Path(scratch) / f"round-{number}"
            killed, attempts = disturbed(options, folder, moments)
            found = rows(folder)
            differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
            failed += bool(differing)
            told = ", ".join(f"{count} {role}" for role, count in sorted(killed.items()))
            print(f"| {number} | {told} | {attempts} | {', '.join(differing) or 'none'} |", flush=True)
    return failed


def command(options: argparse.Namespace, folder: Path) -> list[str]:
    """Return the command that reads the archives into a folder."""
    run = [sys.executable, "-m", "newsextract", "archive", str(options.warcs), "-o", str(folder)]
    return [*run, "--engine", options.engine, "--jobs", str(options.jobs)]


def disturbed(options: argparse.Namespace, folder: Path, moments: random.Random) -> tuple[Counter[str], int]:
    """Run the command to its end, with kills; return what was killed how often, and how often it was started."""
    killed: Counter[str] = Counter()
    for attempt in range(1, MOST_ATTEMPTS + 1):
        run = subprocess.Popen(command(options, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None and killed.total() < options.kills:
            with suppress(subprocess.TimeoutExpired):
                run.wait(moments.uniform(0.5, options.seconds))
                break
            if role := kill_one(run.pid, moments):
                killed[role] += 1
        if run.wait() == 0:
            return killed, attempt
        assert run.returncode in (KILLED, 1), f"the command ended with {run.returncode}"
    raise AssertionError(f"not done after {MOST_ATTEMPTS} attempts")


def kill_one(run: int, moments: random.Random) -> str | None:
    """Kill one of a run's processes, or all; return which, `None` if they have gone by themselves."""
    family = below(run)
    role = moments.choice(("the run", "a process below it", ALL))
    chosen = {"the run": [run], ALL: [run, *family]}.get(role) or ([moments.choice(family)] if family else [])
    for process in chosen:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return role if chosen else None


def below(process: int) -> list[int]:
    """Return the processes that a process has started, and those that they have, as Linux lists them."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    found = list(parents.get(process, ()))
    for child in found:
        found.extend(parents.get(child, ()))
    return found


def rows(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Return the rows of all tables of a run by the names of the tables."""
    tables = sorted(folder.glob("*/**/*.parquet"))
    return {
        str(path.relative_to(folder)): pq.read_table(path, partitioning=None).to_pylist()
        for path in tables
        if not path.name.startswith("_")
    }


if __name__ == "__main__":
    started = time.monotonic()
    code = main()
    print(f"\n{time.monotonic() - started:.0f} seconds")
    sys.exit(code)
