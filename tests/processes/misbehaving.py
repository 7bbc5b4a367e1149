"""Tasks and an extractor that misbehave as they are asked to; worker processes import this."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract import Extraction, Page


class UntoldError(Exception):
    """An error that can be pickled, but not unpickled."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


class Tasks:
    """Tasks of a worker."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.done: list[Any] = []

    def echo(self, value: Any) -> tuple[int, Any]:
        """Return the process and the value."""
        self.done.append(value)
        return os.getpid(), value

    def sleep(self) -> None:
        """Take too long."""
        time.sleep(600)

    def wait_for(self, name: str) -> int:
        """Wait until a file is there, and return the process."""
        while not (self.folder / name).exists():
            time.sleep(0.02)
        return os.getpid()

    def die(self, unless: str = "") -> str:
        """End the process, unless there is a file; leave that file."""
        if unless and (self.folder / unless).exists():
            return "done"
        (self.folder / (unless or "died")).touch()
        os._exit(3)

    def fail(self, how: str) -> Any:
        """Fail in some way."""
        if how == "lambda":
            return lambda: None
        if how == "exit":
            sys.exit(2)
        raise UntoldError("one thing", "another") if how == "untold" else KeyError("what it looked for")

    def tell(self) -> str:
        """Log a line."""
        logging.getLogger("a.library").warning("something odd")
        return "told"


class Sleepy:
    """An extractor that hangs at the pages of one site."""

    name = "sleepy"

    def extract(self, page: Page) -> Extraction:
        """Return the extraction, or not."""
        from newsextract import create_extractor

        if "slow" in (page.url or ""):
            time.sleep(600)
        return create_extractor("mss").extract(page)
