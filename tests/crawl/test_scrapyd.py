"""The project under a real scrapyd: its egg, a job over HTTP, and where its articles end up."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from newsextract.tools.deployment.project_egg import EggError, build_egg
from newsextract.tools.deployment.scrapyd_api import (
    ENDED_WELL,
    PROJECT,
    SPIDER,
    Job,
    ScrapydClient,
    ScrapydError,
    schedule,
)
from newsextract.tools.deployment.scrapyd_nodes import SharedCrawl, give
from newsextract.tools.deployment.scrapyd_server import serve
from tests.scrapy_process import PROJECT as CHECKOUT
from tests.scrapy_runs import STORY, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.scrapy_runs import TinyWeb

pytest.importorskip("scrapyd", reason="scrapyd is not installed: pip install 'newsextract[scrapyd]'")

SECONDS = 250
LOOPBACK = {"NEWSEXTRACT_PRIVATE_ADDRESSES": "1", "DOWNLOAD_DELAY": "0"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scrapyd")


@pytest.fixture(scope="module")
def egg(folder: Path) -> Path:
    return build_egg(CHECKOUT, folder / "built")


@pytest.fixture(scope="module")
def scrapyd(folder: Path, egg: Path) -> Iterator[ScrapydClient]:
    """Serve a scrapyd that has the egg."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SCRAPYD_USERNAME", "SCRAPYD_PASSWORD", "NEWSEXTRACT_DATABASE"):
            patch.delenv(name, raising=False)
        with serve(folder, environment={"NEWSEXTRACT_OUTPUT": str(folder / "articles of today")}) as client:
            assert client.deploy(PROJECT, "1", egg) == 1
            yield client


@pytest.fixture(scope="module")
def job(scrapyd: ScrapydClient, tiny_web: TinyWeb) -> Job:
    """Run a crawl of a site with two articles to its end."""
    other = STORY.replace("bridge", "school")
    pages = {"/": html(listing(STORY, other)), STORY: html(story(1)), other: html(story(2))}
    crawl = schedule(scrapyd, {"sites": tiny_web(pages).home}, LOOPBACK)
    crawl.follow(lambda _: None, SECONDS)
    return crawl


def test_the_egg_holds_settings_weights_and_everything_else_that_is_read(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        names = set(archive.namelist())
        entry_points = archive.read("EGG-INFO/entry_points.txt").decode()
    wanted = {path.relative_to(CHECKOUT).as_posix() for path in CHECKOUT.glob("newsextract/**/*") if path.is_file()}
    assert {name for name in wanted if "__pycache__" not in name} <= names
    assert "settings/production.py" in names
    assert "settings = settings.scrapyd" in entry_points


def test_building_writes_nothing_into_the_project(egg: Path, tmp_path: Path) -> None:
    assert egg.exists()
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='empty', py_modules=[])\n")
    build_egg(tmp_path, tmp_path / "built")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["built", "setup.py"]


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("raise SystemExit('no licence')")
    with pytest.raises(EggError, match="no licence"):
        build_egg(tmp_path, tmp_path)


READ_ALL = """
import newsextract
from newsextract import read_article
from newsextract.tools.demo import build_newsroom
from newsextract.lab.evaluation.reports import page_template
from newsextract.tools.comparing import comparison
assert all(page_template._environment().get_template(name) for name in ("page.html", "report.css", "site_map.html"))
assert comparison._part("compare.html")
assert ".egg" in newsextract.__file__, newsextract.__file__
assert build_newsroom().sites
sentence = "<p>The mayor opened bridge number {}, which people had asked for during many years.</p>"
text = "<h1>Bridges</h1>" + "".join(map(sentence.format, range(9)))
print(read_article(text, "https://example.com/a.html").wordCount)
"""


