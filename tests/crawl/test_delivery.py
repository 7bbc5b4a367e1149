"""Crawls that deliver messages."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import feedparser
import pytest
from jsonschema import Draft202012Validator
from scrapy.settings import Settings

from newsextract.crawl.effects import targets_from
from newsextract.newsroom.delivery.files import JsonLines
from newsextract.newsroom.delivery.messages import KINDS, schema
from newsextract.settings import TARGETS, BadSetting, check
from tests.newsroom.delivery.messages import wait_until
from tests.newsroom.delivery.servers import BROKERS, OwnRedis, received, remove, require
from tests.scrapy_process import PROJECT
from tests.scrapy_runs import STORY, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scrapy_runs import Reply, Routes, Scrapy, TinyWeb


PATHS = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(12)]
QUIET = ("-s", "NEWSEXTRACT_WORKERS=0")


def site(**others: Reply | Callable[[str], Reply]) -> Routes:
    routes: dict[str, Any] = {path: html(story(number)) for number, path in enumerate(PATHS)}
    return routes | {"/": html(listing(*PATHS))} | others


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_new_article_is_told_once_and_what_changed_is_a_revision(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    web = tiny_web(site())
    (tmp_path / "watch.yml").write_text('watches: [{name: five, query: "headline: five OR \\"number 5\\""}]')
    settings = ("MESSAGES=output/messages.jsonl", "ATOM=output/feeds", "WATCH=watch.yml")
    targets = [part for setting in settings for part in ("-s", f"NEWSEXTRACT_{setting}")]
    assert crawl(tmp_path, web.home, *targets, *QUIET).states["article"] == len(PATHS)
    messages = lines(tmp_path / "output" / "messages.jsonl")
    (match,) = [message for message in messages if message["kind"] == "match"]
    assert (match["match"]["rule"], match["article"]["headline"]) == ("five", "Bridge 5")
    assert "number 5 opened" in match["match"]["passages"][0]["text"]
    assert match["match"]["dateMatched"][:2] == "20"
    Draft202012Validator(schema()).validate(match)
    found = [message for message in messages if message["kind"] == "article"]
    assert sorted(message["article"]["headline"] for message in found) == sorted(f"Bridge {n}" for n in range(12))
    for message in found:
        Draft202012Validator(schema()).validate(message)
    feed = feedparser.parse((tmp_path / "output" / "feeds" / "all.xml").read_bytes())
    assert len(feed.entries) == len(PATHS)

    web.routes = site(**{PATHS[3]: html(story(3).replace(b"asked for", b"waited for"))})
    forget = "update ledger set next_visit = '2020-01-01T00:00:00+00:00', date_visited = '2020-01-01T00:00:00+00:00'"
    with sqlite3.connect(tmp_path / "output" / "newsextract.db") as database:
        database.execute(forget)
        database.execute("update articles set date_downloaded = '2026-05-20T00:00:00+00:00'")
    crawl(tmp_path, web.home, *targets, *QUIET)
    newer = lines(tmp_path / "output" / "messages.jsonl")[len(messages) :]
    assert [(message["kind"], message["article"]["headline"]) for message in newer] == [("revision", "Bridge 3")]
    (revision,) = newer
    Draft202012Validator(schema()).validate(revision)
    changes = revision["revision"]["changes"]
    assert (changes["added_words"], changes["removed_words"]) == (8, 8)
    assert "waited" in changes["body"][0]["after"]
    assert "asked" in changes["body"][0]["before"]


@pytest.mark.server
def test_a_broker_that_dies_in_the_middle_of_a_crawl_has_every_article_in_the_end(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    pytest.importorskip("kombu", reason="kombu is not installed: pip install 'newsextract[broker]'")
    (tmp_path / "redis").mkdir()
    own = OwnRedis(tmp_path / "redis")
    starting = threading.Timer(1, own.start)

    def killing(_path: str) -> Reply:
        if starting.ident is None:
            own.kill()
            starting.start()
        return html(story(3))

    try:
        web = tiny_web(site(**{PATHS[3]: killing}))
        run = crawl(tmp_path, web.home, "-s", f"NEWSEXTRACT_BROKER={own.url}", *QUIET)
        assert run.states["article"] == len(PATHS), run.err
        assert starting.ident is not None
        headlines = {message["article"]["headline"] for message in received(own.url, "newsextract")}
        assert headlines == {f"Bridge {number}" for number in range(12)}
    finally:
        starting.join(100)
        own.kill()


def test_what_a_crawl_has_left_is_delivered_later(
    tmp_path: Path, crawl: Scrapy, scrapy: Scrapy, tiny_web: TinyWeb
) -> None:
    (tmp_path / "in-the-way").write_text("")
    target = ("-s", "NEWSEXTRACT_MESSAGES=in-the-way/messages.jsonl")
    run = crawl(tmp_path, tiny_web(site()).home, *target, *QUIET)
    assert run.states["article"] == len(PATHS)
    assert f"{len(PATHS)} messages for" in run.err
    assert next(count for name, count in run.stats.items() if name.endswith("/left")) == len(PATHS)
    still = scrapy(tmp_path, "deliver", "--json", *target)
    assert (still.code, json.loads(still.out)["left"]) == (1, len(PATHS)), still.err
    (tmp_path / "in-the-way").unlink()
    done = scrapy(tmp_path, "deliver", *target)
    assert done.code == 0, done.err
    assert f"{len(PATHS)} delivered, 0 left" in done.out
    assert len(lines(tmp_path / "in-the-way" / "messages.jsonl")) == len(PATHS)


@pytest.mark.parametrize("broker", sorted(BROKERS))
def test_the_reader_in_the_docs_reads(broker: str, tmp_path: Path) -> None:
    from newsextract.newsroom.delivery.messages import article_message
    from newsextract.newsroom.delivery.targets import Broker
    from tests.newsroom.delivery.messages import article, change, letter

    url, queue = require(BROKERS[broker]), f"newsextract_readme_{os.getpid()}"
    page = (PROJECT / "docs" / "how-to" / "delivery.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(from kombu import.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    told = code.replace("redis://127.0.0.1:6379/0", url).replace('"newsextract"', f'"{queue}"')
    assert told.count(queue) == 2
    target, out = Broker(url, queue), tmp_path / "out.txt"
    with out.open("w") as file:
        reader = subprocess.Popen([sys.executable, "-u", "-c", told], stdout=file, stderr=subprocess.STDOUT)
    try:
        target.deliver([letter(article_message(change(article(number)))) for number in range(3)])
        wait_until(lambda: len(out.read_text().splitlines()) == 3)
        assert out.read_text().splitlines()[0] == "article Bridge 0 https://a.example/0"
        assert reader.poll() is None
        reader.kill()
        reader.wait(100)
        assert list(received(url, queue, least=0)) == []
    finally:
        reader.kill()
        target.close()
        remove(url, queue)


DATABASE = {"NEWSEXTRACT_DATABASE": "sqlite:///output/a.db"}
HOOK = "https://example.com/hook"


def targets(**settings: Any) -> list[Any]:
    named = Settings(DATABASE | {f"NEWSEXTRACT_{name}": value for name, value in settings.items()})
    check(named, TARGETS)
    return targets_from(named)


def test_nothing_is_delivered_unless_it_is_asked_for() -> None:
    assert targets() == targets(BROKER=None, WEBHOOKS=[], ATOM="", MESSAGES=None) == targets_from(Settings()) == []


def test_each_setting_has_its_target() -> None:
    found = targets(BROKER="redis://127.0.0.1/1", WEBHOOKS=[HOOK], ATOM="feeds", MESSAGES="a.jsonl")
    assert [type(target).__name__ for target in found] == ["Broker", "Webhook", "AtomFeeds", "JsonLines"]
    assert len({target.name for target in found}) == 4


def test_a_command_line_may_say_the_same() -> None:
    hooks = targets(WEBHOOKS=f'[{{"url": "{HOOK}", "kinds": ["match"], "secret": "s"}}, "https://b.example/"]')
    assert [(hook.url, hook.kinds, hook.secret) for hook in hooks] == [
        (HOOK, {"match"}, "s"), ("https://b.example/", set(KINDS), None),
    ]  # fmt: skip
    assert [hook.url for hook in targets(WEBHOOKS=HOOK)] == [HOOK]
    (lines,) = targets(MESSAGES="a.jsonl")
    assert isinstance(lines, JsonLines)
    assert lines.path == Path("a.jsonl")


@pytest.mark.parametrize(("settings", "told"), [
    ({"BROKER": "kafka://a.example"}, "NEWSEXTRACT_BROKER: .* try redis://"),
    ({"WEBHOOKS": ["ftp://a.example"]}, "NEWSEXTRACT_WEBHOOKS: entry 1: cannot use its URL: it does not begin"),
    ({"WEBHOOKS": [{"link": HOOK}]}, "NEWSEXTRACT_WEBHOOKS: entry 1: .* neither a URL nor a table"),
    ({"WEBHOOKS": 7}, "NEWSEXTRACT_WEBHOOKS: int is not a list"),
    ({"WEBHOOKS": '["a'}, "NEWSEXTRACT_WEBHOOKS: .* not JSON"),
    ({"WEBHOOKS": [{"url": HOOK, "kinds": ["news"]}]}, "some of article, revision, match"),
    ({"WEBHOOKS": [{"url": HOOK, "secret": 5}]}, "its secret is not text"),
    ({"WEBHOOKS": [HOOK, {"url": HOOK, "kinds": ["match"]}]}, "there twice"),
    ({"WEBHOOKS": ["https://me:hush@a.example/"]}, "it names a user"),
    ({"WEBHOOKS": [HOOK + "?a b"]}, "cannot be read"),
    ({"BROKER": "redis://a.example:port/0"}, "host and port cannot be read"),
    ({"ATOM": True}, "NEWSEXTRACT_ATOM: True is not a path of a folder"),
    ({"MESSAGES": "s3://bucket/a.jsonl"}, "NEWSEXTRACT_MESSAGES: "),
    ({"MESSAGES": "."}, "NEWSEXTRACT_MESSAGES: '.' is a folder"),
])  # fmt: skip
def test_what_cannot_work_is_said_with_the_name_of_the_setting(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        targets(**settings)


@pytest.mark.parametrize("settings", [
    {"BROKER": "kafka://me:hush@a.example"},
    {"BROKER": "amqp://me:1/hush@a.example//"},
    {"WEBHOOKS": [{"url": HOOK, "secrets": "hush"}]},
    {"WEBHOOKS": '[{"url": "https://a.example", "secret": "hush"'},
])  # fmt: skip
def test_an_error_has_no_secret(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as error:
        targets(**settings)
    assert "hu" not in str(error.value)


@pytest.mark.parametrize("database", [None, ""])
def test_messages_need_a_database(database: str | None) -> None:
    with pytest.raises(BadSetting, match=r"NEWSEXTRACT_ATOM.*NEWSEXTRACT_DATABASE"):
        check({"NEWSEXTRACT_ATOM": "feeds", "NEWSEXTRACT_DATABASE": database})


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
