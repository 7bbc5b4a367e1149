"""`python -m newsextract.tools.deployment.node`: scrapyd as the first process of a container.

scrapyd ends at once on SIGTERM and leaves its jobs running; a container that ends kills them. Here the signal reaches
the jobs too, which then end the pages that are under way, and the container ends after the last of them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

SCRAPYD = (sys.executable, "-m", "scrapyd", "--pidfile=")


def main(command: Sequence[str] = SCRAPYD) -> int:
    """Run scrapyd here until SIGTERM or SIGINT, and its jobs to their end; return the exit code of scrapyd."""
    server = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - scrapyd

    def stop(_number: int = 0, _frame: FrameType | None = None) -> None:
        with suppress(ProcessLookupError):  # all of them are gone
            os.killpg(server.pid, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    code = server.wait()
    stop()  # if it died by itself
    # The first process of a container inherits the jobs.
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
