"""The input and the result of a check, and the findings for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from scrapy.settings import BaseSettings


class Verdict(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, nothing to do."""
    WARNING = "warning"
    """Crawls run, but not quite as expected."""
    FAILURE = "failure"
    """Crawls, or jobs of scrapyd, cannot run."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check."""

    verdict: Verdict
    found: str
    advice: str = ""
    """What to do about a warning or a failure."""


@dataclass(frozen=True)
class Subject:
    """What is examined."""

    settings: BaseSettings
    """The settings as `scrapy list` sees them: the project's, before any add-on."""
    folder: Path = field(default_factory=Path.cwd)
    sites: str = ""
    """The value of `-a sites=…`; empty if not given."""


Check: TypeAlias = Callable[[Subject], Iterable[Finding]]
"""Looks at something without changing it; no finding means that the check does not apply."""


def ok(found: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(Verdict.OK, found)


def note(found: str, advice: str = "") -> Finding:
    """Return a finding worth knowing."""
    return Finding(Verdict.NOTE, found, advice)


def warning(found: str, advice: str) -> Finding:
    """Return a warning."""
    return Finding(Verdict.WARNING, found, advice)


def failure(found: str, advice: str) -> Finding:
    """Return a failure, with which nothing can run."""
    return Finding(Verdict.FAILURE, found, advice)


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
