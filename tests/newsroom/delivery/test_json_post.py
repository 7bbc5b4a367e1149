"""JSON posts, and the text of their errors."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from newsextract.newsroom.delivery.targets import NotTaken, post_json, url_error


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


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    asked: list[str] = []

    class Redirecting(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def do_GET(self) -> None:
            asked.append(self.path)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

    with HTTPServer(("127.0.0.1", 0), Redirecting) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with pytest.raises(NotTaken, match=f"answered {status}"):
            post_json(f"http://127.0.0.1:{server.server_port}/hook", b"{}")
        server.shutdown()
    assert asked == ["/hook"]
