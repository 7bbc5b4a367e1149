"""Starts and ends worker processes, without running the crawl's own script again."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from contextlib import contextmanager
from multiprocessing.context import SpawnProcess
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from multiprocessing.synchronize import RLock

_main = threading.Lock()


@contextmanager
def _no_main() -> Iterator[None]:
    """Hide the origin of `__main__`, which a new process would run again.

    It is the script that started the crawl: Scrapy's own, scrapyd's, or one without a guard against being imported.
    Its definitions can still be found meanwhile.
    """
    with _main:
        known = sys.modules["__main__"]
        stand_in = ModuleType("__main__")
        stand_in.__dict__.update(known.__dict__, __spec__=None)
        stand_in.__dict__.pop("__file__", None)
        sys.modules["__main__"] = stand_in
        try:
            yield
        finally:
            sys.modules["__main__"] = known


class _SpawnedWorker(SpawnProcess):
    """A worker process with a new interpreter."""

    def start(self) -> None:
        """Start, without the script of this process."""
        with _no_main():
            super().start()

    def terminate(self) -> None:
        """End at once: a worker ignores what asks it to end."""
        self.kill()


if sys.platform == "win32":
    _METHOD, _WORKER = "spawn", _SpawnedWorker
else:
    from multiprocessing.context import ForkServerProcess

    class _ForkedWorker(ForkServerProcess):
        """A worker forked from a server that has the modules imported, and no threads."""

        def start(self) -> None:
            """Start, without the script of this process."""
            with _no_main():
                super().start()

        def terminate(self) -> None:
            """End at once: a worker ignores what asks it to end."""
            self.kill()

    _METHOD, _WORKER = "forkserver", _ForkedWorker


class WorkerContext:
    """A `multiprocessing` context for workers, which counts those started.

    `preloaded` are modules that are imported once, by the server that forks the workers; if it cannot, as in a zipped
    egg, each worker imports them.
    """

    def __init__(self, *preloaded: str) -> None:
        self._context = multiprocessing.get_context(_METHOD)
        if _METHOD == "forkserver":
            self._context.set_forkserver_preload(list(preloaded))
        self.started = 0

    def Pipe(self, duplex: bool = True) -> tuple[Connection, Connection]:  # noqa: N802 - pebble asks so
        """Return the two ends of a pipe."""
        return self._context.Pipe(duplex)

    def RLock(self) -> RLock:  # noqa: N802 - pebble asks so
        """Return a lock between processes."""
        return self._context.RLock()

    def get_start_method(self) -> str:
        """Return the name of the start method."""
        return _METHOD

    def Process(self, **arguments: Any) -> BaseProcess:  # noqa: N802 - pebble asks so
        """Return a new worker."""
        self.started += 1
        return _WORKER(**arguments)
