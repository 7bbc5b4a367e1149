"""Writes docs/results.md: every extractor except the trained one, on every corpus with full text.

    python -m benchmarks.results CORPORA [--jobs 2] [--html report.html]
    python -m benchmarks.results CORPORA --metadata [--jobs 2]

CORPORA is a folder of annotated corpora, NAME.jsonl.xz. Only the articles of `wcxb` are evaluated, and `daniel` by
language, as everywhere in the project. With `--metadata` it writes docs/metadata.md: headlines, dates and authors on
the corpora that have them. `newsextract evaluate --metadata --cases FILE` lists where our answer is not the gold.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from newsextract import extractor_names

PROJECT = Path(__file__).resolve().parents[1]
NAMES = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel", "xmu")
"""The corpora with full text."""

HEAD = """# Results of the extractors

Mean token F1 (bag of words in lower case, single characters in scripts without spaces) of what each extractor keeps,
over the pages that show at least half of their gold. Written by `make results`, which needs the corpora.

`auto` is left out, as it was trained on these pages; its [model card](model-card.md) has its results on unseen pages,
in the same columns.

"""


APART = "## Libraries measured apart"
"""The heading of the part of docs/results.md that is not written here."""

METADATA_NAMES = ("newspaper4k", "wcxb", "trafilatura")
"""The corpora with headlines, dates and authors."""

METADATA_HEAD = """# Accuracy of the metadata

Our metadata beside the reference tools, on annotated pages: news sites in English (`newspaper4k`), the articles of
`wcxb`, and pages of every kind, mostly German (`trafilatura`). Headlines and author sets are compared by their words,
dates by the stated day. Nothing is trained, but the rules were written with these corpora at hand. Times are for parsed
pages and include segmentation, which the extraction of the body shares; they depend on the machine and on what else it
does, so compare the ratios. Written by `make metadata`, which needs the corpora;
`newsextract evaluate --metadata --cases FILE` lists page by page where our answer differs from the gold.

"""


def main() -> int:
    """Evaluate, and write the docs page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--html", type=Path, help="write the report for people there")
    parser.add_argument("--metadata", action="store_true", help="judge headlines, dates and authors instead of texts")
    options = parser.parse_args()
    names = METADATA_NAMES if options.metadata else NAMES
    files = [options.corpora / f"{name}.jsonl.xz" for name in names]
    if missing := [str(path) for path in files if not path.exists()]:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        return 2
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.md"
        command = [sys.executable, "-m", "newsextract", "evaluate", *map(str, files), "--page-type", "article"]
        command += ["--jobs", options.jobs, "--markdown", str(table), *_own_options(options)]
        code = subprocess.run(command, cwd=PROJECT, check=False).returncode
        if table.exists():
            _write(table.read_text(), is_metadata=options.metadata)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    minutes = (time.monotonic() - started) / 60
    print(f"{minutes:.1f} minutes with {options.jobs} processes; largest process {peak:.0f} MB")
    return code


def _own_options(options: argparse.Namespace) -> list[str]:
    if options.metadata:
        return ["--metadata"]
    names = ",".join(name for name in extractor_names() if name != "auto")
    return ["--split", "daniel", "-x", names, *(["--html", str(options.html)] if options.html else [])]


def _write(tables: str, *, is_metadata: bool) -> None:
    if not is_metadata:
        page = PROJECT / "docs" / "results.md"
        # What `benchmarks/peers.py` measures needs another environment.
        apart = page.read_text("utf-8").partition(APART)
        page.write_text(f"{HEAD}{tables}\n{apart[1]}{apart[2]}", "utf-8")
        return
    (PROJECT / "docs" / "metadata.md").write_text(METADATA_HEAD + tables)


if __name__ == "__main__":
    sys.exit(main())
