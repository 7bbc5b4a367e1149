"""Usage rights in the page: meta tags to all robots or to one of them, and those of the TDM Reservation Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.rights.robots_directives import CRAWLERS, EVERYBODY, directives
from newsextract.reading.metadata.rights.usage_rights import POLICY, RESERVATION, rights_found

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Findings
    from newsextract.reading.metadata.page_clues import Clues

_NAMES = CRAWLERS | EVERYBODY


def read(clues: Clues) -> Findings:
    """Return what the page's head says about its use by machines."""
    meta = clues.meta
    told = [
        directive
        for name in (name for name in meta if name in _NAMES)
        for text in meta[name]
        for directive in directives(text, "" if name in EVERYBODY else name)
    ]
    return rights_found(told, {name: meta[name][0] for name in (RESERVATION, POLICY) if name in meta})
