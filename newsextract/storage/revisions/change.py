"""The result of storing an article, with the row before it, for other writers in the same transaction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.reading.feed_article import EXTRACTOR
from newsextract.storage.revisions.article_differences import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.storage.revisions.article_differences import Differences


class Stored(Enum):
    """The result of storing an article."""

    NEW = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    SAME_TEXT = auto()
    """Not stored: another article of its site has this text."""
    UNFINISHED = auto()
    """Not stored: an unfinished visit of the same page has stored it already."""


@dataclass(frozen=True)
class Change:
    """An article that is new in the database, or has changed."""

    article: Article
    row: Mapping[str, Any]
    """Its row now."""
    before: Mapping[str, Any] | None
    """Its row before; `None` for a new article."""

    @cached_property
    def differences(self) -> Differences | None:
        """The differences of the texts; `None` for a new article and for a cosmetic change."""
        return None if self.before is None else compare(self.before, self.row)

    @property
    def is_correction(self) -> bool:
        """Whether the page's text replaces a feed's that stood in for it: we know better, the site changed nothing."""
        return self.before is not None and self.before["extractor"] == EXTRACTOR != self.row["extractor"]

    @property
    def is_new(self) -> bool:
        """Whether the article is new in the database."""
        return self.before is None


Effect: TypeAlias = "Callable[[Connection, Sequence[Change]], None]"
"""Does something else in the transaction of a change, so that both are committed or neither.

It may be repeated with the same changes, as the transaction may; changes come in the order of the articles' ids.
"""
