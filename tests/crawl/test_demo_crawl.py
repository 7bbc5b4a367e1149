"""The demo newsroom, crawled as `make crawl` does, against the truth about it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from statistics import mean
from typing import TYPE_CHECKING, Any

import pytest

from demo.server import MEMBERS, NAMES, serve
from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.server import DemoArticle, SiteServer
    from tests.scrapy_runs import Run, Scrapy

SITE_FILES = re.compile(r"/(robots|sitemap|feed|atom|rss|\.well-known/tdmrep)[\w.-]*$")
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")

ARTICLES = 42
FLOORS = {"en": (0.97, 0.98), "fr": (0.97, 0.98), "zh": (0.97, 0.98)}
"""Mean precision and recall of the words on each layout."""

MOST_NOISE = 0.03
"""Share of the site's boilerplate phrases in an article, in the mean."""


class Demo:
    """A newsroom while it is served, and its first crawl."""

    def __init__(self, servers: tuple[SiteServer, ...], run: Run) -> None:
        self.servers = servers
        self.sites = [server.home for server in servers]
        self.run = run
        self.asked = [list(server.log) for server in servers]
        self.truth = {article.url: article for server in servers for article in server.articles}
        self.found = {line["url"]: line for line in run.lines}

    def pairs(self, language: str = "") -> list[tuple[DemoArticle, dict[str, Any]]]:
        return [(truth, self.found[url]) for url, truth in self.truth.items() if truth.language.startswith(language)]


