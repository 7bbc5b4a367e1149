"""What a check is given and what it answers."""

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
    """Crawls run, and something will surprise somebody."""
    FAILURE = "failure"
    """Crawls, or jobs of scrapyd, cannot run."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check has seen."""

    verdict: Verdict
    found: str
    advice: str = ""
    """What to do about a warning or a failure."""


@dataclass(frozen=True)
class Subject:
    """What is examined."""

    settings: BaseSettings
    """As `scrapy list` has them: the project's, before any add-on."""
    folder: Path = field(default_factory=Path.cwd)
    sites: str = ""
    """What `-a sites=…` would be given; empty to leave it out."""


Check: TypeAlias = Callable[[Subject], Iterable[Finding]]
"""Looks and changes nothing; finding nothing at all means that it does not apply."""


def ok(found: str) -> Finding:
    """Return that all is well."""
    return Finding(Verdict.OK, found)


def note(found: str, advice: str = "") -> Finding:
    """Return something worth knowing."""
    return Finding(Verdict.NOTE, found, advice)


def warning(found: str, advice: str) -> Finding:
    """Return something that will surprise somebody."""
    return Finding(Verdict.WARNING, found, advice)


def failure(found: str, advice: str) -> Finding:
    """Return something with which nothing can run."""
    return Finding(Verdict.FAILURE, found, advice)
