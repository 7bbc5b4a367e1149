"""What is known about a page besides its HTML: from feeds, HTTP headers, and other pages of its site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

KEPT_HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy", "content-language", "link")
"""Headers about rights and language; the others are about the connection."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a feed or news sitemap, the headers of the response and the site's own files say about a page."""

    title: str | None = None
    """The headline in the feed or news sitemap that led here."""
    date: str | None = None
    """The date of publication there, ISO 8601 with its offset."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers of the response by lower-cased name; repeated ones joined by a comma, as in HTTP."""
    tdm_reservation: Mapping[str, str] = field(default_factory=dict)
    """What the site's `/.well-known/tdmrep.json` says about this URL: `tdm-reservation`, `tdm-policy`."""
    with_subscription: bool = False
    """Whether the page was fetched with a reader's own subscription, so that others may see less of it."""
    is_rendered: bool = False
    """Whether the HTML is what a browser made of the page."""
    version_address: str | None = None
    """Where the HTML is from, if that is another version of the page, which links it: AMP, or one for printing."""
    originals: tuple[str, ...] = ()
    """The keys of the addresses that such a version may call its original, by `url_key`."""
    is_single_page: bool = False
    """Whether it was fetched as all of an article of which another page is the first."""


@dataclass(frozen=True, slots=True)
class FeedHints(Hints):
    """What a feed's entry says besides, where its text is read instead of a page."""

    modified: str | None = None
    """The date of the last change, ISO 8601."""
    authors: tuple[str, ...] = ()
    """As written."""
    summary: str | None = None
    """Without markup."""
    language: str | None = None
    """The language tag, as written."""
    keywords: tuple[str, ...] = ()
    """The categories."""


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """What a site's memory says about the blocks of one page, in the order of `Outline.blocks`."""

    repeated: NDArray[np.bool_]
    """Whether several other pages have the block at the same place."""
    odds: NDArray[np.float64]
    """The log-odds to add to each block's: by its place on the page, or because most other pages have it; else 0."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The places where nearly all other pages have their `date` and their `author`."""

    def __bool__(self) -> bool:
        return bool(self.repeated.any() or self.odds.any())
