"""Messages posted to a server on loopback."""

from __future__ import annotations

import hashlib
import hmac
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from newsextract.newsroom.delivery.messages import KINDS
from newsextract.newsroom.delivery.targets import Away, NotTaken, Refused, Webhook, post_json, url_error
from newsextract.storage.outbox import Letter
from tests.newsroom.delivery.servers import Hook

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def letters(count: int) -> list[Letter]:
    return [Letter(number, f"{number:032x}", "match", f'{{"n":{number},"é":1}}') for number in range(count)]


def bodies(count: int) -> list[bytes]:
    return [found.payload.encode() for found in letters(count)]


def test_each_message_is_posted_as_it_is(hook: Hook) -> None:
    assert Webhook(hook.url, KINDS).deliver(letters(3)) == 3
    assert hook.taken == bodies(3)
    headers = hook.headers[1]
    assert headers["Content-Type"] == "application/json"
    assert (headers["X-Newsextract-Id"], headers["X-Newsextract-Kind"]) == (f"{1:032x}", "match")
    assert "X-Newsextract-Signature" not in headers


def test_a_secret_signs_the_body(hook: Hook) -> None:
    Webhook(hook.url, KINDS, "hush").deliver(letters(1))
    expected = hmac.new(b"hush", hook.taken[0], hashlib.sha256).hexdigest()
    assert hook.headers[0]["X-Newsextract-Signature"] == f"sha256={expected}"


@pytest.mark.parametrize("status", [500, 503, 408, 429])
def test_a_server_that_is_not_well_is_away(status: int, hook: Hook) -> None:
    hook.answers = [status]
    with pytest.raises(Away, match=f"answered {status}") as error:
        Webhook(hook.url, KINDS).deliver(letters(2))
    assert error.value.wait_seconds == (7.0 if status == 429 else None)


@pytest.mark.parametrize("status", [400, 404, 410, 302])
def test_a_server_that_does_not_want_a_message_refuses_it(status: int, hook: Hook) -> None:
    hook.answers = [status]
    with pytest.raises(Refused, match=f"answered {status}"):
        Webhook(hook.url, KINDS).deliver(letters(2))
    assert len(hook.asked) == 1


def test_what_arrived_before_a_failure_is_not_sent_again(hook: Hook) -> None:
    hook.answers = [200, 201, 500]
    assert Webhook(hook.url, KINDS).deliver(letters(5)) == 2
    assert hook.taken == bodies(2)


def test_its_name_keeps_the_secret_of_its_address(hook: Hook) -> None:
    names = {Webhook(url, KINDS).name for url in (hook.url, hook.url, hook.url + "2")}
    assert len(names) == 2
    assert not any("token" in name or "hook?" in name for name in names)


# JSON posts, and the text of their errors.


@pytest.mark.parametrize("url", ["", "example.com/hook", "ftp://example.com/", "https://", "http://a.example:99999/"])
def test_only_web_addresses_are_posted_to(url: str) -> None:
    assert url_error(url)
    with pytest.raises(NotTaken, match="not a usable webhook URL"):
        post_json(url, b"{}")


@pytest.mark.parametrize("url", ["https://me:hush@a.example/", "https://a.example/hush b", "https://a.example/hush\n"])
def test_an_address_that_no_request_can_be_made_of_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(NotTaken, match=r"a user|cannot be read") as error:
        post_json(url, b"{}")
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("url", ["https://example.com/@me/hook", "http://127.0.0.1:8080/hook?token=1"])
def test_other_web_addresses_are_fine(url: str) -> None:
    assert url_error(url) is None


def test_where_nobody_answers_the_error_says_why_and_not_what_is_secret() -> None:
    with pytest.raises(NotTaken, match="refused") as error:
        post_json("http://127.0.0.1:9/hush", b"{}")
    assert error.value.status is None
    assert "hush" not in str(error.value)
