"""A rule that is proposed for a site, or why none is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule, with its reasons."""

    rule: str
    """`body`, `headline`, `authors` or `date`."""
    selector: str
    """CSS."""
    urls: tuple[str, ...]
    """The pages that it matches and where it is sane."""
    why: str
    """How many pages support it."""
    changes: tuple[str, ...]
    """Those of the pages that are read otherwise with it."""


@dataclass(frozen=True, slots=True)
class NotProposed:
    """A rule that would help, and why none was found."""

    rule: str
    why: str
