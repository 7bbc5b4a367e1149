"""The output of a crawl: a live table on a terminal, plain lines elsewhere, a table at the end."""

from __future__ import annotations

import io
import json
import os
import pty
import re
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from sqlalchemy import select

from newsextract.article import Article
from newsextract.crawl.outcome import Outcome
from newsextract.crawl.pipelines import STORED
from newsextract.crawl.progress import MAX_ROWS, SiteReport, final_table, live_table, problems, where_to_look
from newsextract.crawl.spider import NewsSpider
from newsextract.newsroom.health.figures import SiteFigures, SiteRun, recent_runs
from newsextract.newsroom.health.report import SITES_DEGRADED, store_runs
from newsextract.reading.notices import PageState
from newsextract.storage.database import open_engine, writing
from newsextract.storage.schema import runs
from newsextract.tools.crawl import NOTHING_READ, exit_code
from tests.newsroom.delivery.servers import Hook
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import STORY, environment, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb


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


PATHS = [f"/town/a-bridge-of-five-words-{number}.html" for number in range(10_010, 10_016)]
DATED = '<meta property="article:published_time" content="2026-05-20T08:00:00+02:00">'
USUAL = SiteFigures(
    states={"article": 6, "listing": 1}, articles=6, new=6, unsigned=6, median_words=216, sources_failed=1,
    front_links=6,
)  # fmt: skip
SAMPLE = re.compile(r'newsextract_site_\w+\{(\w+="(?:[^"\\\n]|\\.)*",?)+\} -?[0-9.e+]+')


def remember(folder: Path, *sites: str) -> None:
    """Store eight runs, two hours apart, in which the sites were as usual."""
    engine = open_engine(f"sqlite:///{folder}/output/newsextract.db")
    now = datetime.now(UTC)
    with writing(engine) as connection:
        for number in range(8):
            date = now - timedelta(hours=2) * (8 - number)
            runs = [SiteRun(f"{number:032}", site, date, USUAL) for site in sites]
            store_runs(connection, runs)
    engine.dispose()


@pytest.fixture(scope="module")
def names(tiny_web: TinyWeb) -> list[str]:
    """Four sites: one as usual, one whose pages have lost their text, one that has fallen silent, one without dates."""
    well = {path: html(story(number, head=DATED)) for number, path in enumerate(PATHS)}
    scattered = "<html><body><div id=app></div><script>render({text: 'The mayor opened the bridge.'})</script></body>"
    changed = {
        path: html(story(number) if number < 1 else f"{scattered}<p>{number}</p></html>".encode())
        for number, path in enumerate(PATHS)
    }
    undated = {path: html(story(number)) for number, path in enumerate(PATHS)}
    front = {"/": html(listing(*PATHS))}
    return [
        tiny_web(routes).name for routes in (front | well, front | changed, {"/": html(listing())}, front | undated)
    ]


