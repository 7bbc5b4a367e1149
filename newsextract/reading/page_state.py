"""How a visit ends: in exactly one state, with a reason."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice


class PageState(StrEnum):
    """The states of a visited page; every page ends in exactly one."""

    ARTICLE = "article"
    """Stored and exported."""
    LISTING = "listing"
    """A home, section, tag or search page: it links to articles and is not one."""
    OTHER = "other"
    """Neither article nor listing: a product, a forum thread, a service; or in a language that `sites.yml` excludes."""
    DUPLICATE = "duplicate"
    """This run or the database already has it: the same canonical URL or text on the same site, or all as stored."""
    UNCHANGED = "unchanged"
    """Visited before and not changed: the site answers 304, or its bytes are the same."""
    PART = "part"
    """A further page of an article, joined to the first."""
    EMPTY = "empty"
    """The extractor found no text, or too little for an article."""
    BLOCKED = "blocked"
    """The site answered 401, 402, 403, 429 or 451, or with the same text under three headlines or more: a wall."""
    DROPPED = "dropped"
    """A pipeline of the user dropped the article."""
    ERROR = "error"
    """Not fetched or not readable: `http 404`, `timeout`, `too large`, `not HTML`, `too slow`; or a pipeline failed."""


class NoArticle(Exception):  # noqa: N818 - an answer, not a failure
    """A page ended in another state than `article`."""

    def __init__(self, state: PageState, reason: Notice) -> None:
        super().__init__(f"{state}: {reason}")
        self.state = state
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoArticle], tuple[PageState, Notice]]:
        return type(self), (self.state, self.reason)  # so that worker processes can raise it
