"""One crawl for several scrapyds: each gets it once, and one that is down keeps it from no other."""

from __future__ import annotations

import base64
import json
import socket
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from newsextract.tools.deployment.scrapyd_nodes import (
    NodeAnswer,
    NodesError,
    SharedCrawl,
    addresses_of,
    clients_of,
    give,
)
from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.scrapy_runs import Scrapy

NOW = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
CRAWL = SharedCrawl("watch", "/srv/sites.yml", {"NEWSEXTRACT_OVERLAP": "True"})
JOB = f"{CRAWL.prefix}20261122T233000"
POSTGRES = "postgresql://reader@db.example/news"


@dataclass
class Node:
    """What stands for a scrapyd: it keeps what it is given, and says so."""

    pending: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    forms: list[list[tuple[str, str]]] = field(default_factory=list)
    login: str = ""
    url: str = ""

    def answer(self, path: str, form: str, login: str) -> tuple[int, object]:
        if login != self.login:
            return 401, {}
        if path == "/listjobs.json":
            states = {"pending": self.pending, "running": self.running}
            return 200, {"status": "ok", **{state: [{"id": job} for job in jobs] for state, jobs in states.items()}}
        self.forms.append(parse_qsl(form))
        self.pending.append(dict(self.forms[-1])["jobid"])
        return 200, {"status": "ok", "jobid": self.pending[-1]}


@contextmanager
def serving(node: Node) -> Iterator[Node]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            login = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
            code, told = node.answer(urlsplit(self.path).path, form, login)
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        node.url = f"http://127.0.0.1:{server.server_port}"
        yield node
        server.shutdown()


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    with ExitStack() as stack:
        yield [stack.enter_context(serving(Node())) for _ in range(3)]


@pytest.fixture
def dead() -> Iterator[str]:
    """The address of a node that is down; the port is taken, so that nobody else answers there."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}"


def test_all_nodes_get_the_whole_list(nodes: list[Node]) -> None:
    answers = give(clients_of([node.url for node in nodes]), CRAWL, NOW)
    assert answers == [NodeAnswer(node.url, given=JOB) for node in nodes]
    for node in nodes:
        (form,) = node.forms
        assert sorted(form) == sorted([
            ("project", "watch"), ("spider", "news"), ("jobid", JOB), ("sites", "/srv/sites.yml"),
            ("setting", "NEWSEXTRACT_OVERLAP=True"),
        ])  # fmt: skip


def test_a_node_that_has_the_crawl_is_not_given_it_twice(nodes: list[Node]) -> None:
    before = f"{CRAWL.prefix}20261122T230000"
    nodes[0].running.append(before)
    nodes[1].pending.append(before)
    nodes[2].running.append("news-of-somebody-else")
    answers = give(clients_of([node.url for node in nodes]), CRAWL, NOW)
    assert [answer.kept for answer in answers] == [f"{before}, running", f"{before}, pending", ""]
    assert [len(node.forms) for node in nodes] == [0, 0, 1]


def test_another_list_of_sites_is_another_crawl() -> None:
    other = SharedCrawl("watch", "/srv/others.yml", {})
    assert not CRAWL.job_id(NOW).startswith(other.prefix)


def test_a_node_that_is_down_keeps_the_crawl_from_no_other(nodes: list[Node], dead: str) -> None:
    answers = give(clients_of([dead, nodes[0].url]), CRAWL, NOW)
    assert "refused" in answers[0].error
    assert str(answers[0]).startswith(f"{dead}: not scheduled: ")
    assert answers[1].given == JOB


def test_names_and_passwords_are_those_of_the_netrc_file(
    nodes: list[Node], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SCRAPYD_USERNAME", "reader")
    monkeypatch.setenv("SCRAPYD_PASSWORD", "of the environment")
    nodes[0].login = "reader:of the environment"
    assert give(clients_of([nodes[0].url]), CRAWL, NOW)[0].given
    file = tmp_path / ".netrc"
    file.write_text("machine 127.0.0.1 login netrc password better\n")
    file.chmod(0o600)
    nodes[1].login = "netrc:better"
    refused, given = give(clients_of([nodes[0].url, nodes[1].url]), CRAWL, NOW)
    assert "wrong user name or password" in refused.error
    assert given.given
    file.write_text("machine\n")
    with pytest.raises(NodesError, match=r"~/\.netrc"):
        clients_of([nodes[0].url])


@pytest.mark.parametrize(
    "text", ["", ",", "localhost:6800", "http://a,b", "http://a,http://a/", "http://[", "http://:1"]
)
def test_what_are_no_addresses_is_refused(text: str) -> None:
    with pytest.raises(NodesError):
        addresses_of(text)


def test_the_command_gives_the_crawl_and_says_what_became_of_it(
    nodes: list[Node], dead: str, scrapy: Scrapy, tmp_path: Path
) -> None:
    (tmp_path / "sites.yml").write_text("sites:\n  - url: https://a.example/\n    schedule: 1h\n")
    urls = [node.url for node in nodes]

    def schedule(*addresses: str, database: str = POSTGRES) -> tuple[int, str, str]:
        named = ("--scrapyd", ",".join(addresses), "--now", "--project", str(PROJECT))
        run = scrapy(tmp_path, "schedule", "sites.yml", *named, NEWSEXTRACT_DATABASE=database, HOME=str(tmp_path))
        return run.code, run.out, run.err

    code, out, err = schedule(*urls)
    assert (code, out.count(": scheduled news-"), err) == (0, 3, "")
    assert all(dict(node.forms[0])["sites"] == str(tmp_path / "sites.yml") for node in nodes)
    code, out, err = schedule(*urls, dead)
    assert (code, out.count(": still has news-")) == (5, 3)
    assert f"{dead}: not scheduled" in err
    assert [len(node.forms) for node in nodes] == [1, 1, 1]
    assert schedule(dead, dead.replace("127.0.0.1", "localhost"))[0] == 1
    code, _, err = schedule(*urls, database="sqlite:///news.db")
    assert code == 2
    assert "NEWSEXTRACT_DATABASE: 3 nodes share their work in one database, and SQLite is a file of one machine" in err
    assert "postgresql://USER@HOST/DATABASE" in err


def test_one_node_needs_no_shared_database(nodes: list[Node], scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites:\n  - url: https://a.example/\n")
    run = scrapy(tmp_path, "schedule", "sites.yml", "--scrapyd", nodes[0].url, "--now", "--project", str(PROJECT))
    assert run.code == 0
    assert "setting" not in dict(nodes[0].forms[0])
