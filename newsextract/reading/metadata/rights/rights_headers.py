"""Usage rights in the headers of the response: `X-Robots-Tag`, `Content-Usage`, and the TDM Reservation Protocol's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.rights.robots_directives import directives
from newsextract.reading.metadata.rights.usage_rights import rights_found

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues

_TRAINING = re.compile(r"(?:^|,)\s*train-ai\s*=\s*([yn])\b", re.IGNORECASE)
"""The preference of the IETF's AIPREF vocabulary that speaks of training."""


def read(clues: Clues) -> Findings:
    """Return what the server says about the page's use by machines."""
    headers = clues.page.hints.headers
    if not headers:
        return Findings()
    training = _TRAINING.search(headers.get("content-usage", ""))
    ai = None if training is None else training[1].lower() == "y"
    return rights_found(directives(headers.get("x-robots-tag", "")), headers, ai=ai)
