"""What a source hands to the merge, what a check makes of it, and what comes out.

Sources only find: raw candidates for each field, the best first. Whether a candidate is usable is decided once for all
of them, by the checks that `field_rules` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from newsextract.article import Article, Author, Breadcrumb, LiveUpdate, UsageRights
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

# ruff: noqa: N815 - the names are like those of the article.


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


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a candidate is not taken; `None` when it does not deserve a warning."""

    reason: Notice | None = None


Check: TypeAlias = Callable[[Raw, Clues], object]
"""A function from a candidate to the value that it stands for, or to its refusal."""

Weigher: TypeAlias = Callable[[Iterable[tuple[str, Raw, object]]], Iterator[tuple[str, Raw, object]]]
"""A function from all that the sources say about a field, each judged, to what is to be made of it."""


@dataclass
class Metadata(Article):
    """An article of which only what the page says about it is filled in, with what helps to judge the page."""

    url: str | None = None
    languageConfidence: float | None = None
    """From 0 to 1, where the language was detected rather than declared."""
    schemaTypes: frozenset[str] = frozenset()
    """The schema.org types that the page's JSON-LD declares: a hint of the kind of page."""
    ogType: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source that each filled field was read from; several, with commas, where they complete one another."""
    warnings: tuple[Notice, ...] = ()
    """What was refused, and why."""
