"""The server of the Model Context Protocol, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'newsextract[mcp]'")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from starlette.testclient import TestClient

from newsextract.article import Article
from newsextract.article_parts import Comment
from newsextract.newsroom.desk import questions
from newsextract.newsroom.desk.access import Access
from newsextract.newsroom.desk.application import make_desk
from newsextract.newsroom.desk.mcp_server import make_server
from newsextract.storage.database import open_database
from tests.article_store import ArticleStore
from tests.newsroom.test_desk import ADDED, BRIDGE, BRIDGE_ID, ODD_ID, fill
from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_types import CallToolResult

BRIDGE_URL = "https://gazette.example/bridge"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("asked") / "news.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    fill(store)
    store.close()
    return str(path)


Call = tuple[str, dict[str, Any]]


def asked(database: str, *calls: Call) -> Sequence[dict[str, Any]]:
    async def ask() -> list[CallToolResult]:
        async with Client(make_server(open_database(database))) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    answers = asyncio.run(ask())
    return [answer.structured_content or {"error": answer.content[0].text} for answer in answers]  # type: ignore[union-attr]


def test_it_answers_each_question(database: str) -> None:
    found, article, story, revisions, tried, watched, health, site = asked(
        database,
        ("search", {"query": "bridge NOT toll"}),
        ("article", {"which": BRIDGE_URL}),
        ("story", {"which": BRIDGE_URL}),
        ("revisions", {"which": BRIDGE_ID}),
        ("try_rule", {"query": "bridge OR 新桥", "languages": ["en"]}),
        ("watched", {}),
        ("health", {}),
        ("health", {"site": "gazette.example"}),
    )
    assert [each["url"] for each in found["articles"]] == [BRIDGE_URL]
    assert article["from_page"]["articleBody"] == BRIDGE
    assert article["extraction"]["sources"]["headline"] == "json_ld"
    assert (article["matches"], article["story"]) == (["Bridges & roads"], BRIDGE_ID)
    assert [copy["site"] for copy in story["copies"]] == ["gazette.example", "wire.example"]
    assert story["copies"][1]["from_page"]["excerpt"] == ADDED
    assert revisions["revisions"][0]["from_page"]["headline"] == {
        "before": "Bridge to open in Tarn", "after": "Bridge opened in Tarn",
    }  # fmt: skip
    assert (tried["total"], tried["tried"]) == (2, 7)
    assert watched["articles"][0]["rule"] == "Bridges & roads"
    assert health == {"sites": [], "total": 0}  # seen months ago
    assert len(site["runs"]) == 1


def test_it_keeps_what_websites_wrote_apart_and_whole_texts_in_pieces(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PIECE_CHARS", 50)
    odd, piece, rest = asked(
        database,
        ("article", {"which": ODD_ID}),
        ("article", {"which": BRIDGE_URL}),
        ("article", {"which": BRIDGE_URL, "start": 50}),
    )
    assert "script" not in json.dumps({name: value for name, value in odd.items() if name != "from_page"})
    assert odd["removal"]["reason"] == "http 410"
    first, second = piece["from_page"], rest["from_page"]
    assert first["articleBody"] + second["articleBody"] == BRIDGE[:100]
    assert first["next"] == 50


def test_of_a_long_thread_it_has_the_first_posts(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/news.db")
    said = [Comment("The kettle leaks at its seam. " * 10, f"Reader {number}") for number in range(500)]
    store.put(Article(url=BRIDGE_URL, articleBody="It leaks.", comments=said))
    store.close()
    (thread,) = asked(f"{tmp_path}/news.db", ("article", {"which": BRIDGE_URL}))
    posts = thread["from_page"]["comments"]
    assert posts[0]["author"] == "Reader 0"
    assert questions.PIECE_CHARS * 0.9 < len(json.dumps(posts)) <= questions.PIECE_CHARS * 1.1


@pytest.mark.parametrize(("name", "arguments", "told"), [
    ("search", {"query": "bridge NEAR"}, "expected a word"),
    ("search", {"query": "bridge", "page": 9999}, "less than or equal to 50"),
    ("search", {"query": "bridge", "since": "1' OR 1=1"}, "since: “1' OR 1=1” is not a day"),
    ("search", {"query": "bridge", "until": "9999-99-99"}, "until: “9999-99-99” is not a day"),
    ("search", {"query": "bridge", "sites": ["x.example"]}, "sites: there is no such argument"),
    ("article", {"which": "https://nowhere.example/"}, "no article is stored of"),
    ("article", {"which": "' OR ''='"}, "no article is stored of"),
    ("story", {"which": ODD_ID}, "no copies"),
    ("health", {"site": "nowhere.example"}, "no run has seen"),
    ("try_rule", {"query": "a " * 5000}, "at most 2000 characters"),
])  # fmt: skip
def test_it_tells_what_was_asked_wrongly(database: str, name: str, arguments: dict[str, Any], told: str) -> None:
    (answer,) = asked(database, (name, arguments))
    assert told in answer["error"]
    assert "pydantic" not in answer["error"]


def test_it_is_started_by_a_command_on_standard_streams(database: str, tmp_path: Path) -> None:
    async def ask() -> list[str]:
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "newsextract", "mcp", database], env=environment, cwd=str(tmp_path)
        )
        async with Client(stdio_client(command)) as client:
            return sorted(tool.name for tool in (await client.list_tools()).tools)

    assert asyncio.run(ask()) == ["article", "health", "revisions", "search", "story", "try_rule", "watched"]


def test_the_desk_answers_assistants_and_programs_who_have_the_token(database: str) -> None:
    engine = open_database(database)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    allowed = {"authorization": "Bearer a long token"}
    with TestClient(make_desk(engine, Access(token="a long token")), base_url="http://127.0.0.1:8000") as client:
        for sent in ({}, {"authorization": "Bearer another token"}):
            assert client.post("/mcp", json=call, headers=accept | sent).status_code == 401
            assert client.get("/api/health", headers=sent).status_code == 401
        answer = client.post("/mcp", json=call, headers=accept | allowed)
        assert len(answer.json()["result"]["tools"]) == len(questions.ASKED)
        assert client.get("/mcp", headers=accept | allowed).status_code == 405  # would stay open
        stranger = client.post("/mcp", json=call, headers=accept | allowed | {"host": "attacker.example"})
        assert stranger.status_code == 400
    with TestClient(make_desk(engine), base_url="http://127.0.0.1:8000") as client:
        assert client.post("/mcp", json=call, headers=accept).status_code == 404
        found = client.get("/api/search", params={"query": "bridge"}).json()
        assert found["articles"][0]["url"] in (BRIDGE_URL, "https://wire.example/bridge")
        tried = client.get("/api/try_rule", params={"query": "bridge", "sites": ["gazette.example", "x.example"]})
        assert tried.json()["total"] == 1
        for path, status, told in (
            ("/api/search?query=bridge+NEAR", 400, "expected a word"),
            ("/api/search?query=bridge&page=-1", 400, "page: Input should be greater"),
            ("/api/search?quer=bridge", 400, "query: Field required; quer: there is no"),
            ("/api/article?which=https://nowhere.example/", 404, "no article is stored"),
            ("/api/nowhere", 404, "There is no such page"),
        ):
            wrong = client.get(path)
            assert (wrong.status_code, told in wrong.json()["error"]) == (status, True), wrong.text
        described = client.get("/api/openapi.json").json()
    assert set(described["paths"]) == {f"/api/{name}" for name in questions.ASKED}
    assert described["paths"]["/api/search"]["get"]["parameters"][0]["required"]


def test_programs_are_told_as_json_that_a_question_took_too_long_or_that_the_database_does_not_answer(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.storage.database.PAGE_SECONDS", 0.0)
    copied = str(shutil.copy(database, tmp_path))
    client = TestClient(make_desk(open_database(copied)), base_url="http://127.0.0.1:8000")
    for question in ("search", "try_rule"):
        late = client.get(f"/api/{question}", params={"query": " OR ".join(["bridge"] * 100)})
        assert (late.status_code, "took too long" in late.json()["error"]) == (503, True)
    with sqlite3.connect(copied) as connection:
        connection.execute("ALTER TABLE matches RENAME TO others")
    broken = client.get("/api/watched")
    assert (broken.status_code, "no such table" in broken.json()["error"]) == (500, True)


def test_the_loaders_in_the_docs_load_what_a_search_finds(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stand-ins for the two packages, which are large: the loaders take these three names of them.
    bases = SimpleNamespace(BaseLoader=object, BaseReader=object, Document=SimpleNamespace)
    for name in ("langchain_core", "langchain_core.document_loaders", "langchain_core.documents",
                 "llama_index", "llama_index.core", "llama_index.core.readers.base"):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, bases)
    page = (PROJECT / "docs" / "how-to" / "assistants.md").read_text("utf-8")
    made: dict[str, Any] = {}
    exec(page.split("```python\n")[1].split("```")[0], made)  # noqa: S102 - our own page
    found = [*made["NewsLoader"](f"sqlite:///{database}", "bridge").lazy_load()]
    assert (BRIDGE_ID, BRIDGE_URL) in [(each.id, each.metadata["url"]) for each in found]
    assert all(each.page_content for each in found)
    assert {each.id_ for each in made["NewsReader"]().lazy_load_data(f"sqlite:///{database}")} > {BRIDGE_ID}
