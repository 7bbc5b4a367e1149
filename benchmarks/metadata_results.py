"""Writes docs/metadata.md and docs/metadata-cases.tsv: headlines, dates and authors against the corpora that give them.

    python benchmarks/metadata_results.py CORPORA [--jobs 2]

CORPORA is a folder of annotated corpora, NAME.jsonl.xz. Of `wcxb` the articles are judged. The list of cases gives the
verdict and, for dates, the evidence; the texts of the gold stay with the corpora: `scrapy evaluate --metadata --cases`
writes them too.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.lab.evaluation.metadata.metadata_cases import is_excuse

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[1]
NAMES = ("newspaper4k", "wcxb", "trafilatura")
"""The corpora with headlines, dates and authors."""
COLUMNS = ("corpus", "id", "field", "source", "evidence", "verdict")

HEAD = """# Metadata

Ours beside the references, on annotated pages: news sites in English (`newspaper4k`), the articles of `wcxb`, and pages
of every kind, mostly German (`trafilatura`). Headlines and author sets are compared by their words, dates by the day
as stated. Nothing here is trained; the rules were written with these corpora at hand. Times are those of a parsed
page and take in its segmentation, which the extraction of the body shares. Written by `make metadata`, which needs the
corpora.

"""

VERDICTS = """
## Where we and the gold part

By the rules in `newsextract/lab/evaluation/metadata/metadata_cases.py`; [case by case](metadata-cases.tsv). A star
marks verdicts that show the annotation to be wrong, or no better than our answer.

| field | pages | right | right, starred cases left out | what the others are |
| --- | --- | --- | --- | --- |
"""


def main() -> int:
    """Evaluate, and write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    files = [options.corpora / f"{name}.jsonl.xz" for name in NAMES]
    if missing := [str(path) for path in files if not path.exists()]:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found, table = Path(folder) / "results.json", Path(folder) / "table.md"
        command = [sys.executable, "-m", "scrapy", "evaluate", *map(str, files), "--metadata", "--page-type", "article"]
        command += ["--jobs", options.jobs, "--json", str(found), "--markdown", str(table)]
        code = subprocess.run(command, cwd=PROJECT, check=False).returncode
        if found.exists():
            _write(json.loads(found.read_text()), table.read_text())
    return code


def _write(results: dict[str, Any], tables: str) -> None:
    docs = PROJECT / "docs"
    docs.mkdir(exist_ok=True)
    rows = "\n".join(_verdict_rows(results["fields"]))
    # Page kinds are trained on these pages; their card has the figures of pages not seen.
    first, *others = tables.split("\n**")
    shown = "\n**".join([first, *(table for table in others if not table.startswith("kind"))])
    (docs / "metadata.md").write_text(f"{HEAD}{shown}{VERDICTS}{rows}\n")
    with (docs / "metadata-cases.tsv").open("w", newline="") as out:
        writer = csv.writer(out, delimiter="\t", lineterminator="\n")
        writer.writerow(COLUMNS)
        for case in results["cases"]:
            case["evidence"] = case["evidence"] if case["field"] == "date" else ""
            writer.writerow(" ".join(str(case[name] or "").split()) for name in COLUMNS)


def _verdict_rows(fields: dict[str, Any]) -> Iterator[str]:
    for field, by_corpus in fields.items():
        for corpus, found in by_corpus.items():
            counts = sorted(found["verdicts"].items(), key=lambda each: -each[1])
            others = "; ".join(f"{verdict}{'*' * is_excuse(field, verdict)} {count}" for verdict, count in counts)
            shares = f"{found['share']:.3f} | {found['share_without_excuses']:.3f}"
            yield f"| {field}, {corpus or 'all'} | {found['pages']} | {shares} | {others} |"


if __name__ == "__main__":
    sys.exit(main())
