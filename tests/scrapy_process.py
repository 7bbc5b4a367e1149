"""A `scrapy` that runs beside the test: forked by a server that has imported everything, or started anew."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROJECT = Path(__file__).resolve().parents[1]

SECONDS = 120
"""After which a command counts as hanging, however busy the machine is."""


class ForkedScrapy:
    """A child of the server in a session of its own, with what is used of `subprocess.Popen`."""

    def __init__(
        self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[IO[Any]]
    ) -> None:
        self._end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"folder": str(folder), "arguments": arguments, "environment": dict(environment)}
        with theirs:
            numbers = [theirs.fileno(), *(file.fileno() for file in files)]
            socket.send_fds(_server(), [json.dumps(request).encode()], numbers)
        self.returncode: int | None = None
        self.pid = self._told(SECONDS)

    def _told(self, timeout: float) -> int:
        self._end.settimeout(timeout)
        try:
            told = self._end.recv(64)
        except TimeoutError:
            raise subprocess.TimeoutExpired("scrapy", timeout) from None
        if not told:
            raise RuntimeError("the server of forks has ended")
        return int(told)

    def wait(self, timeout: float = SECONDS) -> int:
        """Return the exit code, which is negative for a signal."""
        if self.returncode is None:
            self.returncode = self._told(timeout)
            self._end.close()
        return self.returncode

    def signal_all(self, number: int) -> None:
        """Send a signal to all processes of the command, unless it has ended."""
        deadline = time.monotonic() + SECONDS
        while self.returncode is None:
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:  # it has just been forked, and has no group yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


@cache
def _server() -> socket.socket:
    """Start the server; it ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            cwd=PROJECT,
            env=environment | one_thread | {"PYTHONPATH": str(PROJECT)},
            stdin=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # whose Ctrl-C is not the children's
        )
    return ours
