"""Workers of whole programs, however these were started and end."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from zipfile import ZipFile

from demo.server import DemoSite, last_midnight
from newsextract.crawl.workers.worker_answers import ReaderPlan
from newsextract.crawl.workers.worker_pool import Readers
from newsextract.page.page import Page
from tests.crawl.workers.conftest import ODD
from tests.crawl.workers.test_pool import wait_for_end
from tests.scrapy_process import PROJECT, SECONDS
from tests.scrapy_runs import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from newsextract.article import Article

WITHOUT_GUARD = """
import newsextract
from newsextract.page.page import Page
from newsextract.crawl.workers.worker_answers import ReaderPlan
from newsextract.crawl.workers.worker_pool import Readers

print("started from", newsextract.__file__)
readers = Readers(ReaderPlan("odd_extractors.Odd", uses_memory=False), 2)
told = "".join(f"<p>The mayor opened part {n} of the bridge that people had asked for in vain.</p>" for n in range(9))
html = f"<title>A bridge</title><article><h1>A bridge opens in May</h1>{told}</article>"
page = Page(html, "https://a.example/2026/05/20/a-story-of-five.html")
print("read", readers.read(page).result(100).headline)
readers.close().result(100)
"""
"""A script as people write them for `CrawlerProcess`: a worker that imported it would crawl again."""

BUSY = """
import sys, time
from tests.crawl.workers.conftest import page_at
from tests.crawl.workers.test_pool import pid_of
from newsextract.crawl.workers.worker_answers import ReaderPlan
from newsextract.crawl.workers.worker_pool import Readers

readers = Readers(ReaderPlan("odd_extractors.Odd", uses_memory=False), 2)
pids = {}
for name in "abcd":
    pids[pid_of(readers.read(page_at(f"https://{name}.example/2026/05/20/a-story-of-five.html")))] = name
busy = next(iter(pids.values()))
readers.read(page_at(f"https://{busy}.example/2026/05/20/a-story-of-five.html?slow"))
print(*pids, flush=True)
time.sleep(600)
"""


def odd_egg(folder: Path) -> str:
    """Write the odd extractor, and return where."""
    with ZipFile(folder / "odd.egg", "w") as egg:
        egg.writestr("odd_extractors.py", ODD)
    return str(folder / "odd.egg")


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
        env=environment(PYTHONPATH=f"{project}:{odd_egg(tmp_path)}"),
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


def test_workers_end_with_a_crawl_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(BUSY)
    paths = f"{PROJECT}:{odd_egg(tmp_path)}"
    script = [sys.executable, "script.py"]
    with subprocess.Popen(script, cwd=tmp_path, env=environment(PYTHONPATH=paths), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        pids = [int(pid) for pid in running.stdout.readline().split()]
        running.send_signal(signal.SIGKILL)
    assert len(pids) == 2
    assert all(wait_for_end(pid, 100) for pid in pids)  # one had ten minutes of work before it


def demo_pages() -> Iterator[Page]:
    """Yield the pages of all stories of the demo's first site."""
    site = DemoSite("courier", 2, last_midnight())
    for story in site.articles("https://demo.example"):
        path = story.url.removeprefix("https://demo.example")
        yield Page(site.respond(path, "https://demo.example")[2], story.url)


def articles(workers: int) -> list[Article]:
    readers = Readers(ReaderPlan("auto"), workers)
    read = [reading.result(100) for reading in [readers.read(page) for page in demo_pages()]]
    readers.close().result(100)
    for article in read:
        assert article.metadata is not None
        article.metadata.dateDownloaded = ""
    return read


def test_processes_read_as_a_thread_does() -> None:
    read = articles(workers=2)
    assert len(read) == 16
    assert read == articles(workers=0)
