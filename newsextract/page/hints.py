"""What is known of a page besides its HTML: what led to it, and how the server answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Hints:
    """What a feed or news sitemap, the headers of the response and the site's own files say about a page."""

    title: str | None = None
    """The headline in the feed or news sitemap that led here."""
    date: str | None = None
    """The date of publication there, ISO 8601 with its offset."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers of the response by lower-cased name; repeated ones joined by a comma, as HTTP has it."""
    tdm_reservation: Mapping[str, str] = field(default_factory=dict)
    """What the site's `/.well-known/tdmrep.json` says about this address: `tdm-reservation`, `tdm-policy`."""


NO_HINTS = Hints()
