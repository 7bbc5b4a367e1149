"""A small made-up database with everything that the desk shows, and a desk that answers in the same process."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("datasette", reason="datasette is not installed: pip install 'newsextract[desk]'")

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.newsroom.desk.application import make_desk
from newsextract.storage.articles.article_store import ArticleStore, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOSTILE = "<script>alert('x')</script> & \"quoted\" </title>\u202e\u2028"

BRIDGE = (
    "The town of Tarn opened its new bridge over the river on Monday morning.\n"
    "Four hundred people walked across it before noon. The work had taken three years."
)
ADDED = "A toll will be asked of lorries from March."


def story(site: str, name: str, *, headline: str | None, body: str, **fields: Any) -> Article:
    url = f"https://{site}/{name}"
    seen = fields.pop("seen", "2026-03-02T10:00:00+00:00")
    report = ExtractionReport("auto", 0.9, sources={"headline": "json_ld", "articleBody": "auto"})
    return Article(
        url=url,
        headline=headline,
        articleBody=body,
        articleBodyHtml=fields.pop("html", "".join(f"<p>{line}</p>" for line in body.splitlines())),
        wordCount=len(body.split()),
        metadata=ArticleMetadata(dateDownloaded=seen),
        extraction=fields.pop("extraction", report),
        **fields,
    )


ARTICLES = (
    story(
        "gazette.example", "bridge", headline="Bridge opened in Tarn", body=BRIDGE, inLanguage="en", section="City",
        datePublished="2026-03-02T08:00:00+01:00",
        html=f'<p onclick="x()">{BRIDGE}</p><figure><img src="https://pictures.example/b.png" alt="A bridge"></figure>',
    ),
    story(
        "wire.example", "bridge", headline="Tarn opens bridge", body=f"{BRIDGE} {ADDED}", inLanguage="en",
        datePublished="2026-03-02T09:30:00+01:00", seen="2026-03-02T11:00:00+00:00",
    ),
    story(
        "journal.example", "ete", headline="L’été à l’Élysée", body="Le gouvernement prépare l’été.", inLanguage="fr",
        section="Politique", datePublished="2026-03-01",
    ),
    story("ribao.example", "1", headline="新桥通车", body="市长说新桥将于周一通车。", inLanguage="zh"),
    story("akhbar.example", "1", headline="جسر جديد", body="افتتح الجسر.", inLanguage="ar", datePublished="2026-02-27"),
    story(
        "odd.example", "1", headline=HOSTILE, body=HOSTILE, html=f"<p>kept</p>{HOSTILE}<iframe></iframe>",
        description="", section="<b>", publisher=HOSTILE, datePublished="2026-02-20T10:00:00+00:00",
        extraction=ExtractionReport("auto", 0.1, warnings=["the <date> is odd"]),
    ),
    story("bare.example", "1", headline=None, body="", datePublished="not a date"),
)  # fmt: skip

IDS = {article.url: row_of(article)["id"] for article in ARTICLES}
BRIDGE_ID = IDS["https://gazette.example/bridge"]
COPY_ID = IDS["https://wire.example/bridge"]
ODD_ID = IDS["https://odd.example/1"]

CHANGES = {
    "headline": {"before": "Bridge to open in Tarn", "after": "Bridge opened in Tarn"},
    "body": [{"op": "replace", "before": "Three hundred people came.", "after": "Four hundred people came."}],
    "numbers": [{"before": "300", "after": "400", "context": "around 400 people"}],
}


def fill(path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{path}")
    for article in ARTICLES:
        store.put(article)
    store.close()
    seen = "2026-03-02T12:00:00+00:00"
    stats = {"newsextract/pages": 9, "newsextract/state/article": 7, "newsextract/state/error": 2}
    stats["newsextract/reason/error/http 404"] = 2
    passage = {"field": "body", "start": 12, "text": "opened its new bridge", "marks": [[15, 21]]}
    link = {"similarity": 0.876, "containment": 0.9, "story_id": BRIDGE_ID}
    revision = {"article_id": BRIDGE_ID, "date_seen": seen, "content_hash": ""}
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in EXTRA_TABLES:
            connection.execute(statement)
        add(connection, "revisions", revision | {"number": 0, "date_seen": "2026-03-02T10:00:00+00:00"})
        add(connection, "revisions", revision | {"number": 1, "changes": CHANGES})
        add(connection, "stories", {"id": BRIDGE_ID, "date_first_seen": seen, "day": 20514})
        add(connection, "story_articles", link | {"article_id": BRIDGE_ID, "similarity": 1.0})
        add(connection, "story_articles", link | {"article_id": COPY_ID})
        match = {"article_id": BRIDGE_ID, "rule": "Bridges & roads", "revision": "", "date_matched": seen}
        add(connection, "matches", match | {"passages": [passage]})
        run = {"id": "r", "spider": "news", "command": "c", "host": "h", "pid": 1, "reason": "finished"}
        times = {"date_started": seen, "date_heartbeat": seen, "date_ended": seen}
        add(connection, "runs", run | times | {"arguments": {"sites": "gazette.example"}, "stats": stats})
        visit = {"id": "l", "url": "https://gazette.example/gone", "site": "gazette.example", "role": "candidate"}
        counts = {"depth": 1, "visits": 1, "unchanged": 0, "failures": 1, "date_first_seen": seen}
        add(connection, "ledger", visit | counts | {"state": "error"})
        gone = {
            "id": "g",
            "url": "https://odd.example/1",
            "site": "odd.example",
            "article_id": ODD_ID,
            "role": "candidate",
        }
        add(connection, "ledger", counts | gone | {"state": "error", "reason": "http 410", "date_visited": seen})
        figures = {"run_id": "r", "articles": 0, "pages": 9, "figures": {}, "date": seen}
        add(connection, "site_runs", figures | {"site": "gazette.example", "troubles": "silent"})


EXTRA_TABLES = (
    "create table if not exists matches (article_id, rule, passages, date_matched)",
    "create table if not exists site_runs (run_id, site, date, troubles)",
)


def add(connection: sqlite3.Connection, table: str, values: dict[str, Any]) -> None:
    """Insert a row, with the columns that the table has."""
    there = {row[1] for row in connection.execute(f"pragma table_info({table})")}
    row = {name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in values.items()}
    row = {name: value for name, value in row.items() if name in there}
    holders = ",".join("?" * len(row))
    statement = f"insert into {table} ({','.join(row)}) values ({holders})"  # noqa: S608 - of our own names
    connection.execute(statement, list(row.values()))


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("desk") / "plain.db"
    fill(path)
    return path.rename(path.with_name("a #strange%20 name?.db"))


@pytest.fixture
def ask() -> Iterator[Callable[..., Any]]:
    """Yield a function that requests a page of a database's desk and returns httpx's response."""
    with asyncio.Runner() as runner:

        def answer(path: Path, address: str, method: str = "GET", **options: Any) -> Any:
            desk = make_desk(path)
            response = runner.run(desk.client.request(method, address, **options))
            desk.get_database("newsextract").close()
            return response

        yield answer
