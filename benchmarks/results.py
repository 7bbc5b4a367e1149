"""Writes docs/results.md: every extractor but the trained one on every corpus with full text.

    python benchmarks/results.py CORPORA [--jobs 2] [--html report.html]

CORPORA is a folder of annotated corpora, NAME.jsonl.xz. Of `wcxb` the articles are judged, and `daniel` by language, as
everywhere in the project.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from newsextract import extractor_names

PROJECT = Path(__file__).resolve().parents[1]
NAMES = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel", "xmu")
"""The corpora with full text."""

HEAD = """# Results

Mean token F1 (bag of words in lower case, single characters in scripts without spaces) of what each extractor keeps,
over the pages that show at least half of their gold. Written by `make results`, which needs the corpora.

`auto` is not among them, as it was trained on these pages; what it reaches on pages it has not seen is in its
[model card](model-card.md), in the same columns.

"""


def main() -> int:
    """Evaluate, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--html", type=Path, help="write the report for people there")
    options = parser.parse_args()
    files = [options.corpora / f"{name}.jsonl.xz" for name in NAMES]
    if missing := [str(path) for path in files if not path.exists()]:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        return 2
    table = PROJECT / "docs" / "results.md"
    table.parent.mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "evaluate",
        *map(str, files),
        "--page-type",
        "article",
        "--split",
        "daniel",
        "-x",
        ",".join(name for name in extractor_names() if name != "auto"),
    ]
    command += [
        "--jobs",
        options.jobs,
        "--markdown",
        str(table),
        *(["--html", str(options.html)] if options.html else []),
    ]
    started = time.monotonic()
    code = subprocess.run(command, cwd=PROJECT, check=False).returncode
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    minutes = (time.monotonic() - started) / 60
    table.write_text(HEAD + table.read_text())
    print(f"{minutes:.1f} minutes with {options.jobs} processes; largest process {peak:.0f} MB")
    return code


if __name__ == "__main__":
    sys.exit(main())
