"""Runs a scrapyd on loopback, with a password, for the duration of a block."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from newsextract.tools.deployment.scrapyd_api import ScrapydClient, ScrapydError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

HOST = "127.0.0.1"

START_SECONDS = 30
"""Seconds within which scrapyd must respond."""

STOP_SECONDS = 30
"""Seconds that jobs have to finish before they are killed."""

RUNNER = "egg_first"

CONFIGURATION = f"""\
[scrapyd]
bind_address = {HOST}
http_port = {{port}}
# A folder here would replace the project's FEEDS.
items_dir =
eggs_dir = eggs
dbs_dir = dbs
logs_dir = logs
poll_interval = 0.2
max_proc = 1
runner = {RUNNER}
"""
"""It is written as `scrapy.cfg`: scrapyd reads the nearest of that name last, after `/etc/scrapyd` and
`~/.scrapyd.conf`, which therefore change nothing here; nor does the `scrapy.cfg` of a project around the folder."""


@contextmanager
def serve(folder: Path, port: int = 0, environment: Mapping[str, str] | None = None) -> Iterator[ScrapydClient]:
    """Run scrapyd in a folder until the block ends, and yield its client.

    Its output goes to `scrapyd.log` there; jobs inherit the environment. The password is that of
    `SCRAPYD_PASSWORD`, or a new one, and is not stored. Jobs that still run at the end are stopped.

    Raises:
        ScrapydError: scrapyd does not start; the message ends with its output.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    (folder / "scrapy.cfg").write_text(CONFIGURATION.format(port=port), encoding="utf-8")
    (folder / f"{RUNNER}.py").write_text(
        (files("newsextract.tools.deployment") / f"{RUNNER}.py").read_text("utf-8"), "utf-8"
    )
    client = ScrapydClient(f"http://{HOST}:{port}", *credentials())
    # `SCRAPYD_*` variables override any file, so those of the caller's environment must go.
    ours = {
        "SCRAPYD_BIND_ADDRESS": HOST,
        "SCRAPYD_HTTP_PORT": str(port),
        "SCRAPYD_UNIX_SOCKET_PATH": "",
        "SCRAPYD_USERNAME": client.username,
        "SCRAPYD_PASSWORD": client.password,
        # Else every job would repeat it in the server's log.
        "PYTHONWARNINGS": "ignore:pkg_resources is deprecated:UserWarning",
    }
    # Nor may they choose what a job imports: the egg names its settings.
    kept = {name: value for name, value in os.environ.items() if name not in ("SCRAPY_SETTINGS_MODULE", "PYTHONPATH")}
    with (folder / "scrapyd.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "scrapyd", "--pidfile="],
            cwd=folder,
            env=kept | ours | dict(environment or {}),
            stdout=log,
            stderr=subprocess.STDOUT,
            # Ctrl-C in a terminal is for us: we stop the jobs first.
            start_new_session=True,
        )
        try:
            _wait_until_it_answers(server, client, folder / "scrapyd.log")
            yield client
        finally:
            _stop(server)


def credentials() -> tuple[str, str]:
    """Return the user name and password of the environment, or a new password."""
    username = os.environ.get("SCRAPYD_USERNAME") or "newsextract"
    return username, os.environ.get("SCRAPYD_PASSWORD") or secrets.token_hex(12)


def free_port() -> int:
    """Return a port of loopback that is free now."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def _wait_until_it_answers(server: subprocess.Popen[bytes], client: ScrapydClient, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            client.status()
        except ScrapydError as error:
            if server.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            said = log.read_text("utf-8", "replace").strip().splitlines()[-8:]
            raise ScrapydError("\n".join((f"scrapyd did not start: {error}", *said))) from error
        if server.poll() is not None:  # somebody else answers on that port
            raise ScrapydError(f"{client.url} is taken")
        return


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Stop scrapyd and its jobs by their process group: on its own scrapyd leaves jobs running."""
    deadline = time.monotonic() + STOP_SECONDS
    with suppress(ProcessLookupError):  # once the whole group is gone
        os.killpg(server.pid, signal.SIGTERM)
        try:
            while time.monotonic() < deadline:
                server.poll()
                os.killpg(server.pid, 0)
                time.sleep(0.1)
        finally:  # after too long, or a second Ctrl-C
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
