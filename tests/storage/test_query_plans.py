"""What a crawl, a search and the desk ask of a large database is found by an index."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event

pytest.importorskip("starlette", reason="wants the extra `desk`")

from starlette.testclient import TestClient

from newsextract.newsroom.desk.application import make_desk
from newsextract.storage.database import open_database, open_engine, writing
from newsextract.storage.ledger import Admission, Claim, Finding, Pending, Role, admit, claim, pending, prune_daily
from newsextract.storage.run_lock import Run, begin_run
from newsextract.storage.search.article_search import search
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SITE = "a.example"


def crawl(engine: Engine) -> None:
    run = Run.here("news", "plans", {})
    found = (Finding("https://a.example/1", SITE, Role.ARTICLE, "sitemap"),)
    with writing(engine) as connection:
        begin_run(connection, [(run, NOW)])
        admit(connection, [Admission(found, NOW)])
        ((due,),) = pending(connection, [Pending(SITE, NOW, 9)])
        claim(connection, [Claim(run.id, (due.id,), NOW)])
        prune_daily(connection, [NOW])


def test_no_statement_reads_a_whole_table_of_articles_or_of_the_ledger(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    asked: list[str] = []
    ArticleStore.open(url).close()
    engine = open_database(url)
    for each in (engine, written := open_engine(url)):
        event.listen(each, "connect", lambda connection, _: connection.set_trace_callback(asked.append))
        each.dispose()  # of the connections that were there before
    crawl(written)
    written.dispose()
    for query in ("bridge", '"new bridge"', "bri*", "bridge NOT river", "headline:bridge site:a.example"):
        search(engine, query)
    client = TestClient(make_desk(engine), base_url="http://127.0.0.1")
    for path in ("/", "/?order=seen", "/?site=a.example", "/?language=fr", "/?section=Sport", "/?q=bridge"):
        assert client.get(path).status_code == 200
    statements = [each for each in asked if re.match(r"\s*(select|update|delete|with|insert)\b", each, re.IGNORECASE)]
    assert len(statements) > 20
    with sqlite3.connect(f"{tmp_path}/a.db") as plans:
        for statement in statements:
            lines = [row[3] for row in plans.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert not [line for line in lines if re.fullmatch(r"SCAN (articles|ledger)", line)], statement
