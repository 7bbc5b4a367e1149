"""`python -m newsextract` is the command `newsextract`."""

from __future__ import annotations

import sys

from newsextract.tools.page_reading.command_line import main

if __name__ == "__main__":
    sys.exit(main())
