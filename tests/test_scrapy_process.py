"""A forked `scrapy` is what people start: the same output and exit code, ended by the same signals."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING

import pytest

from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import (
    STORY,
    TinySite,
    environment,
    html,
    listing,
    run_new_scrapy,
    run_scrapy,
    serving,
    story,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def site() -> Iterator[TinySite]:
    with serving(TinySite()) as site:
        site.routes = {"/": html(listing(STORY)), STORY: html(story())}
        yield site


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("", ("crawl", "--help")),
        ("", ("no-such-command",)),
        ("settings.development", ("crawl", "news", "-a", "limits=3", "--nolog")),
    ],
)
def test_prints_and_returns_the_same(settings: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(story())
    forked, new = (run(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE=settings) for run in (run_scrapy, run_new_scrapy))
    assert (forked.code, forked.out, forked.err) == (new.code, new.out, new.err)


def test_crawls_the_same(site: TinySite, tmp_path: Path) -> None:
    command = ("crawl", "news", "-a", f"sites={site.home}", "-s", "STATS_CLASS=tests.file_stats.FileStats")
    done = []
    for run in (run_scrapy, run_new_scrapy):
        (tmp_path / run.__name__).mkdir()
        done.append(run(tmp_path / run.__name__, *command))
    forked, new = done
    assert (forked.code, forked.states, len(forked.rows)) == (new.code, new.states, len(new.rows)) == (
        0, {"article": 1, "listing": 1}, 1,
    )  # fmt: skip
    assert [line["articleBody"] for line in forked.lines] == [line["articleBody"] for line in new.lines]
    # Scrapy's own differ with what answers first, the home page or a sitemap.
    ours = [{name for name in run.stats if name.startswith("newsextract/")} for run in done]
    assert ours[0] == ours[1]
    assert "Traceback" not in forked.err + new.err


def test_reads_its_input(tmp_path: Path) -> None:
    run = run_scrapy(tmp_path, "extract", "-", stdin=story(), SCRAPY_SETTINGS_MODULE="")
    assert (run.code, "town number 1" in run.out) == (0, True)


def test_is_killed(site: TinySite, tmp_path: Path) -> None:
    asked = len(site.log)
    with Path(os.devnull).open("r+b") as quiet:
        command = ("crawl", "news", "-a", f"sites={site.home}", "-s", "DOWNLOAD_DELAY=100")
        crawl = ForkedScrapy(tmp_path, command, environment(), (quiet, quiet, quiet))
    wait_until(lambda: len(site.log) > asked)
    with pytest.raises(TimeoutExpired):
        crawl.wait(0.1)
    crawl.signal_all(signal.SIGKILL)
    assert crawl.wait() == -signal.SIGKILL
