"""The values of metadata reading: what a source finds, a check's refusal, and the merged result.

Sources only find raw candidates for each field, the best first. The checks named in `field_rules` decide which of them
are usable, whatever their source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from newsextract.article import Article, Author, Breadcrumb, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Video
from newsextract.reading.metadata.page_clues import Clues

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice

Raw: TypeAlias = (
    str
    | tuple[str, ...]
    | tuple[Author, ...]
    | tuple[Breadcrumb, ...]
    | tuple[LiveUpdate, ...]
    | tuple[Video | Audio, ...]
    | tuple[UsageRights, ...]
)
"""A candidate as the page writes it: one text, or a tuple of texts, authors, breadcrumbs, entries, videos or rights."""

# ruff: noqa: N815 - fields are named like the article's.


@dataclass(frozen=True, slots=True)
class Findings:
    """What one source says about one page."""

    candidates: Mapping[str, Sequence[Raw]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    types: frozenset[str] = frozenset()
    """The schema.org types seen on the page."""
    confidence: float | None = None
    """From 0 to 1 if the source guesses; `None` if it reads."""


Source: TypeAlias = Callable[[Clues], Findings]


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that is not usable, with the reason; `None` if it does not deserve a warning."""

    reason: Notice | None = None


Check: TypeAlias = Callable[[Raw, Clues], object]
"""A function from a candidate to its value, or to a `Refused`."""

Weigher: TypeAlias = Callable[[Iterable[tuple[str, Raw, object]]], Iterator[tuple[str, Raw, object]]]
"""A function over the (source, candidate, value or refusal) of all sources of a field; the first value wins."""


@dataclass
class Metadata(Article):
    """An article with only its metadata filled in, and what helps to judge the kind of page."""

    url: str | None = None
    languageConfidence: float | None = None
    """From 0 to 1 if the language was detected, else `None`."""
    schemaTypes: frozenset[str] = frozenset()
    """The schema.org types that the page's JSON-LD declares: a hint of the kind of page."""
    ogType: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source of each filled field; several, joined by commas, if they complete one another."""
    warnings: tuple[Notice, ...] = ()
    """What was refused or could not be read, and why."""