@pytest.fixture(scope="module")
def found(
    crawl: Scrapy, names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("health")
    remember(folder, *names, "elsewhere.example")
    with Hook() as hook:
        Thread(target=hook.serve_forever, args=(0.02,), daemon=True).start()
        address = hook.url.replace("http://", "json://")
        (folder / "alerts.yml").write_text(f"alerts:\n  - {{name: sites, to: '{address}', kinds: [site]}}\n")
        settings = ("-s", "NEWSEXTRACT_ALERTS=alerts.yml", "-s", "NEWSEXTRACT_PROMETHEUS=metrics/news.prom")
        run = crawl(folder, ",".join(f"http://{name}/" for name in names), *settings)
        hook.shutdown()
    return run, [json.loads(body) for body in hook.taken]


def test_names_the_site_that_changed_and_the_one_that_fell_silent(
    found: tuple[Run, list[dict[str, Any]]], names: list[str]
) -> None:
    run, _ = found
    well, changed, silent, undated = names
    assert run.code == 3, run.err
    failed = run.out.partition("newsextract: finished")[0].splitlines()
    assert any(line.startswith(f"site {changed}: layout changed: 5 of 6 pages hold no article") for line in failed)
    assert f"site {silent}: silent: the front page links to no article, usually to 6" in failed
    assert any(line.startswith(f"site {undated}: dates gone: 6 of 6 articles are without") for line in failed)
    assert f"site {well}:" not in run.out
    assert (run.out + run.err).count(f"site {changed}:") == 1
    assert run.stats["newsextract/health/degraded"] == 3
    engine = open_engine(f"sqlite:///{run.folder}/output/newsextract.db")
    with engine.connect() as connection:
        (stats,) = connection.execute(select(runs.c.stats)).scalars()
    engine.dispose()
    assert stats["newsextract/health/degraded"] == 3


def test_tells_of_sites_that_have_problems_now(found: tuple[Run, list[dict[str, Any]]], names: list[str]) -> None:
    (message,) = found[1]
    assert message["title"] == "sites: 3 items"
    told = [message["message"].find(text) for text in (names[1], "layout changed", names[2], "silent", "dates gone")]
    assert -1 not in told
    assert names[0] not in message["message"]


def test_writes_what_prometheus_reads(found: tuple[Run, list[dict[str, Any]]], names: list[str]) -> None:
    text = (found[0].folder / "metrics" / "news.prom").read_text()
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in samples)
    assert f'newsextract_site_degraded{{site="{names[0]}"}} 0.0' in samples
    assert f'newsextract_site_problem{{kind="silent",site="{names[2]}"}} 1.0' in samples
    # Of all sites of the database, not only of this run's.
    assert 'newsextract_site_degraded{site="elsewhere.example"} 0.0' in samples
    assert [path.name for path in (found[0].folder / "metrics").iterdir()] == ["news.prom"]


def test_the_command_shows_it_again(scrapy: Scrapy, found: tuple[Run, list[dict[str, Any]]], names: list[str]) -> None:
    folder = found[0].folder
    shown = scrapy(folder, "health")
    assert shown.code == 1, shown.err
    assert f"site {names[1]}: layout changed: 5 of 6 pages" in shown.out
    assert "█████████" in shown.out
    assert "\x1b" not in shown.out
    one = scrapy(folder, "health", "--site", names[0], "--json", "--prometheus", "one.prom")
    statement = json.loads(one.out)
    assert (one.code, statement["state"], len(statement["runs"])) == (0, "healthy", 9)
    assert statement["runs"][-1]["figures"]["undated"] == 0
    assert names[1] not in (folder / "one.prom").read_text()
    assert "no run has seen 'x.example'" in scrapy(folder, "health", "--site", "x.example").err


def test_a_site_of_which_nothing_is_due_is_not_judged(crawl: Scrapy, names: list[str], tmp_path: Path) -> None:
    twice = [crawl(tmp_path, f"http://{names[0]}/") for _ in range(2)]
    assert [run.code for run in twice] == [0, 0], twice[1].err
    assert twice[1].stats["newsextract/sites/quiet"] == 1
    engine = open_engine(f"sqlite:///{tmp_path}/output/newsextract.db")
    with engine.connect() as connection:
        assert len(recent_runs(connection, names[0], 5)) == 1
    engine.dispose()


@pytest.mark.parametrize(("stats", "code"), [
    ({"newsextract/pages": 1, "newsextract/state/error": 1}, NOTHING_READ),
    ({"newsextract/pages": 1, "newsextract/state/error": 1, "newsextract/health/degraded": 1}, SITES_DEGRADED),
    ({"newsextract/pages": 2, "newsextract/state/error": 1, "newsextract/health/degraded": 1}, SITES_DEGRADED),
    ({"newsextract/pages": 2, "newsextract/state/error": 1, "newsextract/health/degraded": 0}, 0),
    ({"newsextract/pages": 4, "newsextract/candidates": 3, "newsextract/candidates/failed": 3}, NOTHING_READ),
    ({"newsextract/pages": 4, "newsextract/candidates": 3, "newsextract/candidates/failed": 2}, 0),
    ({"newsextract/pages": 3, "newsextract/candidates": 2, "newsextract/candidates/failed": 2}, 0),
])  # fmt: skip
def test_an_ill_site_is_told_before_that_nothing_could_be_read(stats: dict[str, int], code: int) -> None:
    crawler = get_crawler(NewsSpider)
    assert crawler.stats is not None
    for name, value in stats.items():
        crawler.stats.set_value(name, value)
    assert exit_code(crawler) == code
