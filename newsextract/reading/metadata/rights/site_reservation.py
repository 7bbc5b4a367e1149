"""Usage rights in the site's file `/.well-known/tdmrep.json`, as far as they concern the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.rights.usage_rights import rights_found

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Findings
    from newsextract.reading.metadata.page_clues import Clues


def read(clues: Clues) -> Findings:
    """Return what the site's file says about the page's use by machines."""
    return rights_found((), clues.page.hints.tdm_reservation)
