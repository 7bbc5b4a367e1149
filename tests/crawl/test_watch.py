"""Watch rules in a crawl, and `newsextract watch`."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tests.scrapy_runs import STORY, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

RULES = "watches:\n- name: bridges\n  query: bridge* NEAR/3 opened\n- name: golf\n  query: golf\n"
OTHER = STORY.replace("new", "second-new")


def matches(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        found = database.execute("select rule, url from matches join articles on article_id = id order by rule, url")
        return found.fetchall()


def test_a_crawl_matches_what_it_stores_and_the_command_what_is_stored(
    tmp_path: Path, crawl: Scrapy, scrapy: Scrapy, tiny_web: TinyWeb
) -> None:
    (tmp_path / "watch.yml").write_text(RULES)
    site = tiny_web({"/": html(listing(STORY, OTHER)), STORY: html(story(1)), OTHER: html(story(2))})
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_WATCH=watch.yml")
    assert (run.code, run.states["article"]) == (0, 2), run.err
    stats = {name: run.stats[f"newsextract/watch/{name}"] for name in ("rules", "matches", "articles")}
    assert stats == {"rules": 2, "matches": 2, "articles": 2}
    urls = sorted(row["url"] for row in run.rows)
    assert matches(tmp_path) == [("bridges", url) for url in urls]

    (tmp_path / "watch.yml").write_text(RULES.replace("query: golf", "query: '\"number 2\"'"))
    shown = scrapy(tmp_path, "watch", "watch.yml", "--since", "7d")
    assert (shown.code, shown.err) == (0, "database: output/newsextract.db\n")
    assert "[opened] the [bridge]" in shown.out
    assert [rule for rule, _ in matches(tmp_path)] == ["bridges", "bridges", "golf"]
    lines = [json.loads(line) for line in scrapy(tmp_path, "watch", "watch.yml", "--json").out.splitlines()]
    assert {line["rule"] for line in lines} == {"bridges", "golf"}
    assert set(lines[0]["passages"][0]["words"]) <= {"Bridge", "bridge", "opened"}


def test_the_command_checks_rules_and_looks_at_an_article_that_is_given(tmp_path: Path, scrapy: Scrapy) -> None:
    (tmp_path / "watch.yml").write_text(RULES)
    assert scrapy(tmp_path, "watch", "watch.yml", "--check").out.startswith("2 rules, found by 2 ")
    line = json.dumps({"url": "https://a.example/1", "headline": "Bridge opened", "authors": None})
    given = scrapy(tmp_path, "watch", "watch.yml", "--article", "-", stdin=line)
    assert (given.code, "[Bridge] [opened]" in given.out) == (0, True)
    assert scrapy(tmp_path, "watch", "watch.yml", "--article", "-", stdin='{"headline": "News"}').code == 1
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    "article", [{"authors": ["Ada Byron"]}, {"headline": 5}, ["Bridge"]], ids=["authors", "headline", "list"]
)
def test_what_is_no_article_is_told(article: Any, tmp_path: Path, scrapy: Scrapy) -> None:
    (tmp_path / "watch.yml").write_text(RULES)
    (tmp_path / "article.json").write_text(json.dumps(article))
    run = scrapy(tmp_path, "watch", "watch.yml", "--article", "article.json")
    assert run.code == 2
    assert "no article as JSON: " in run.err


@pytest.mark.parametrize(
    "command", [("watch", "watch.yml", "--check"), ("crawl", "news", "-a", "sites=https://a.example")]
)
def test_a_wrong_rule_is_told_before_anything_starts(command: tuple[str, ...], tmp_path: Path, scrapy: Scrapy) -> None:
    (tmp_path / "watch.yml").write_text(RULES + "- name: other\n  query: pont AND\n")
    run = scrapy(tmp_path, *command, "-s", "NEWSEXTRACT_WATCH=watch.yml")
    assert run.code == 2
    assert "watch.yml, line 7, column 18, watches[2].query: expected a word, a phrase, NOT or '(' after AND" in run.err
    assert "Traceback" not in run.err
