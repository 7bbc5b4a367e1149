"""What the desk refuses, so that nobody can write, and only the local user can read."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from newsextract.newsroom.desk.__main__ import main
from newsextract.newsroom.desk.desk_database import DeskError, database_path, open_read_only
from tests.newsroom.desk.conftest import BRIDGE_ID

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8001", "localhost:8001", "LOCALHOST"])
def test_answers_by_the_names_of_loopback(ask: Callable[..., Any], filled: Path, host: str) -> None:
    assert ask(filled, "/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8001", "127.0.0.1.evil.example", "", "192.168.1.2"])
@pytest.mark.parametrize("address", ["/", "/newsextract.json", "/-/desk/desk.css"])
def test_refuses_any_other_name(ask: Callable[..., Any], filled: Path, host: str, address: str) -> None:
    assert ask(filled, address, headers={"host": host}).status_code == 403


FOREIGN = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
SQL = (
    "/newsextract?sql=select+1", "/newsextract.json?sql=select+1", "/newsextract.csv?sql=select+1",
    "/newsextract/articles?_where=1", "/newsextract/articles.json?_search=bridge", "/newsextract/words_by_site",
    "/newsextract", "/newsextract/-/query?sql=select+1", "//newsextract?sql=select+1", "/-/databases.json",
    "/%6eewsextract?sql=select+1", "/export.csv", "/export.jsonl?q=bridge", f"/article/{BRIDGE_ID}.json",
)  # fmt: skip
"""Addresses that execute SQL, what else is datasette's, and downloads."""


@pytest.mark.parametrize(
    "address", ["/", "/?q=bridge", "/matches", "/stories", "/sites", "/runs", f"/article/{BRIDGE_ID}"]
)
def test_follows_links_of_other_sites_to_its_own_pages(ask: Callable[..., Any], filled: Path, address: str) -> None:
    assert ask(filled, address, headers=FOREIGN).status_code == 200
    for other in ({"sec-fetch-mode": "no-cors"}, {"sec-fetch-mode": "cors"}, {"sec-fetch-dest": "iframe"}):
        assert ask(filled, address, headers=FOREIGN | other).status_code == 403


@pytest.mark.parametrize("address", SQL)
@pytest.mark.parametrize(
    "headers",
    [
        FOREIGN,
        FOREIGN | {"sec-fetch-site": "same-site", "referer": "http://localhost:3000/"},
        FOREIGN | {"sec-fetch-user": "?1"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"referer": "https://evil.example/page"},
        {"referer": "http://127.0.0.1:8001.evil.example/"},
        {"referer": "http://127.0.0.1:3000/"},
    ],
)
def test_executes_no_sql_that_a_page_of_another_site_sends(
    ask: Callable[..., Any], filled: Path, address: str, headers: dict[str, str]
) -> None:
    answer = ask(filled, address, headers={"host": "127.0.0.1:8001"} | headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "origin": "http://127.0.0.1:8001"},
        {"referer": "http://127.0.0.1:8001/newsextract"},
    ],
)
def test_executes_sql_that_is_typed_bookmarked_or_its_own(
    ask: Callable[..., Any], filled: Path, headers: dict[str, str]
) -> None:
    address = "/newsextract.json?sql=select+1"
    assert ask(filled, address, headers={"host": "127.0.0.1:8001"} | headers).status_code == 200


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


def test_an_answer_that_is_too_large_is_an_error(ask: Callable[..., Any], filled: Path) -> None:
    rows = (
        "with recursive n(i) as (select 1 union all select i + 1 from n limit 100) select hex(zeroblob(500000)) from n"
    )
    for statement, reason in ((rows, "this needs more than"), ("select randomblob(100000000)", "too big")):
        answer = ask(filled, f"/newsextract.json?sql={quote(statement)}")
        assert answer.status_code == 400
        assert reason in answer.json()["error"]
    assert ask(filled, f"/newsextract.json?sql={quote(rows.replace('100', '10'))}").status_code == 200


_NUMBERS = "with recursive n(i) as (select 1 union all select i + 1 from n limit 5000)"
HOGS = (
    "select randomblob(1000000000)",
    f"{_NUMBERS} select json_group_array(hex(zeroblob(100000))) from n",  # noqa: S608 - that is what it is about
    "select " + ", ".join(["randomblob(30000000)"] * 20),
)
"""What asks for gigabytes."""
MOST_MEGABYTES = 700


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process's memory")
def test_sql_cannot_use_all_memory(filled: Path) -> None:
    command = [sys.executable, "-m", "newsextract.newsroom.desk", str(filled)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        told = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert told is not None
        with ThreadPoolExecutor(len(HOGS)) as pool:
            codes = list(pool.map(lambda sql: status_of(f"{told[0]}/newsextract.json?sql={quote(sql)}"), HOGS))
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.pid}/status").read_text())
        server.send_signal(signal.SIGINT)
    assert codes == [400] * len(HOGS)
    assert peak is not None
    assert int(peak[1]) < MOST_MEGABYTES * 1024


def status_of(address: str) -> int:
    try:
        with urlopen(address, timeout=100) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


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
        ("sqlite://", "in memory"),
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


@pytest.mark.parametrize(
    ("database", "advice"),
    [
        (
            "postgresql://user:secret@127.0.0.1:9/news",
            "cannot open the database postgresql://user:***@127.0.0.1:9/news",
        ),
        ("mysql://127.0.0.1:9/news", "cannot open the database mysql://127.0.0.1:9/news"),
        ("nonsense://", "is not a database URL"),
    ],
)
def test_says_why_a_server_cannot_be_read(capsys: pytest.CaptureFixture[str], database: str, advice: str) -> None:
    assert main([database]) == 2
    said = capsys.readouterr().err
    assert advice in said
    assert "secret" not in said


def test_says_that_a_port_is_taken(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as other:
        assert main([str(filled), "--port", str(other.getsockname()[1])]) == 2
    assert "cannot serve at port" in capsys.readouterr().err