def test_everything_that_reads_a_file_of_its_own_works_from_the_zipped_egg(egg: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(egg)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stderr == ""
    assert int(done.stdout) > 90


@pytest.mark.parametrize("password", ["", "guessed"])
def test_lets_nobody_in_without_the_password(scrapyd: ScrapydClient, password: str) -> None:
    stranger = replace(scrapyd, username="newsextract" if password else "", password=password)
    for ask in (stranger.status, lambda: stranger.spiders(PROJECT), lambda: stranger.schedule(PROJECT, SPIDER, [])):
        with pytest.raises(ScrapydError, match="401"):
            ask()
    with pytest.raises(ScrapydError, match="401"):
        stranger.log(PROJECT, SPIDER, "1")


def test_the_password_is_in_no_file_of_the_server(scrapyd: ScrapydClient, folder: Path, job: Job) -> None:
    assert job.name
    assert len(scrapyd.password) >= 16
    assert scrapyd.password not in repr(scrapyd)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in files if scrapyd.password.encode() in path.read_bytes()]


def test_the_crawl_comes_to_its_end(scrapyd: ScrapydClient, job: Job) -> None:
    assert scrapyd.state(PROJECT, job.name) == "finished"
    log = scrapyd.log(PROJECT, SPIDER, job.name).decode()
    assert ENDED_WELL in log
    assert "Traceback" not in log


def test_the_articles_are_in_the_database_that_the_environment_names(job: Job, folder: Path) -> None:
    assert job.name
    with sqlite3.connect(folder / "articles of today" / "newsextract.db") as database:
        rows = database.execute("select headline, word_count from articles order by headline").fetchall()
    assert [headline for headline, _ in rows] == ["Bridge 1", "Bridge 2"]
    assert min(words for _, words in rows) > 100


def test_each_job_writes_a_feed_of_its_own(job: Job, folder: Path) -> None:
    written = job.articles(folder / "articles of today")
    assert sorted(article["headline"] for article in written) == ["Bridge 1", "Bridge 2"]
    assert [path.stem for path in (folder / "articles of today" / "articles").iterdir()] == [job.name]


def test_jobs_run_the_egg_though_newsextract_is_installed_too(
    scrapyd: ScrapydClient, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "newsextract").mkdir()
    (tmp_path / "newsextract" / "__init__.py").write_text("another = True\n")
    assert scrapyd.spiders(PROJECT) == [SPIDER]
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE")}
    where = "__import__('newsextract').__file__, __import__('settings').__file__"
    done = subprocess.run(
        [sys.executable, "-m", "egg_first", "shell", "--nolog", "-c", where],
        cwd=folder,
        env=kept | {"SCRAPY_PROJECT": PROJECT, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout.count(".egg/") == 2, done.stdout + done.stderr


def test_a_wrong_argument_is_in_the_log_of_the_server(scrapyd: ScrapydClient, folder: Path) -> None:
    job = schedule(scrapyd, {"sites": "https://example.com", "limits": "3"}, {})
    assert ENDED_WELL not in job.follow(lambda _: None, SECONDS)
    assert "-a limits: did you mean limit? the spider knows sites" in (folder / "scrapyd.log").read_text()


def test_says_what_scrapyd_says(scrapyd: ScrapydClient) -> None:
    with pytest.raises(ScrapydError, match="spider 'sport' not found"):
        scrapyd.schedule(PROJECT, "sport", [])
    with pytest.raises(ScrapydError, match="still unknown after 0 seconds"):
        Job(scrapyd, "no-such-job").follow(lambda _: None, 0)


def test_a_port_that_is_taken_is_an_error(scrapyd: ScrapydClient, tmp_path: Path) -> None:
    port = int(scrapyd.url.rpartition(":")[2])
    with pytest.raises(ScrapydError, match=r"did not start|taken"), serve(tmp_path, port):
        pytest.fail("two servers at one port")


def test_a_crawl_for_several_nodes_runs_and_is_not_given_twice(
    scrapyd: ScrapydClient, folder: Path, tiny_web: TinyWeb
) -> None:
    crawl = SharedCrawl(PROJECT, tiny_web({"/": html(listing(STORY)), STORY: html(story(3))}).home, LOOPBACK)
    (first,), (second,) = (give([scrapyd], crawl, datetime.now(UTC)) for _ in range(2))
    assert first.given
    assert second.kept.partition(",")[0] == first.given
    log = Job(scrapyd, first.given).follow(lambda _: None, SECONDS)
    assert ENDED_WELL in log
    with sqlite3.connect(folder / "articles of today" / "newsextract.db") as database:
        assert (first.given,) in database.execute("select job from runs").fetchall()
