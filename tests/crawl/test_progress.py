"""The output of a crawl: a live table on a terminal, plain lines elsewhere, a table at the end."""

from __future__ import annotations

import io
import json
import os
import pty
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from scrapy.settings import Settings

from newsextract.article import Article
from newsextract.crawl.outcome import Outcome
from newsextract.crawl.pipelines import STORED
from newsextract.crawl.progress import MAX_ROWS, SiteReport, final_table, live_table, problems, where_to_look
from newsextract.reading.notices import PageState
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import STORY, environment, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from tests.scrapy_runs import Scrapy, TinySite, TinyWeb


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"/": html(listing(STORY)), STORY: html(story())})


def on_terminal(folder: Path, *command: str) -> str:
    """Return what a terminal of the usual size shows."""
    screen, end = pty.openpty()
    with os.fdopen(end, "r+b", buffering=0) as terminal:
        process = ForkedScrapy(folder, command, environment(TERM="xterm", COLUMNS="100"), (terminal,) * 3)
    seen = b""
    while piece := read_some(screen):
        seen += piece
    assert process.wait() == 0
    os.close(screen)
    return seen.decode()


def read_some(screen: int) -> bytes:
    try:
        return os.read(screen, 65536)
    except OSError:  # what Linux says when the other side has gone
        return b""


def test_a_terminal_shows_tables_and_no_log(site: TinySite, tmp_path: Path) -> None:
    seen = on_terminal(tmp_path, "crawl", "news", "-a", f"sites={site.home}")
    assert "crawling" in seen
    assert "newsextract: finished" in seen
    assert site.name in seen
    assert "articles.jsonl" in seen
    assert "INFO" not in seen


def test_a_terminal_shows_the_log_that_is_asked_for(site: TinySite, tmp_path: Path) -> None:
    command = ("crawl", "news", "-a", f"sites={site.home}", "-L", "INFO")
    assert "INFO: Spider opened" in on_terminal(tmp_path, *command)


def test_elsewhere_there_are_lines_and_a_table(crawl: Scrapy, site: TinySite, tmp_path: Path) -> None:
    run = crawl(tmp_path, site.home)
    assert "\x1b" not in run.out + run.err
    assert "INFO: Spider opened" not in run.err
    assert "Scrapy stats" not in run.err
    assert run.out.startswith("newsextract: finished")


def test_standard_output_is_left_to_the_articles(crawl: Scrapy, site: TinySite, tmp_path: Path) -> None:
    run = crawl(tmp_path, site.home, "-o", "-:jsonlines")
    assert run.out, run.err
    (line,) = run.out.splitlines()
    assert json.loads(line)["url"] == site.home.rstrip("/") + STORY
    assert "newsextract: finished" in run.err


def test_an_empty_shard_says_so(crawl: Scrapy, site: TinySite, tmp_path: Path) -> None:
    runs = [crawl(tmp_path, site.home, "-a", f"shard={number}/2") for number in (1, 2)]
    assert sorted("none of the sites (1 in all)" in run.out for run in runs) == [False, True]
    assert {run.code for run in runs} == {0}


def shown(table: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def report(site: str, **states: int) -> SiteReport:
    made = SiteReport(site)
    for state, count in states.items():
        for number in range(count):
            article = Article(None, wordCount=100 + number) if state == "article" else None
            made.note(Outcome(PageState(state), "" if article else "some reason", article))
    return made


def test_the_table_has_a_row_a_site_and_the_sums() -> None:
    seen = shown(final_table([report("a.example", article=3, error=1), report("b.example", listing=2)], "finished"))
    rows = [" ".join(line.split()) for line in seen.splitlines()]
    assert any(row.startswith("a.example 4 3 article, 1 error 101 ") for row in rows)
    assert any(row.startswith("b.example 2 2 listing ") for row in rows)
    assert "2 sites 6 3 article, 2 listing, 1 error" in rows


def test_of_many_sites_those_with_trouble_come_first() -> None:
    sites = [report(f"good{number}.example", article=1) for number in range(MAX_ROWS + 10)]
    seen = shown(final_table([*sites, report("bad.example", error=1)], "finished"))
    assert "bad.example" in seen
    assert "… and 11 more" in seen
    assert f"{MAX_ROWS + 11} sites" in seen


def test_the_live_table_fits_the_terminal() -> None:
    sites = [report(f"site{number}.example", article=1) for number in range(100)]
    assert len(shown(live_table(sites, 24)).splitlines()) <= 24


def test_nothing_new_is_no_trouble() -> None:
    stored = report("b.example", listing=2)
    stored.note(STORED)
    assert list(problems([report("a.example", unchanged=3), stored])) == []
    assert len(list(problems([report("b.example", duplicate=1)]))) == 2
    line, advice = problems([report("c.example", unchanged=1, error=1)])
    assert line.startswith("c.example: no article; ")
    assert "newsextract probe URL" in advice


def test_an_empty_file_is_no_place_to_look(tmp_path: Path) -> None:
    for name, text in (("full.jsonl", "{}\n"), ("empty.jsonl", "")):
        (tmp_path / name).write_text(text)
    feeds: dict[str, dict[str, str]] = {str(tmp_path / name): {} for name in ("full.jsonl", "empty.jsonl")}
    (line,) = where_to_look(Settings({"NEWSEXTRACT_DATABASE": "", "FEEDS": feeds}))
    assert "full.jsonl: one article per line" in line


def test_where_to_look_hides_passwords() -> None:
    settings = Settings({"NEWSEXTRACT_DATABASE": "postgresql+psycopg://me:secret@host/db", "FEEDS": {"stdout:": {}}})
    assert list(where_to_look(settings)) == ["postgresql+psycopg://me:***@host/db: table articles"]


@pytest.mark.parametrize("width", [60, 100])
def test_no_number_or_name_is_cut_at_any_width(width: int) -> None:
    counts = dict.fromkeys(("article", "listing", "other", "duplicate", "blocked", "empty", "error"), 1234)
    seen = shown(final_table([report("127.0.0.1:45517", **counts), report("b.example", article=5)], "finished"), width)
    assert max(map(len, seen.splitlines())) <= width
    assert "…" not in seen
    assert seen.count("1234") == 2 * len(counts) - 1  # each for the site, and in the sum all but that of articles
    assert "1239" in seen
    assert "127.0.0.1:4551" in seen
