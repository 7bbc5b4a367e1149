"""`python -m newsextract` is the command `newsextract`."""

import sys

from newsextract.cli import main

if __name__ == "__main__":
    sys.exit(main())
