"""Shows whether the memory of a process stays flat over many extractions.

    python benchmarks/memory.py SHARED/corpora/newspaper4k.jsonl.xz SHARED/corpora/wcxb.jsonl.xz -x auto -n 20000

The pages of the corpora are extracted again and again. After each tenth it prints the resident memory, and at the end
how much the second half has added.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
import time
from pathlib import Path

from newsextract import Page, create_extractor

PARTS = 10


def main() -> None:
    """Extract, and print the memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractor", default="auto")
    parser.add_argument("-n", "--extractions", type=int, default=20_000)
    options = parser.parse_args()
    extractor = create_extractor(options.extractor)
    pages = []
    for path in options.corpora:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            pages += [json.loads(line)["html"].encode("utf-8", "replace") for line in lines]
    print(f"{len(pages)} pages, {options.extractions} extractions by {options.extractor}")
    resident: list[float] = []
    started = time.monotonic()
    for number, page in zip(range(1, options.extractions + 1), itertools.cycle(pages), strict=False):
        _ = extractor.extract(Page(page, charset="utf-8")).text
        if number % (options.extractions // PARTS) == 0:
            resident.append(resident_megabytes())
            print(f"{number:7,} extractions {time.monotonic() - started:6.0f} s {resident[-1]:8.1f} MB")
    print(f"the second half added {resident[-1] - resident[PARTS // 2 - 1]:.1f} MB")


def resident_megabytes() -> float:
    """Return the resident memory of this process, from Linux's /proc."""
    fields = Path("/proc/self/status").read_text(encoding="ascii").split("VmRSS:")[1].split()
    return int(fields[0]) / 1024


if __name__ == "__main__":
    main()
