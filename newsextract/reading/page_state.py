"""How the visit of a page ends: in exactly one state, with a reason."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice


class PageState(StrEnum):
    """The states in which a fetched page can end; every page ends in one of them."""

    ARTICLE = "article"
    LISTING = "listing"
    """A home, section or search page: links to articles, none of its own."""
    OTHER = "other"
    """Neither article nor listing: a product, a thread of a forum, a service."""
    DUPLICATE = "duplicate"
    """An article that this run, or the database, already has."""
    UNCHANGED = "unchanged"
    """A page that an earlier run has read, and that is what it was."""
    PART = "part"
    """A further page of an article, joined to it."""
    EMPTY = "empty"
    """A page in which the extractor found no article."""
    BLOCKED = "blocked"
    """The site answered that we may not read this: 401, 402, 403, 429 or 451."""
    DROPPED = "dropped"
    """A pipeline of the user's refused the article."""
    ERROR = "error"
    """The page could not be fetched or read, or a pipeline failed on it."""


class NoArticle(Exception):  # noqa: N818 - an answer, not a failure
    """A page ended in another state than `article`."""

    def __init__(self, state: PageState, reason: Notice) -> None:
        super().__init__(f"{state}: {reason}")
        self.state = state
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoArticle], tuple[PageState, Notice]]:
        return type(self), (self.state, self.reason)  # to be told by another process
