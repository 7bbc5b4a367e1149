"""What a job of our scrapyd runs: `scrapyd.runner`, with the egg before everything else that can be imported.

scrapyd puts the egg behind the installed packages. Where newsextract is installed too, unless it is as editable, jobs
would run the installed one and the egg would go unused, without a word. The server's folder gets a copy of this file,
which therefore imports nothing of newsextract.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the `scrapy` command of the arguments, in the project that scrapyd names in the environment."""
    from scrapyd.runner import project_environment  # noqa: PLC0415 - an extra

    with project_environment(os.environ["SCRAPY_PROJECT"]):
        sys.path.sort(key=lambda place: not place.endswith(".egg"))  # sorting is stable: the rest stays as it was
        from scrapy.cmdline import execute  # noqa: PLC0415 - imports the project, which is in the egg

        execute()


if __name__ == "__main__":
    main()
