"""Whatever ends a crawl ends its browser: no process is left over, and no file of Chromium."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

from tests.crawl.rendering.rig import NEEDS_BROWSER
from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import environment, html

if TYPE_CHECKING:
    from tests.scrapy_runs import TinyWeb

pytestmark = NEEDS_BROWSER

WAITING = b"<!DOCTYPE html><title>News</title><p>Soon.</p><script>fetch('/never')</script>"


def tree_of(root: int) -> set[int]:
    """Return a process and all that it has started, directly or not."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def is_running(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


@pytest.mark.parametrize("ends", ["Ctrl-C twice", "SIGTERM", "SIGKILL"])
def test_leaves_no_browser_behind(ends: str, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({"/": html(WAITING), "/never": html(b"")})
    site.dripping.add("/never")
    files = Path(mkdtemp(prefix="crawl"))  # short: Chromium puts a socket there, whose path has a limit
    settings = ("RENDER=always", "PRIVATE_ADDRESSES=127.0.0.1")
    options = [part for each in settings for part in ("-s", f"NEWSEXTRACT_{each}")]
    with Path(os.devnull).open("rb") as nothing, (tmp_path / "log").open("wb") as log:
        crawl = ForkedScrapy(
            tmp_path,
            ("crawl", "news", "-a", f"sites={site.home}", *options),
            environment(TMPDIR=str(files)),
            (nothing, log, log),
        )
    try:
        wait_until(lambda: "/never" in site.log)
        processes = tree_of(crawl.pid)
        assert len(processes) > 5
        if ends == "Ctrl-C twice":
            crawl.signal_all(signal.SIGINT)  # as a terminal does
            time.sleep(0.6)
            crawl.signal_all(signal.SIGINT)
        else:
            os.kill(crawl.pid, signal.Signals[ends])
        crawl.wait()
        wait_until(lambda: not any(map(is_running, processes)))
        wait_until(lambda: not list(files.iterdir()))
    finally:
        crawl.signal_all(signal.SIGKILL)
        shutil.rmtree(files, ignore_errors=True)
