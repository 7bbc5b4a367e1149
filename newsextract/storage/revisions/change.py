"""What storing an article did, and what was there before: what other writers in the same transaction go by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.storage.revisions.article_differences import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.storage.revisions.article_differences import Differences


class Stored(Enum):
    """What storing an article did."""

    NEW = auto()
    CHANGED = auto()
    UNCHANGED = auto()


@dataclass(frozen=True)
class Change:
    """An article that is new in the database, or another than it was."""

    article: Article
    row: Mapping[str, Any]
    """What is in its table now."""
    before: Mapping[str, Any] | None
    """What was there before; nothing of a new article."""

    @cached_property
    def differences(self) -> Differences | None:
        """What the newspaper says otherwise; `None` of a new article, and of a change of looks."""
        return None if self.before is None else compare(self.before, self.row)

    @property
    def is_new(self) -> bool:
        """Whether the database did not have it."""
        return self.before is None


Effect: TypeAlias = "Callable[[Connection, Sequence[Change]], None]"
"""What else a change brings about, in the transaction that makes it: both are there, or neither.

It may be repeated with the same changes, as the transaction may; changes come in the order of the articles' ids.
"""