@pytest.fixture(scope="module")
def demo(crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with serve(NAMES[:3]) as servers:
        sites = ",".join(server.home for server in servers)
        # One of the stories has two pages.
        yield Demo(servers, crawl(tmp_path_factory.mktemp("demo"), sites, "-a", "join_pages=1"))


def test_finds_every_article_once(demo: Demo) -> None:
    assert demo.run.code == 0
    assert Counter(line["url"] for line in demo.run.lines) == Counter(demo.truth.keys())
    assert len(demo.truth) == ARTICLES


def test_reads_what_the_pages_state(demo: Demo) -> None:
    for truth, line in demo.pairs():
        assert line["headline"] == truth.headline
        assert datetime.fromisoformat(line["datePublished"]) == datetime.fromisoformat(truth.date_published)
        authors = [author["name"] for author in line["authors"] or ()]
        # The Chinese pages name them only in a line of text, as `记者 陶晓棠`.
        assert authors == list(truth.authors) or (truth.language.startswith("zh") and not authors)
        assert line["inLanguage"].partition("-")[0] == truth.language.partition("-")[0]
        assert line["canonicalUrl"] == truth.url


@pytest.mark.parametrize("language", FLOORS)
def test_the_text_is_nearly_the_true_one(demo: Demo, language: str) -> None:
    scores = [precision_recall(line["articleBody"], truth.text) for truth, line in demo.pairs(language)]
    precision, recall = (mean(score[side] for score in scores) for side in (0, 1))
    assert precision >= FLOORS[language][0]
    assert recall >= FLOORS[language][1]


def precision_recall(found: str, true: str) -> tuple[float, float]:
    kept, wanted = (Counter(WORD.findall(text.lower())) for text in (found, true))
    shared = (kept & wanted).total()
    return shared / kept.total(), shared / wanted.total()


def test_boilerplate_is_gone(demo: Demo) -> None:
    for server in demo.servers:
        bodies = [line["articleBody"] for url, line in demo.found.items() if url.startswith(server.home)]
        kept = mean(sum(phrase in body for phrase in server.site.noise) for body in bodies)
        assert kept / len(server.site.noise) <= MOST_NOISE


def test_asks_for_nothing_forbidden_and_nothing_twice(demo: Demo) -> None:
    for asked in demo.asked:
        assert len(asked) == len(set(asked))
        assert not [path for path in asked if path.startswith(MEMBERS)]
        assert not [path for path in asked if "utm_" in path]


def test_every_page_ends_in_one_state(demo: Demo) -> None:
    pages = [path for asked in demo.asked for path in asked if not SITE_FILES.search(path)]
    pages += [path for asked in demo.asked for path in asked if path.endswith(".gz") and not SITE_FILES.search(path)]
    assert demo.run.adds_up()
    assert demo.run.stats["newsextract/pages"] == len(pages)
    assert demo.run.states["article"] == ARTICLES
    assert set(demo.run.states) == {"article", "listing", "other", "part", "error"}
    assert demo.run.states["part"] == 1
    assert demo.run.reasons["error/http 404"] == len(demo.sites)


def test_rows_are_the_lines(demo: Demo) -> None:
    rows = {row["url"]: row for row in demo.run.rows}
    assert rows.keys() == demo.found.keys()
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", column) for column in next(iter(rows.values())))
    for url, line in demo.found.items():
        assert rows[url]["date_published"] == line["datePublished"]
        assert json.loads(rows[url]["authors"] or "null") == line["authors"]
        assert rows[url]["article_body"] == line["articleBody"]
        assert rows[url]["word_count"] == line["wordCount"]


def test_obeys_crawl_delay(demo: Demo) -> None:
    assert demo.run.stats["newsextract/crawl_delays"] == 1
    delays = [0, 0.1, 0]
    waits = [delay * (len(asked) - 2) for delay, asked in zip(delays, demo.asked, strict=True)]
    assert demo.run.stats["elapsed_time_seconds"] >= max(waits) > 0


def test_the_end_is_a_table_and_where_to_look(demo: Demo) -> None:
    for home in demo.sites:
        name = home.removeprefix("http://").rstrip("/")
        assert re.search(rf"{name} +\d+ +1[36] article, ", demo.run.out)
    assert "3 sites" in demo.run.out
    assert "output/articles.jsonl" in demo.run.out
    assert "sqlite3 -column output/newsextract.db" in demo.run.out
    assert "\x1b" not in demo.run.out + demo.run.err
    assert "Traceback" not in demo.run.err
    assert "Deprecat" not in demo.run.err


def test_again_changes_nothing(demo: Demo, crawl: Scrapy) -> None:
    # Runs in the folder of the first crawl, whose results have been read: keep it the last of the tests that compare.
    lines, rows = demo.run.lines, demo.run.rows
    sites = f"{demo.sites[0]},{demo.sites[2]}"
    again = crawl(demo.run.folder, sites, "-a", "join_pages=1")
    assert (again.code, again.states, again.stats["newsextract/sites/quiet"]) == (0, {}, 2)
    assert "nothing is due yet" in again.out
    fresh = crawl(demo.run.folder, sites, "-a", "join_pages=1", "-a", "fresh=1")
    assert fresh.code == 0
    assert set(fresh.states) <= {"unchanged", "listing", "other", "error"}
    assert fresh.states["unchanged"] > 0
    assert fresh.adds_up()
    assert fresh.lines == lines
    assert fresh.rows == rows


def asked_files(log: list[str]) -> set[str]:
    files = {path for path in log if SITE_FILES.search(path) or path.endswith(".gz")}
    return files - {"/robots.txt", "/.well-known/tdmrep.json"}


def test_the_pages_of_a_story_are_one_article(demo: Demo) -> None:
    (second,) = [path for asked in demo.asked for path in asked if path.endswith("_2.htm") and "/news/" in path]
    url = demo.sites[2][:-1] + second.replace("_2.htm", ".htm")
    truth, line = demo.truth[url], demo.found[url]
    assert truth.paragraphs[0][:40] in line["articleBody"]
    assert truth.paragraphs[-1][:40] in line["articleBody"]
    assert min(precision_recall(line["articleBody"], truth.text)) > 0.95
    assert not [warning for warning in line["extraction"]["warnings"] if "continues" in warning]


@pytest.mark.parametrize(("source", "files", "articles"), [
    ("feeds", r"/(feed|atom|rss)\.xml", 13),
    ("sitemaps", r"/sitemap[\w-]*\.xml(\.gz)?", 13),
    # Without the second pages of the sections, which an archive has without end.
    ("links", r"nothing", 11),
])  # fmt: skip
def test_discovers_only_by(source: str, files: str, articles: int, demo: Demo, crawl: Scrapy, tmp_path: Path) -> None:
    logs = [server.log for server in demo.servers]
    before = [len(log) for log in logs]
    run = crawl(tmp_path, ",".join((demo.sites[0], demo.sites[2])), "-a", f"discover={source}")
    for number in (0, 2):
        asked = logs[number][before[number] :]
        assert all(re.fullmatch(files, path) for path in asked_files(asked)), asked
        found = [line for line in run.lines if line["url"].startswith(demo.sites[number])]
        assert len(found) >= articles
        assert (source == "links") == any("channel" in path or path == "/business/" for path in asked)


def test_since_leaves_out_the_older(demo: Demo, crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, ",".join(demo.sites), "-a", "since=5d")
    start = datetime.now(UTC) - timedelta(days=5)
    newer = {url for url, truth in demo.truth.items() if datetime.fromisoformat(truth.date_modified) >= start}
    published = {url for url, truth in demo.truth.items() if datetime.fromisoformat(truth.date_published) >= start}
    assert published <= {line["url"] for line in run.lines} <= newer


def test_limit_is_reached_and_kept(demo: Demo, crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, ",".join(demo.sites), "-a", "limit=5")
    assert Counter(line["url"].split("/")[2] for line in run.lines) == dict.fromkeys(
        (home.split("/")[2] for home in demo.sites), 5
    )
    assert run.adds_up()


def test_the_demo_command_lives_through_two_days(tmp_path: Path) -> None:
    environment = os.environ | {"SCRAPY_PROJECT": "development", "NEWSEXTRACT_OUTPUT": str(tmp_path)}
    command = [sys.executable, "-m", "demo"]
    done = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Day 1 of 2." in done.stdout
    assert "Day 2 of 2" in done.stdout
    with closing(sqlite3.connect(tmp_path / "newsextract.db")) as database:
        ask = database.execute
        (changed,) = ask("select a.headline from revisions r join articles a on a.id = r.article_id "
                         "where r.number > 0 and r.changes like '%headline%'").fetchall()  # fmt: skip
        assert "bridge" in changed[0].lower()
        assert ask("select count(distinct story_id) from story_articles").fetchone()[0] >= 4
        matches = dict(ask("select rule, count(*) from matches group by rule"))
        assert matches["harbour bridge"] >= 4
        assert matches["resignations"] == 1
        (shown,) = ask("select problems from site_runs where problems != ''").fetchall()
        assert "interstitial" in shown[0], "the Mirror's paywall"
        # Stories go down the front page, and stay there over two looks.
        assert ask("select count(*) from front_places where place > best_place and date_last > date_first").fetchone()[
            0
        ]
