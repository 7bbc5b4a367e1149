"""How a visit ends: in exactly one state, with a reason."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice


class PageState(StrEnum):
    """The states of a visited page; every page ends in exactly one."""

    ARTICLE = "article"
    LISTING = "listing"
    """A home, section or search page: it links to articles and is not one."""
    OTHER = "other"
    """Neither article nor listing: a product, a forum thread, a service."""
    DUPLICATE = "duplicate"
    """An article that this run, or the database, already has."""
    UNCHANGED = "unchanged"
    """A page that an earlier run has read, and that has not changed."""
    PART = "part"
    """A further page of an article, joined to the first."""
    EMPTY = "empty"
    """A page in which the extractor found no text, or too little for an article."""
    BLOCKED = "blocked"
    """The site refused access with 401, 402, 403, 429 or 451."""
    DROPPED = "dropped"
    """A pipeline of the user dropped the article."""
    ERROR = "error"
    """The page could not be fetched or read, or a pipeline failed on it."""


class NoArticle(Exception):  # noqa: N818 - an answer, not a failure
    """A page ended in another state than `article`."""

    def __init__(self, state: PageState, reason: Notice) -> None:
        super().__init__(f"{state}: {reason}")
        self.state = state
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoArticle], tuple[PageState, Notice]]:
        return type(self), (self.state, self.reason)  # so that worker processes can raise it
