"""Who crawls, and who died, on every database; what `scrapy health` says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.newsroom.health.node_report import node_line, node_statement
from newsextract.storage.database.connection import open_engine, writing
from newsextract.storage.ledger.crawl_runs import LEASE_SECONDS, Run, begin_run, end_run, heartbeat, sweep
from newsextract.storage.ledger.node_runs import lost_nodes, node_runs
from tests.conftest import own_database

if TYPE_CHECKING:
    from pathlib import Path

    from newsextract.storage.articles.article_store import ArticleStore
    from tests.scrapy_runs import Scrapy

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = NOW + timedelta(seconds=LEASE_SECONDS + 60)


def run_on(host: str, pid: int = 7) -> Run:
    return replace(Run.here("news", "the same sites", {}, f"job-of-{host}"), host=host, pid=pid)


def begun(store: ArticleStore, now: datetime, *runs: Run) -> None:
    with writing(store.engine) as connection:
        for run in runs:
            assert begin_run(connection, run, now, may_overlap=True) is None


def test_tells_who_is_running_who_is_silent_and_who_died(store: ArticleStore) -> None:
    first, second, third = runs = [run_on(f"node-{number}") for number in (1, 2, 3)]
    begun(store, NOW, *runs)
    with writing(store.engine) as connection:
        heartbeat(connection, [(first.id, LATER)])
        end_run(connection, [(third.id, "finished", {}, LATER)])
        found = node_runs(connection, LATER)
        assert [(run.host, run.state(LATER)) for run in found] == [("node-1", "running"), ("node-2", "silent")]
        assert sweep(connection, LATER) == [second.id]
        found = node_runs(connection, LATER)
        assert [(run.host, run.state(LATER)) for run in found] == [("node-1", "running"), ("node-2", "died")]
        (lost,) = lost_nodes(found, LATER)
        assert node_line(lost, LATER) == (
            "node node-2: the crawl of 2026-11-22 12:00 UTC, process 7, died; last heard 3 min ago"
        )
        assert node_statement(lost, LATER)["job"] == "job-of-node-2"
        assert [run.host for run in node_runs(connection, LATER + timedelta(days=2))] == ["node-1"]


def test_a_node_that_crawls_again_is_not_lost(store: ArticleStore) -> None:
    begun(store, NOW, run_on("node-1"))
    begun(store, LATER, run_on("node-1", 8))
    with store.engine.connect() as connection:
        assert [(run.pid, run.state(LATER)) for run in node_runs(connection, LATER)] == [(8, "running")]


def test_the_command_shows_the_nodes_of_a_shared_database(scrapy: Scrapy, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    with own_database("postgresql", tmp_path) as url:
        engine = open_engine(url)
        with writing(engine) as connection:
            begin_run(connection, run_on("node-1"), now, may_overlap=True)
            begin_run(connection, run_on("node-2"), now - timedelta(minutes=9), may_overlap=True)
        engine.dispose()
        run = scrapy(tmp_path, "health", "--nodes", NEWSEXTRACT_DATABASE=url)
        assert run.code == 3
        assert "node-1running" in run.out.replace(" ", "")
        assert "node node-2: the crawl of" in run.out
        assert "shows no sign of life; last heard 9" in run.out
        lines = scrapy(tmp_path, "health", "--nodes", "--json", NEWSEXTRACT_DATABASE=url).out.splitlines()
        assert {told["node"]: told["state"] for told in map(json.loads, lines)} == {
            "node-1": "running",
            "node-2": "silent",
        }
        replica = f"{url}%20-cdefault_transaction_read_only%3Don"
        assert scrapy(tmp_path, "health", "--nodes", "--json", NEWSEXTRACT_DATABASE=replica).out.splitlines() == lines
        assert "none is stored yet" in scrapy(tmp_path, "search", "bridge", NEWSEXTRACT_DATABASE=replica).err
        run = scrapy(tmp_path, "health", NEWSEXTRACT_DATABASE=url)
        assert run.code == 0
        assert "node node-2: the crawl of" in run.out
        run = scrapy(tmp_path, "health", "--nodes", "--site", "a.example", NEWSEXTRACT_DATABASE=url)
        assert (run.code, "leave out --site" in run.err) == (2, True)


def test_no_node_is_a_sentence(scrapy: Scrapy, tmp_path: Path) -> None:
    open_engine(f"sqlite:///{tmp_path}/news.db").dispose()
    run = scrapy(tmp_path, "health", "--nodes", NEWSEXTRACT_DATABASE=f"sqlite:///{tmp_path}/news.db")
    assert (run.code, run.out) == (0, "")
    assert "no crawl is running" in run.err
