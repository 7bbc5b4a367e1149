"""Workers of whole programs, however these were started and end."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from tests.processes.test_pool import wait_for_end
from tests.scrapy_process import PROJECT, SECONDS
from tests.scrapy_runs import environment

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_GUARD = """
import newsextract
from newsextract.page.page import Page
from newsextract.crawl.readers import ReaderPlan, Readers

print("started from", newsextract.__file__)
readers = Readers(ReaderPlan("mss"), 2)
text = "".join(f"<p>The mayor opened part {n} of the bridge that people had asked for for years.</p>" for n in range(9))
html = f"<title>A bridge</title><article><h1>A bridge opens in May</h1>{text}</article>"
page = Page(html, "https://a.example/2026/05/20/a-story-of-five.html")
print("read", readers.read(page).result(100).headline)
readers.close().result(100)
"""
"""A script as people write them for `CrawlerProcess`: a worker that imported it would crawl again."""

BUSY = """
import sys, time
from tests.processes.test_pool import new_pool

pool = new_pool(".", processes=2)
pids = {pool.submit("echo", name, key=name).result(100)[0]: name for name in "abcd"}
pool.submit("sleep", key=next(iter(pids.values())))
print(*pids, flush=True)
if "end" not in sys.argv:
    time.sleep(600)
"""


def test_a_zipped_project_and_a_script_without_a_guard_have_workers(tmp_path: Path) -> None:
    project = tmp_path / "newsextract.egg"
    with ZipFile(project, "w") as egg:
        for path in (PROJECT / "newsextract").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                egg.write(path, path.relative_to(PROJECT))
    (tmp_path / "script.py").write_text(WITHOUT_GUARD)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=environment(PYTHONPATH=str(project)),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout.splitlines() == [
        f"started from {project}/newsextract/__init__.py",
        "read A bridge opens in May",
    ], done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("how", ["killed", "end"])
def test_workers_end_with_their_parent(tmp_path: Path, how: str) -> None:
    (tmp_path / "script.py").write_text(BUSY)
    script = [sys.executable, "script.py", how]
    with subprocess.Popen(
        script, cwd=tmp_path, env=environment(PYTHONPATH=str(PROJECT)), stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        pids = [int(pid) for pid in running.stdout.readline().split()]
        if how == "killed":
            running.send_signal(signal.SIGKILL)
    assert len(pids) == 2
    assert all(wait_for_end(pid, 100) for pid in pids)  # one had ten minutes of work before it
