"""What the desk refuses, so that nobody writes, and nobody reads but who sits before it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from newsextract.newsroom.desk.__main__ import main
from newsextract.newsroom.desk.desk_database import DeskError, database_path, open_read_only

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8001", "localhost:8001", "LOCALHOST"])
def test_answers_by_the_names_of_loopback(ask: Callable[..., Any], filled: Path, host: str) -> None:
    assert ask(filled, "/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8001", "127.0.0.1.evil.example", "", "192.168.1.2"])
@pytest.mark.parametrize("address", ["/", "/newsextract.json", "/-/desk/desk.css"])
def test_refuses_any_other_name(ask: Callable[..., Any], filled: Path, host: str, address: str) -> None:
    assert ask(filled, address, headers={"host": host}).status_code == 403


def test_refuses_what_pages_of_other_sites_embed_and_follows_their_links(ask: Callable[..., Any], filled: Path) -> None:
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert ask(filled, "/newsextract.json", headers=foreign).status_code == 403
    assert ask(filled, "/", headers=foreign | {"sec-fetch-mode": "navigate"}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_refuses_every_method_that_may_write(ask: Callable[..., Any], filled: Path, method: str) -> None:
    assert ask(filled, "/newsextract", method).status_code == 405


@pytest.mark.parametrize("address", ["/", "/newsextract", "/newsextract/articles", "/-/desk/desk.js", "/nothing"])
def test_every_answer_has_a_policy(ask: Callable[..., Any], filled: Path, address: str) -> None:
    headers = ask(filled, address).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "statement",
    [
        "attach database '/tmp/other.db' as other",
        "delete from articles",
        "with x as (select 1) insert into runs select * from runs",
        "pragma query_only = 0",
        "select load_extension('x')",
    ],
)
def test_sql_cannot_write_or_reach_another_file(ask: Callable[..., Any], filled: Path, statement: str) -> None:
    answer = ask(filled, f"/newsextract.json?sql={quote(statement)}")
    assert answer.status_code == 400
    assert answer.json()["ok"] is False


def test_sql_that_does_not_end_is_ended(ask: Callable[..., Any], filled: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    answer = ask(filled, f"/newsextract.json?sql={quote(endless)}")
    assert answer.status_code == 400
    assert "time limit" in answer.text


def test_connections_can_neither_write_nor_attach(filled: Path, tmp_path: Path) -> None:
    connection = open_read_only(filled)
    for statement in (f"attach '{tmp_path}/other.db' as other", "delete from articles", "pragma query_only = 0; "):
        if "pragma" in statement:
            connection.execute(statement)
            statement = "delete from articles"  # noqa: PLW2901 - what the pragma was to allow
        with pytest.raises(sqlite3.Error):
            connection.execute(statement)
    connection.close()


def test_the_database_cannot_be_downloaded(ask: Callable[..., Any], filled: Path) -> None:
    assert ask(filled, "/newsextract.db").status_code in (403, 404)


@pytest.mark.parametrize(
    ("database", "advice"),
    [
        ("{folder}/none.db", "make crawl"),
        ("sqlite:///{folder}/none.db", "make crawl"),
        ("postgresql://user:secret@host/news", "datasette reads SQLite: postgresql://user:***@host/news"),
        ("mysql://host/news", "datasette reads SQLite"),
        ("sqlite://", "in memory"),
        ("nonsense://", "datasette reads SQLite"),
        ("{folder}/text.db", "file is not a database"),
        ("{folder}/old.db", "the next crawl brings it up to date"),
    ],
)
def test_says_why_a_database_cannot_be_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], database: str, advice: str
) -> None:
    (tmp_path / "text.db").write_text("no database, " * 100)
    old = sqlite3.connect(tmp_path / "old.db")
    old.execute("create table articles (id)")
    old.close()
    named = database.format(folder=tmp_path)
    with pytest.raises(DeskError) as failure:
        database_path(named)
    assert advice in str(failure.value)
    assert main([named]) == 2
    said = capsys.readouterr().err
    assert advice in said
    assert "secret" not in said


def test_says_that_a_port_is_taken(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        assert main([str(filled), "--port", str(other.getsockname()[1])]) == 2
    assert "cannot serve at port" in capsys.readouterr().err
