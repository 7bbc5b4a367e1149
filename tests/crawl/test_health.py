"""Health in a crawl: which sites fell silent or changed, and where that is reported."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.test import get_crawler
from sqlalchemy import select

from newsextract.crawl.spider import NewsSpider
from newsextract.newsroom.health.figures import SiteFigures, SiteRun, recent_runs
from newsextract.newsroom.health.report import SITES_DEGRADED, store_runs
from newsextract.storage.database import open_engine, writing
from newsextract.storage.schema import runs
from newsextract.tools.crawl import NOTHING_READ, exit_code
from tests.newsroom.delivery.servers import Hook
from tests.scrapy_runs import html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinyWeb

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
    assert message["title"] == "sites: 3 news"
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


@pytest.mark.parametrize(
    ("stats", "code"),
    [
        ({"newsextract/pages": 1, "newsextract/state/error": 1}, NOTHING_READ),
        ({"newsextract/pages": 1, "newsextract/state/error": 1, "newsextract/health/degraded": 1}, SITES_DEGRADED),
        ({"newsextract/pages": 2, "newsextract/state/error": 1, "newsextract/health/degraded": 1}, SITES_DEGRADED),
        ({"newsextract/pages": 2, "newsextract/state/error": 1, "newsextract/health/degraded": 0}, 0),
        ({"newsextract/pages": 4, "newsextract/candidates": 3, "newsextract/candidates/failed": 3}, NOTHING_READ),
        ({"newsextract/pages": 4, "newsextract/candidates": 3, "newsextract/candidates/failed": 2}, 0),
        ({"newsextract/pages": 3, "newsextract/candidates": 2, "newsextract/candidates/failed": 2}, 0),
    ],
)
def test_an_ill_site_is_told_before_that_nothing_could_be_read(stats: dict[str, int], code: int) -> None:
    crawler = get_crawler(NewsSpider)
    assert crawler.stats is not None
    for name, value in stats.items():
        crawler.stats.set_value(name, value)
    assert exit_code(crawler) == code
