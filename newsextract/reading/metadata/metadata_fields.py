"""What a page says about its article besides the text, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.article import Article

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.notices import Notice

# ruff: noqa: N815 - the names are like those of the article.


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
