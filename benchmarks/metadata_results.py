"""Writes docs/metadata.md: headlines, dates and authors against the corpora that give them.

    python benchmarks/metadata_results.py CORPORA [--jobs 2]

CORPORA is a folder of annotated corpora, NAME.jsonl.xz. Of `wcxb` the articles are judged. Where ours is not
the gold, `scrapy evaluate --metadata --cases FILE` lists page by page.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
NAMES = ("newspaper4k", "wcxb", "trafilatura")
"""The corpora with headlines, dates and authors."""

HEAD = """# Metadata

Ours beside the references, on annotated pages: news sites in English (`newspaper4k`), the articles of `wcxb`, and pages
of every kind, mostly German (`trafilatura`). Headlines and author sets are compared by their words, dates by the day
as stated. Nothing here is trained; the rules were written with these corpora at hand. Times are those of a parsed
page and take in its segmentation, which the extraction of the body shares. Written by `make metadata`, which needs the
corpora; where ours is not the gold, `scrapy evaluate --metadata --cases FILE` lists page by page.

"""


def main() -> int:
    """Evaluate, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    files = [options.corpora / f"{name}.jsonl.xz" for name in NAMES]
    if missing := [str(path) for path in files if not path.exists()]:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.md"
        command = [sys.executable, "-m", "scrapy", "evaluate", *map(str, files), "--metadata", "--page-type", "article"]
        command += ["--jobs", options.jobs, "--markdown", str(table)]
        code = subprocess.run(command, cwd=PROJECT, check=False).returncode
        if table.exists():
            _write(table.read_text())
    return code


def _write(tables: str) -> None:
    # Page kinds are trained on these pages; their card has the figures of pages not seen.
    first, *others = tables.split("\n**")
    shown = "\n**".join([first, *(table for table in others if not table.startswith("kind"))])
    (PROJECT / "docs" / "metadata.md").write_text(HEAD + shown)


if __name__ == "__main__":
    sys.exit(main())
