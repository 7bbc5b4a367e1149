"""The summary of a run: a table for people, and `summary.json`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from newsextract.archives.dataset.description_files import describe_dataset
from newsextract.archives.tables.record_end import RecordEnd
from newsextract.archives.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.archives.engine.archive_run import RunReport
    from newsextract.archives.engine.output_layout import OutputFolder


def describe(folder: OutputFolder, report: RunReport) -> None:
    """Write the summary and the description of the data set into the folder, and print the counts."""
    found = summary(report)
    write_whole(folder.summary, json.dumps(found, indent=2) + "\n")
    if report.has_marks:  # until then, the tables are not what they will be
        describe_dataset(folder.path, found)
    for line in lines(report):
        print(line)  # noqa: T201 - of a command
    print(f"in {folder.path}")  # noqa: T201 - likewise
    sys.stdout.flush()


def summary(report: RunReport) -> dict[str, Any]:
    """Return the counts by name: the same for an interrupted run, once it is done, as for any other."""
    counts = report.counts
    copies = {"exact": report.exact, "near": report.near, "dropped": report.dropped} if report.has_marks else None
    return {
        "files": counts.files,
        "files_not_read": dict(sorted(report.troubles.items())),
        "records": counts.records,
        "ends": {end.value: counts.ends[end] for end in RecordEnd},
        "articles": counts.articles,
        "copies": copies,
    }


def lines(report: RunReport) -> Iterator[str]:
    """Yield the summary for people: the ends of the records add up to their number."""
    counts = report.counts
    yield f"{counts.files:>12,} files"
    yield f"{counts.records:>12,} records"
    for end in RecordEnd:
        if counts.ends[end]:
            yield f"{counts.ends[end]:>14,} {end.replace('_', ' ')}"
    yield f"{counts.articles:>12,} articles in tables"
    if report.has_marks:
        of = "dropped" if report.dropped else "flagged"
        yield f"{report.exact:>14,} exact duplicates {of}"
        yield f"{report.near:>14,} near duplicates {of}"
