"""The console of a crawl's report, which may lose its reader or its disk without harm to the crawl."""

from __future__ import annotations

import logging
from typing import Any

from rich.console import Console

from newsextract.command_streams import drop_the_rest

logger = logging.getLogger(__name__)


class ReportConsole(Console):
    """Prints until its stream takes no more, then is quiet; the crawl goes on, and stores what it reads."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; a full disk or a closed stream is a line in the log."""
        try:
            super().print(*objects, **options)
        except OSError as error:
            self._give_up()
            logger.error("the report of the crawl could not be printed: %s", error)  # noqa: TRY400 - a line says it

    def on_broken_pipe(self) -> None:
        """Be quiet from now on, where rich would raise `SystemExit`.

        In the reactor, that would end the event loop but not its threads, for which Python then waits for ever.
        """
        self._give_up()

    def _give_up(self) -> None:
        self.quiet = True
        drop_the_rest(self.file)
