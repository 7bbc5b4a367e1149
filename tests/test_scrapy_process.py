"""A forked `scrapy` is what people start: the same output and exit code, ended by the same signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scrapy_runs import STORY, TinySite, html, listing, run_new_scrapy, run_scrapy, serving, story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def site() -> Iterator[TinySite]:
    with serving(TinySite()) as site:
        site.routes = {"/": html(listing(STORY)), STORY: html(story())}
        yield site


def test_prints_and_returns_the_same(tmp_path: Path) -> None:
    command = ("crawl", "news", "-a", "limits=3", "--nolog")
    forked, new = (run(tmp_path, *command) for run in (run_scrapy, run_new_scrapy))
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
