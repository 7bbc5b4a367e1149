"""Who may see the desk: on loopback whoever asks, elsewhere whoever knows its password or token."""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64encode
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed: pip install 'newsextract[desk]'")

import httpx
from starlette.testclient import TestClient

from newsextract.newsroom.desk import access as desk_access
from newsextract.newsroom.desk.access import FREE_TRIES, PASSWORD, TOKEN, Access
from newsextract.newsroom.desk.application import make_desk
from newsextract.sites.subscriptions import Secrets
from newsextract.storage.database import open_database
from newsextract.terminal import Refusal
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.applications import Starlette

NAME, EVERYWHERE = "desk.example.org", "0.0.0.0"  # noqa: S104 - none listens there
SECRET, KEY = "pass:word des Büros", "0123456789abcdef"


def basic(password: str, user: str = "anybody") -> dict[str, str]:
    return {"authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}


@pytest.fixture
def desk(tmp_path: Path) -> Starlette:
    ArticleStore.open(f"sqlite:///{tmp_path}/news.db").close()
    access = Access.of("127.0.0.1", [NAME], [], Secrets({PASSWORD: SECRET, TOKEN: KEY}))
    return make_desk(open_database(str(tmp_path / "news.db")), access)


def test_it_opens_to_the_password_and_to_the_token(desk: Starlette) -> None:
    client = TestClient(desk, base_url=f"http://{NAME}")
    for address in ("/", "/export.csv", "/static/desk.css", "/nowhere"):
        asked = client.get(address)
        assert asked.status_code == 401
        assert asked.headers["www-authenticate"].startswith('Basic realm="newsextract desk"')
        assert "default-src 'none'" in asked.headers["content-security-policy"]
    assert client.get("/", headers=basic(SECRET)).status_code == 200
    assert client.get("/", headers={"authorization": f"bearer {KEY}"}).status_code == 200
    wrong = (basic(KEY), basic(""), {"authorization": f"Bearer {KEY[:-1]}"}, {"authorization": "Basic ?"})
    assert {client.get("/", headers=each).status_code for each in wrong} == {401}
    assert client.get("/", headers=basic(SECRET) | {"host": "evil.example"}).status_code == 400


def test_after_some_wrong_passwords_an_address_has_to_wait(
    desk: Starlette, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr(desk_access, "monotonic", lambda: now)
    client, other = (TestClient(desk, base_url=f"http://{NAME}", client=(ip, 1)) for ip in ("2001:db8::1", "192.0.2.7"))
    neighbour = TestClient(desk, base_url=f"http://{NAME}", client=("2001:db8::2", 1))
    answers = [client.get("/", headers=basic(f"guess {number}")).status_code for number in range(FREE_TRIES + 3)]
    assert answers == [401] * FREE_TRIES + [429] * 3
    assert neighbour.get("/", headers=basic(SECRET)).headers["retry-after"] == "1"
    assert other.get("/", headers=basic(SECRET)).status_code == 200
    now += 1.5
    assert client.get("/", headers=basic("guess")).status_code == 401
    assert client.get("/", headers=basic(SECRET)).headers["retry-after"] == "2"
    now += 2.5
    assert client.get("/", headers=basic(SECRET)).status_code == 200
    assert caplog.messages[0] == "The desk: a wrong password from 2001:0db8:0000:0000::/64"
    assert "guess" not in caplog.text


@pytest.mark.parametrize(("host", "names", "secrets", "told"), [
    (EVERYWHERE, [NAME], {}, f"needs a password: set {PASSWORD} in the environment"),
    ("192.0.2.1", [], {}, f"reach 192.0.2.1, so the desk needs a password: set {PASSWORD}"),
    ("127.0.0.1", [NAME], {}, f"reach {NAME}, so"),
    ("127.0.0.1", [], {PASSWORD: "secret"}, "fewer than 12 characters"),
    (EVERYWHERE, [], {PASSWORD: SECRET}, "say what browsers ask for, --name"),
    ("127.0.0.1", [f"https://{NAME}/"], {PASSWORD: SECRET}, "write the host alone"),
])  # fmt: skip
def test_it_does_not_start_open_to_strangers_or_to_nobody(
    host: str, names: list[str], secrets: dict[str, str], told: str
) -> None:
    with pytest.raises(Refusal, match=told):
        Access.of(host, names, [], Secrets(secrets))


def test_an_address_of_ipv6_may_be_written_as_in_a_url() -> None:
    assert Access.of("[::1]", [], [], Secrets({})).hosts[2:] == ["[::1]"]


def test_behind_a_proxy_it_redirects_to_https(tmp_path: Path) -> None:
    ArticleStore.open(f"sqlite:///{tmp_path}/news.db").close()
    (tmp_path / "secrets.env").touch(0o600)
    (tmp_path / "secrets.env").write_text(f"{PASSWORD}='{SECRET}'")
    command = [sys.executable, "-m", "newsextract", "desk", "news.db", "--name", NAME]
    command += ["-s", "NEWSEXTRACT_SECRETS=secrets.env"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("NEWSEXTRACT_", "SCRAPY_"))
    }
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[4].rstrip(",")
        sent = basic(SECRET) | {"host": NAME, "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7"}
        try:
            assert httpx.get(address).status_code == 401
            assert httpx.get(f"{address}sites/", headers=sent).headers["location"] == f"https://{NAME}/sites"
            assert httpx.get(f"{address}sites", headers=sent).status_code == 200
        finally:
            server.terminate()
