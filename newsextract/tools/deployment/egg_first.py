"""The runner of a job: `scrapyd.runner`, with the egg first on the import path.

scrapyd puts the egg after the installed packages. If newsextract is installed too, unless it is editable, jobs
would silently run the installed one instead of the egg. The server's folder gets a copy of this file,
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
