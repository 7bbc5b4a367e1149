"""A process that has imported what a crawl needs, and forks one child for each `scrapy` that a test starts.

To import everything takes seconds, a fork takes milliseconds. The child has what a process of its own has: folder,
environment, import path, standard streams, signals, reactor and exit code.
"""

from __future__ import annotations

import gc
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import time
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

from newsextract import read_article
from newsextract.newsroom.delivery import sending
from newsextract.reading.metadata.written_dates import find_dates

PACKAGES = (
    *(f"newsextract.{room}" for room in ("crawl", "newsroom.delivery", "newsroom.health")),
    *(f"scrapy.{part}" for part in ("commands", "core", "downloadermiddlewares", "extensions", "spidermiddlewares")),
)
MODULES = (
    *("scrapy.cmdline", "scrapy.dupefilters", "scrapy.logformatter", "scrapy.pqueues", "scrapy.resolver"),
    *(
        "scrapy.responsetypes", "scrapy.squeues", "scrapy.statscollectors", "newsextract.addon",
        "newsextract.newsroom.watch", "newsextract.tools.crawl",
    ),
    *(
        "cProfile",
        "htmldate",
        "numpy.ma",
        "numpy.random",
        "rich._emoji_codes",
        "rich.live",
        "scrapy_poet.commands",  # which `scrapy` imports wherever it is installed
        "sqlite3",
        "tldextract",
    ),
)  # fmt: skip
"""What is not here is imported by each child that wants it."""

FILES = 4
"""That come with a request: where its end is told, and its standard streams."""


def preload() -> None:
    """Import what crawls and commands use, but not what is deprecated or wants an extra that is not installed."""
    packages = [import_module(package) for package in PACKAGES]
    inside = [
        found
        for each in packages
        for found in pkgutil.walk_packages(getattr(each, "__path__", ()), f"{each.__name__}.")
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in (*MODULES, *(module.name for module in inside)):
            if not name.endswith(("__main__", ".ftp")):  # FTP's handler installs the reactor
                with suppress(ImportError, Warning):
                    import_module(name)
    sum(1 for _ in find_dates("4 May 2026"))  # which reads the names of months in all languages
    read_article(f"<h1>A bridge</h1>{'<p>The mayor opened it for all of the people.</p>' * 9}")  # and all weights
    sending.END_SECONDS = 4.0  # a broker in a test is away for one
    gc.freeze()


class ForkServer:
    """Forks a child for each request, and reports its end on the request's socket."""

    def __init__(self, requests: socket.socket) -> None:
        self.requests = requests
        self.running: dict[int, socket.socket] = {}
        self.woken, self.wake = os.pipe()
        for end in (self.woken, self.wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self.wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> tuple[dict[str, Any], list[int]] | None:
        """Return the request in each child, and `None` in the server when its socket is closed."""
        while True:
            ready: list[int] = select.select([self.requests.fileno(), self.woken], [], [])[0]
            if self.woken in ready:
                os.read(self.woken, 4096)
                self.tell_ends()
            if self.requests.fileno() in ready:
                data, files, _, _ = socket.recv_fds(self.requests, 1 << 20, FILES)
                if not data:
                    return None
                end = socket.socket(fileno=files[0])
                if not (pid := os.fork()):
                    self.leave(end)
                    return json.loads(data), files[1:]
                for file in files[1:]:
                    os.close(file)
                self.running[pid] = end
                end.send(str(pid).encode())

    def tell_ends(self) -> None:
        """Send the exit code of each ended child to its requester."""
        while self.running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self.running.pop(pid) as end, suppress(OSError):  # who has gone does not want to know
                end.send(str(os.waitstatus_to_exitcode(status)).encode())

    def leave(self, end: socket.socket) -> None:
        """Close the server's resources in a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self.requests, end, *self.running.values()):
            each.close()
        os.close(self.woken)
        os.close(self.wake)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Be `python -m scrapy` as the request describes it."""
    os.setsid()  # so that a signal may go to all its processes
    for standard, file in enumerate(streams):
        os.dup2(file, standard)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    # The server runs with one folder in PYTHONPATH, which stands behind the current one.
    sys.path[:2] = [request["folder"], *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = ["scrapy", *request["arguments"]]
    # As a new interpreter would: the server's own stream may be of another kind, as a file is, which can seek.
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), line_buffering=os.isatty(1))
    runpy.run_module("scrapy", run_name="__main__", alter_sys=True)


def main(number: int) -> None:
    """Serve requests that come through an inherited socket, until its other end is closed."""
    preload()
    assert "twisted.internet.reactor" not in sys.modules, "each child installs its own"
    assert threading.active_count() == 1, "a fork copies no threads"
    if asked := ForkServer(socket.socket(fileno=number)).serve():
        become(*asked)


if __name__ == "__main__":
    main(int(sys.argv[1]))
