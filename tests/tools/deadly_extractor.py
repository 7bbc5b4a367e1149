"""An extractor that ends its process, never ends, or has a fault, on pages that ask for it."""

from __future__ import annotations

import os
from time import sleep
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.contract import Extraction

if TYPE_CHECKING:
    from newsextract.page.page import Page


class Deadly:
    """Keeps everything, if it lives."""

    name: ClassVar[str] = "deadly"

    def extract(self, page: Page) -> Extraction:
        """Return all blocks."""
        if "die here" in page.decoded.text:
            os._exit(9)
        if "hang here" in page.decoded.text:
            sleep(600)
        if "fail here" in page.decoded.text:
            raise KeyError("fault")
        return Extraction(self.name, page.blocks)
