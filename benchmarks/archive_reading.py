"""Times the reading of archives without extraction, beside FastWARC's own iterator over the same bytes.

    python -m benchmarks.archive_files SHARED/corpora/newspaper4k.jsonl.xz -o FOLDER --damaged 0
    python -m benchmarks.archive_reading FOLDER/*.warc*

Both read each file from memory, in turn, and the best repetition counts, in processor time. FastWARC parses the HTTP
headers and decodes nothing; our reader checks where each record ends, and decodes chunks and content encodings. On a
damaged file FastWARC stops, which is printed.
"""

from __future__ import annotations

import argparse
import io
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fastwarc.warc import ArchiveIterator

from newsextract.archives.warc import read_records

if TYPE_CHECKING:
    from collections.abc import Callable

REPETITIONS = 3


def by_fastwarc(data: bytes) -> int:
    """Return the number of records, each read to its end."""
    count = 0
    for record in ArchiveIterator(io.BytesIO(data)):
        record.reader.read()
        count += 1
    return count


def by_newsextract(data: bytes) -> int:
    """Return the number of records, decoded."""
    return sum(1 for _ in read_records(io.BytesIO(data)))


def measured(read: Callable[[bytes], int], data: bytes) -> str:
    """Return the speed of the best repetition, for people."""
    best, count = float("inf"), 0
    for _ in range(REPETITIONS):
        start = time.process_time()
        try:
            count = read(data)
        except OSError as error:
            return f"stops: {error}"
        best = min(best, time.process_time() - start)
    return f"{count:,} records, {count / best:,.0f} a second, {len(data) / best / 1e6:,.0f} MB a second as stored"


def main() -> None:
    """Time both on each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="+", type=Path)
    for path in parser.parse_args().archives:
        data = path.read_bytes()
        for read in (by_fastwarc, by_newsextract):
            print(f"{path.name}  {read.__name__}: {measured(read, data)}")


if __name__ == "__main__":
    main()
