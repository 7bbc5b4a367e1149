"""The findings, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from newsextract.tools.doctor.finding import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from newsextract.tools.doctor.finding import Finding

STYLES = {Verdict.OK: "green", Verdict.NOTE: "cyan", Verdict.WARNING: "bold yellow", Verdict.FAILURE: "bold red"}

PLURALS = {
    Verdict.FAILURE: ("failure", "failures"),
    Verdict.WARNING: ("warning", "warnings"),
    Verdict.NOTE: ("note", "notes"),
    Verdict.OK: ("ok", "ok"),
}


def show(findings: Sequence[tuple[str, Finding]], console: Console) -> None:
    """Print a line for each finding, with its advice below, and a summary."""
    table = Table.grid(Column(no_wrap=True), Column(no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    last = ""
    for name, finding in findings:
        style = STYLES[finding.verdict]
        # A check with several findings is named once.
        table.add_row(Text(finding.verdict, style), "" if name == last else name, Text(finding.found))
        if finding.advice:
            table.add_row("", "", Padding(Text(f"→ {finding.advice}", style), (0, 0, 0, 2)))
        last = name
    console.print(table)
    console.print(f"\n{summary(findings)}", markup=False)


def summary(findings: Sequence[tuple[str, Finding]]) -> str:
    """Return the number of findings of each verdict, the worst first."""
    counts = Counter(finding.verdict for _, finding in findings)
    return ", ".join(f"{counts[kind]} {names[counts[kind] != 1]}" for kind, names in PLURALS.items() if counts[kind])


def as_json(findings: Sequence[tuple[str, Finding]]) -> str:
    """Return the findings as a JSON list of objects with check, verdict, found and advice."""
    return json.dumps([{"check": name, **asdict(finding)} for name, finding in findings], ensure_ascii=False, indent=2)
