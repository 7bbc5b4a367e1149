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
from newsextract.desk.application import make_desk
from newsextract.storage.articles import ArticleStore
from newsextract.storage.rows import row_of

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
    "numbers": [{"before": "300", "after": "400"}],
}


def fill(path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{path}")
    for article in ARTICLES:
        store.put(article)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "insert into revisions (article_id, date_seen, content_hash, changes) values (?, ?, '', ?)",
            [BRIDGE_ID, "2026-03-02T12:00:00+00:00", json.dumps(CHANGES)],
        )
        connection.execute("insert into clusters (id, date_first_seen) values (?, '2026-03-02')", [BRIDGE_ID])
        copies = [(BRIDGE_ID, BRIDGE_ID, 1.0), (COPY_ID, BRIDGE_ID, 0.876)]
        connection.executemany(
            "insert into cluster_articles (article_id, cluster_id, similarity) values (?,?,?)", copies
        )
        connection.execute("create table if not exists matches (article_id, rule, passages, date_matched)")
        passages = json.dumps(["opened its new bridge"])
        connection.execute("insert into matches values (?, 'Bridges & roads', ?, '2026-03-02')", [BRIDGE_ID, passages])
        stats = json.dumps({"newsextract/pages": 9, "newsextract/state/article": 7, "newsextract/state/error": 2})
        connection.execute(
            "insert into runs (id, spider, command, arguments, host, pid, date_started, date_heartbeat, reason, stats) "
            "values ('r', 'news', 'c', '{\"sites\": \"gazette.example\"}', 'h', 1, ?, ?, 'finished', ?)",
            ["2026-03-02T10:00:00+00:00", "2026-03-02T10:05:00+00:00", stats],
        )
        connection.execute(
            "insert into ledger (id, url, site, role, depth, state, date_first_seen, visits, unchanged, failures) "
            "values ('l', 'https://gazette.example/gone', 'gazette.example', 'candidate', 1, 'error', '', 1, 0, 1)"
        )


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("desk") / "plain.db"
    fill(path)
    return path.rename(path.with_name("a #strange%20 name?.db"))


@pytest.fixture
def ask() -> Iterator[Callable[..., Any]]:
    """Give a function that asks the desk of a database, and returns httpx's response."""
    with asyncio.Runner() as runner:

        def answer(path: Path, address: str, method: str = "GET", **options: Any) -> Any:
            desk = make_desk(path)
            response = runner.run(desk.client.request(method, address, **options))
            desk.get_database("newsextract").close()
            return response

        yield answer
