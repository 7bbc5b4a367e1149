"""`scrapy evaluate --metadata`: measures readers of metadata. Needs the extra `evaluate`.

Scrapy imports every file of this folder, whatever the command is; so functions import what they need.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rich.console import Console

    from newsextract.evaluation.metadata_results import MetadataResults
    from newsextract.evaluation.results import GroupKind

_ONLY_BODIES = {"html": "--html", "statistics": "--statistics"}
"""Options that have no meaning for metadata."""


def chosen_readers(opts: argparse.Namespace) -> list[str]:
    """Return the readers to judge; raises `UsageError` for an option that does not apply."""
    from newsextract.evaluation.metadata_contest import READERS, reader_names

    for name, option in _ONLY_BODIES.items():
        if getattr(opts, name):
            raise UsageError(f"{option} is of bodies; with --metadata there are --json, --markdown and --cases")
    if not opts.extractors:
        return reader_names()
    names = [name.strip() for name in opts.extractors.split(",") if name.strip()]
    if wrong := [name for name in names if name not in READERS]:
        raise UsageError(f"-x: {', '.join(wrong)} is not among {', '.join(READERS)}, which read metadata")
    if missing := [name for name in names if name not in reader_names()]:
        raise UsageError(f"-x: {', '.join(missing)} needs pip install 'newsextract[evaluate]'")
    return names


def is_anything_measured(results: MetadataResults) -> bool:
    """Return whether any page had annotated metadata; print a message if none had."""
    if any(summary["all"]["measures"] for summary in results["summary"].values()):
        return True
    missing = "a headline, a date, authors or a page type"
    print(f"nothing was measured: no page has {missing} to compare with", file=sys.stderr)
    return False


def print_metadata(results: MetadataResults, groups: Sequence[GroupKind], console: Console) -> None:
    """Print the tables."""
    from newsextract.evaluation.metadata_results import metadata_tables

    for table in metadata_tables(results, groups):
        console.print(table)


def write_metadata(results: MetadataResults, opts: argparse.Namespace) -> None:
    """Write the files that were asked for."""
    from newsextract.evaluation.metadata_contest import differences_as_tsv
    from newsextract.evaluation.metadata_results import metadata_markdown

    if opts.json:
        opts.json.write_text(json.dumps(results, ensure_ascii=False))
    if opts.markdown:
        opts.markdown.write_text(metadata_markdown(results))
    if opts.cases:
        opts.cases.write_text(differences_as_tsv(results["cases"]))
