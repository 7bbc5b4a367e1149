"""`python -m newsextract.tools.demo_days`: crawls the demo newsroom on two days; with `--serve`, only serves it."""

import sys

from newsextract.interrupts import end_quietly

if __name__ == "__main__":
    end_quietly()  # before the imports that take most of the start
    from newsextract.tools.demo_days.both_days import main

    sys.exit(main(sys.argv[1:]))
