"""The input and the result of a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
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
