"""The project under a real scrapyd: its egg, a job over HTTP, and where its articles end up."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from shutil import which
from typing import TYPE_CHECKING

import pytest

from tests.scrapy_process import PROJECT
from tests.scrapy_runs import STORY, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import TinyWeb

pytest.importorskip("scrapyd", reason="scrapyd is not installed: pip install 'newsextract[scrapyd]'")
if which("curl") is None:
    pytest.skip("deploy/scrapyd.sh needs curl", allow_module_level=True)

READ = """
import newsextract
from newsextract import read_article
assert ".egg" in newsextract.__file__, newsextract.__file__
sentence = "<p>The mayor opened bridge number {}, which people had asked for during many years.</p>"
text = "<h1>Bridges</h1>" + "".join(map(sentence.format, range(9)))
print(read_article(text, "https://example.com/a.html").wordCount)
"""


def test_one_command_deploys_the_project_and_runs_a_crawl(tiny_web: TinyWeb, tmp_path: Path) -> None:
    other = STORY.replace("bridge", "school")
    home = tiny_web({"/": html(listing(STORY, other)), STORY: html(story(1)), other: html(story(2))}).home
    taken = ("NEWSEXTRACT_DATABASE", "SCRAPYD_USERNAME", "SCRAPYD_PASSWORD", "PYTHONPATH", "SCRAPY_SETTINGS_MODULE")
    clean = {name: value for name, value in os.environ.items() if name not in taken}
    output = tmp_path / "articles of today"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = subprocess.run(
        [
            PROJECT / "deploy/scrapyd.sh",
            home,
            str(port),
            "setting=NEWSEXTRACT_PRIVATE_ADDRESSES=1",
            "setting=DOWNLOAD_DELAY=0",
        ],
        env=clean | {"NEWSEXTRACT_OUTPUT": str(output), "ONCE": "1", "PYTHON": sys.executable},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Spider closed (finished)" in done.stdout
    with closing(sqlite3.connect(output / "newsextract.db")) as database:
        rows = database.execute("select headline, word_count from articles order by headline").fetchall()
    assert [headline for headline, _ in rows] == ["Bridge 1", "Bridge 2"]
    (feed,) = (output / "articles").iterdir()  # one for each job
    assert sorted(json.loads(line)["headline"] for line in feed.read_text("utf-8").splitlines()) == [
        "Bridge 1",
        "Bridge 2",
    ]
    egg = output / "scrapyd/newsextract.egg"
    with zipfile.ZipFile(egg) as archive:
        assert "settings/production.py" in archive.namelist()
        assert "settings = settings.scrapyd" in archive.read("EGG-INFO/entry_points.txt").decode()
    read = subprocess.run(
        [sys.executable, "-c", READ],
        cwd=tmp_path,
        env=clean | {"PYTHONPATH": str(egg)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert read.stderr == ""
    assert int(read.stdout) > 90
