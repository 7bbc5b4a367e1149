"""Compares what `newsextract archive` wrote with the manifest of its archives, and with `read_article`.

    python -m benchmarks.archive_files SHARED/corpora/newspaper4k.jsonl.xz -o WARCS --pages 150
    newsextract archive WARCS -o FOLDER
    python -m benchmarks.archive_truth WARCS FOLDER --source SHARED/corpora/newspaper4k.jsonl.xz

Every record of the manifest must have one end, and the right one: a page is read, a torn record is `damaged`, and so
on; one that is larger than the run's `--page-bytes` counts as damaged. Records are found by file and id; a torn one
that has lost its id, by its offset. The counts of `summary.json` must be those of the tables. Each article must be what
`read_article` gives for the same bytes, in every column but those that only the run can know; `--source` names what the
archives were made from, once for each. Differences are printed; any makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from benchmarks.archive_files import read_pages
from newsextract.archives.tables import ARCHIVED, WARC_FIELDS, archived_row
from newsextract.archives.warc import WarcRecord
from newsextract.page.page import Page
from newsextract.reading.reader import read_article

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE_ENDS = {"article", "not_article", "empty", "error", "too large"}
ENDS = {"page": PAGE_ENDS, "damaged": {"damaged", "too large"}, "revisit": {"revisit"}, "metadata": {"other"}}
LEFT_OUT = {"date_downloaded", *(field.name for field in WARC_FIELDS)}
"""Columns that the run alone can know: when and where the page was archived."""

TOO_LARGE = re.compile(r"a page of [\d,]+ bytes, at most |larger than [\d,]+ bytes")
"""Why a whole page counts as damaged."""

_MAKERS = {"manifest.jsonl": "benchmarks.archive_files writes it", "summary.json": "newsextract archive writes it"}
_SOURCES = "--source is a corpus, NAME.jsonl.xz, or a folder with pages"


def main() -> None:
    """Compare, and print the counts and the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warcs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--source", type=Path, action="append", required=True, help="the pages that are in the archives"
    )
    options = parser.parse_args()
    for path in (options.warcs / "manifest.jsonl", options.folder / "summary.json", *options.source):
        if not path.exists():
            parser.error(f"{path} is not there; {_MAKERS.get(path.name, _SOURCES)}")
    manifest = [json.loads(line) for line in (options.warcs / "manifest.jsonl").read_text("utf-8").splitlines()]
    records = ds.dataset(options.folder / "records", format="parquet").to_table().to_pylist()
    faults = [
        *wrong_ends(manifest, records),
        *wrong_counts(records, options.folder),
        *wrong_articles(manifest, options.folder, options.source),
    ]
    print(f"{len(faults)} differences")
    print("\n".join(faults))
    sys.exit(bool(faults))


def wrong_ends(manifest: list[dict[str, Any]], records: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each record of the manifest that has no end, several, or a wrong one."""
    ids: dict[tuple[str, object], list[str]] = {}
    offsets: dict[tuple[str, object], list[str]] = {}
    for record in records:
        state = "too large" if TOO_LARGE.match(record["reason"] or "") else record["state"]
        ids.setdefault((record["warc_file"], record["record_id"]), []).append(state)
        offsets.setdefault((record["warc_file"], record["offset"]), []).append(state)
    seen: Counter[str] = Counter()
    for line in manifest:
        name = line["file"]
        found = ids.get((name, line["record_id"])) or offsets.get((name, line["offset"])) or ["missing"]
        seen.update(f"{line['expected']} -> {state}" for state in found)
        if len(found) > 1 or found[0] not in ENDS[line["expected"]]:
            yield f"{line['file']} {line['offset']} ({line['done']}): {line['expected']} has become {', '.join(found)}"
    print(f"{len(manifest):,} records of the manifest, {len(records):,} rows: {dict(sorted(seen.items()))}")


def wrong_counts(records: list[dict[str, Any]], folder: Path) -> Iterator[str]:
    """Yield a line for each count of the summary that is not that of the tables."""
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    ends = Counter(record["state"] for record in records)
    articles = ds.dataset(folder / "articles", format="parquet").count_rows()
    counted = {"records": summary["records"], "articles": ends["article"], **summary["ends"]}
    for name, count in {"records": len(records), "articles": articles, **dict.fromkeys(counted, 0), **ends}.items():
        wanted = {"records": len(records), "articles": articles}.get(name, count)
        if counted.get(name) != wanted:
            yield f"{name}: {counted.get(name)} in the summary, {wanted} in the tables"
    print(f"summary.json: {counted}")


def wrong_articles(manifest: list[dict[str, Any]], folder: Path, sources: list[Path]) -> Iterator[str]:
    """Yield a line for each article that is not what `read_article` makes of its page."""
    rows = {
        row["warc_record_id"]: row for row in ds.dataset(folder / "articles", format="parquet").to_table().to_pylist()
    }
    wanted: dict[str, list[dict[str, Any]]] = {}
    for line in manifest:
        if line["record_id"] in rows and line["page_sha256"]:
            wanted.setdefault(line["page_sha256"], []).append(line)
    compared = 0
    for _, page in read_pages(sources):
        for line in wanted.pop(sha256(page).hexdigest(), []):
            compared += 1
            yield from _differences(line["url"], page, rows[line["record_id"]])
    if compared < len(rows):
        yield f"{len(rows) - compared:,} articles are of no page in {', '.join(map(str, sources))}"
    print(f"{compared:,} of {len(rows):,} articles compared with read_article")


def _differences(url: str, page: bytes, row: dict[str, Any]) -> Iterator[str]:
    read = archived_row(read_article(Page(page, url)), WarcRecord(0, "response"), "")
    [expected] = pa.Table.from_pylist([read], schema=ARCHIVED).to_pylist()
    for name in expected.keys() - LEFT_OUT:
        if row[name] != expected[name]:
            yield f"{url}: {name} is {str(row[name])[:80]!r}, not {str(expected[name])[:80]!r}"


if __name__ == "__main__":
    main()
