"""A web of two machines: one that may be visited, and one behind the firewall that counts who comes."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

APPS = Path(__file__).with_name("apps")

SENTENCE = "The mayor has opened bridge number {} after many years of waiting, and the town was there to see it."
STORY = {
    "headline": "A bridge for the town",
    "date": "2026-05-20",
    "paragraphs": [" ".join(SENTENCE.format(3 * part + each) for each in range(3)) for part in range(5)],
}


class Web(ThreadingHTTPServer):
    """Serves pages by path: HTML, or `(content type, body)`, or the address of a redirect; notes every request."""

    daemon_threads = True

    def __init__(self, host: str, pages: Mapping[str, str | tuple[str, str]], port: int = 0) -> None:
        super().__init__((host, port), _Handler)
        self.pages = dict(pages)
        self.seen: list[str] = []
        self.cookies: dict[str, str] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def home(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        self.server.cookies[self.path] = self.headers.get("Cookie", "")
        page = self.server.pages.get(self.path, self.server.pages.get("*"))
        if self.path == "/never":
            time.sleep(30)
        if page is None:
            self.send_error(404)
        elif isinstance(page, str) and page.startswith("http"):
            self.send_response(302)
            self.send_header("Location", page)
            self.end_headers()
        else:
            kind, body = ("text/html; charset=utf-8", page) if isinstance(page, str) else page
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    do_POST = do_GET  # noqa: N815 - beacons

    def log_message(self, *_: object) -> None:
        pass


def shell(app: str, root: str) -> str:
    """Return a page that shows nothing until its app has run."""
    return f'<!DOCTYPE html><title>News</title><div id="{root}"></div><script src="/{app}.js"></script>'


def app_pages() -> dict[str, str | tuple[str, str]]:
    """Return the pages of the apps, and the data that they ask for."""
    scripts = {f"/{app}.js": ("text/javascript", (APPS / f"{app}.js").read_text()) for app in ("preact", "vue")}
    data = {"/api/story": ("application/json", json.dumps(STORY))}
    return {"/preact": shell("preact", "root"), "/vue": shell("vue", "app"), **scripts, **data}
