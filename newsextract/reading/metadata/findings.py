"""What a source hands to the merge: raw candidates for each field, the best first.

Sources only find. Whether a candidate is usable is decided once for all of them, in `checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from newsextract.article import Author, Breadcrumb, LiveUpdate, UsageRights
from newsextract.reading.metadata.page_clues import Clues

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice

Raw: TypeAlias = (
    str
    | tuple[str, ...]
    | tuple[Author, ...]
    | tuple[Breadcrumb, ...]
    | tuple[LiveUpdate, ...]
    | tuple[UsageRights, ...]
)
"""A candidate as the page writes it: text, or several texts, signatures, steps or entries."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What one source says about one page."""

    candidates: Mapping[str, Sequence[Raw]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    types: frozenset[str] = frozenset()
    """The schema.org types met on the way."""
    confidence: float | None = None
    """From 0 to 1, where the source guesses; `None` where it reads."""


Source: TypeAlias = Callable[[Clues], Findings]
