"""What a site says about use, over two crawls, and what is left out of exports and deliveries for it."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from newsextract import cli
from tests.scrapy_runs import Reply, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinySite, TinyWeb

OPEN, CLOSED, TAGGED, MINED = (f"/2026/05/{day}/the-mayor-opens-a-new-bridge.html" for day in (20, 21, 22, 23))
ROBOTS = b"User-agent: *\nDisallow: /search\nContent-Signal: search=yes\n\nUser-agent: GPTBot\nDisallow: /2026/05/21/"
FREE = b"User-agent: *\nDisallow: /search\n"
QUIET = ("-s", "NEWSEXTRACT_WORKERS=0", "-s", "NEWSEXTRACT_MESSAGES=output/all.jsonl")
AGAIN = (
    "update ledger set next_visit = '2020-01-01T00:00:00+00:00', date_visited = '2026-05-20T00:00:09+00:00'",
    "update articles set date_downloaded = '2026-05-20T00:00:00+00:00'",
    "update rights set date_first_seen = '2026-05-20T00:00:00+00:00', date_last_seen = '2026-05-20T00:00:00+00:00'",
)


def routes(robots: bytes, **headers: str) -> dict[str, Any]:
    tdmrep = json.dumps([{"location": "/2026/05/23/", "tdm-reservation": 1}]).encode()
    return {
        "/robots.txt": Reply(robots),
        **({"/.well-known/tdmrep.json": Reply(tdmrep)} if robots == ROBOTS else {}),
        "/": html(listing(OPEN, CLOSED, TAGGED, MINED)),
        TAGGED: html(story(3), **headers),
        **{path: html(story(number)) for number, path in ((1, OPEN), (2, CLOSED), (4, MINED))},
    }


def history(folder: Path, address: str) -> list[tuple[str, str, bool]]:
    """Return what was said at addresses that end so, by source, and whether the last crawl still heard it."""
    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        query = "select source, statement, date_last_seen > '2026-05-21' from rights where address like ? order by 1, 3"
        return [(source, said, bool(is_new)) for source, said, is_new in database.execute(query, [f"%{address}"])]


def exported(folder: Path, *arguments: str) -> set[str]:
    database, target = str(folder / "output" / "newsextract.db"), folder / "articles.jsonl"
    assert cli.main(["export", database, "-o", str(target), "--overwrite", *arguments]) == 0
    return {"/" + json.loads(line)["url"].split("/", 3)[3] for line in target.read_text("utf-8").splitlines()}


@pytest.fixture(scope="module")
def crawled(crawl: Scrapy, tiny_web: TinyWeb, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TinySite]:
    web = tiny_web(routes(ROBOTS, X_Robots_Tag="noai"))
    folder = tmp_path_factory.mktemp("rights")
    only = ("-s", "NEWSEXTRACT_DELIVERY_RIGHTS=train-ai")
    run = crawl(folder, web.home, *QUIET, *only)
    assert run.states["article"] == 4
    assert [count for name, count in run.stats.items() if name.endswith("/left_out/noai in header")] == [1]
    return folder, web


def test_what_is_reserved_is_left_out_and_counted(
    crawled: tuple[Path, TinySite], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, web = crawled
    assert exported(folder) == exported(folder, "--rights", "search") == {OPEN, CLOSED, TAGGED, MINED}
    capsys.readouterr()
    assert exported(folder, "--rights", "train-ai") == {OPEN}
    told = capsys.readouterr().err
    assert "3 left out, where train-ai is reserved" in told
    for reason in ("AI crawlers disallowed in robots.txt", "noai in header", "tdm-reservation: 1 in tdmrep.json"):
        assert f"1 by {reason}" in told
    delivered = [json.loads(line) for line in (folder / "output" / "all.jsonl").read_text("utf-8").splitlines()]
    assert [message["article"]["url"] for message in delivered] == [f"{web.home[:-1]}{OPEN}"]
    assert web.log.count("/robots.txt") == 1


def test_the_ledger_knows_what_was_said_when(crawled: tuple[Path, TinySite], crawl: Scrapy) -> None:
    folder, web = crawled
    kept = "user-agent: *\ncontent-signal: search=yes\n\nuser-agent: gptbot\ndisallow: /2026/05/21/"
    file = '{"location": "/2026/05/23/", "tdm-reservation": "1"}'
    site = [("robots.txt", kept), ("tdmrep.json", file)]
    assert history(folder, web.name) == [(*each, True) for each in site]
    assert history(folder, TAGGED) == [("header", "x-robots-tag: noai", True)]
    assert history(folder, CLOSED) == []

    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        for statement in AGAIN:
            database.execute(statement)
    web.routes = routes(FREE)
    crawl(folder, web.home, *QUIET)
    # The texts are the same, and no article is new: their rights are, all the same.
    assert exported(folder, "--rights", "train-ai") == {OPEN, CLOSED, TAGGED, MINED}
    both = [(*each, False) for each in site] + [(name, "", True) for name, _ in site]
    assert history(folder, web.name) == sorted(both, key=lambda row: (row[0], row[2]))
    assert history(folder, TAGGED) == [("header", "x-robots-tag: noai", False), ("header", "", True)]
