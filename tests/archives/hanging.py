"""An extractor for tests: it never returns for pages that say so, dies with its process for others, or fails."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract import create_extractor

if TYPE_CHECKING:
    from newsextract import Extraction, Page

HANGS, DIES, FAILS = "This page hangs.", "This page kills its reader.", "This page is an error."


@dataclass(frozen=True)
class Hanging:
    """Extracts as `mss` does, unless the page is one of those."""

    name: ClassVar[str] = "hanging"

    def extract(self, page: Page) -> Extraction:
        """Return the extraction, or not."""
        text = page.decoded.text
        if HANGS in text:
            time.sleep(3600)
        if DIES in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if FAILS in text:
            raise RuntimeError(FAILS)
        return create_extractor("mss").extract(page)
