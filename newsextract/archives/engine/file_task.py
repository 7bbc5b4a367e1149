"""What a worker is given for one WARC file, what it tells meanwhile, and what it returns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.locations import Location

    Tell: TypeAlias = Callable[["Told"], None]


@dataclass(frozen=True)
class FileTask:
    """One file to be read into a folder."""

    location: Location
    folder: str
    plan: ReadingPlan


@dataclass(frozen=True, slots=True)
class Told:
    """How far a worker is with its file."""

    name: str
    records: int
    pages: int
    """Records whose page was read, whatever came of it."""
    articles: int
    offset: int
    """Of the latest record in the file."""


@dataclass(frozen=True)
class FileReport:
    """How the reading of a file ended."""

    name: str
    ends: Counter[str] = field(default_factory=Counter)
    """How many records ended in each state; empty if the file could not be read to its end."""
    trouble: str | None = None
    """Why nothing was written, as a sentence."""
    seconds: float = 0.0
