"""A Chromium to read reports in, spoken to over its debugging pipe."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Self

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium")

needs_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not on PATH: apt-get install chromium"),
]

OPTIONS = """
    --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-pipe
""".split()

TROUBLES = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


class Browser:
    """A Chromium spoken to over its debugging pipe: JSON messages, each ended by a NUL, on file descriptors 3 and 4.

    It reaches no host but the one that it is told, a server of the test's own.
    """

    def __init__(self, profile: Path, reaching: str = "") -> None:
        child_in, self._out = os.pipe()
        source, child_out = os.pipe()
        # The descriptors trade places by way of high numbers, lest one be overwritten before it is copied.
        high = [os.dup(fd) for fd in (child_in, child_out)]
        rules = f"MAP * ~NOTFOUND, EXCLUDE {reaching or '127.0.0.1'}"
        options = [*OPTIONS, f"--user-data-dir={profile}", f"--host-resolver-rules={rules}"]
        command = ["bash", "-c", f'exec "$0" "$@" 3<&{high[0]} 4>&{high[1]}', str(CHROMIUM), *options]
        self._process = subprocess.Popen(command, pass_fds=high, stderr=subprocess.DEVNULL)
        for fd in (child_in, child_out, *high):
            os.close(fd)
        self._in = os.fdopen(source, "rb")
        self._buffer = b""
        self._count = 0
        self.events: list[dict[str, Any]] = []
        self._session = ""

    def open(self, address: str) -> Self:
        """Open a URL in a new tab, recording its requests and errors."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = ""
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not self.heard("Page.loadEventFired"):
            self._receive()
        return self

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        session = {"sessionId": self._session} if self._session and not method.startswith("Target.") else {}
        message = {"id": self._count, "method": method, "params": parameters, **session}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._in.fileno(), 1 << 16)
            assert chunk, "the browser has ended"
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        received: dict[str, Any] = json.loads(message)
        if "method" in received:
            self.events.append(received)
        return received

    def wait(self) -> None:
        """Wait for the next message from the browser."""
        self._receive()

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def heard(self, *methods: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event["method"] in methods]

    def close(self) -> None:
        self._session = ""
        self.call("Browser.close")
        self._process.wait(100)
        self._in.close()
        os.close(self._out)
