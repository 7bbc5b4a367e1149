"""A site for its members: a login with a hidden field, sessions that end, and a wall for everybody else."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from tests.scrapy_runs import listing

if TYPE_CHECKING:
    from email.message import Message

WALL = "Become a member to read on"
PATHS = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 22)]


@dataclass(frozen=True)
class Asked:
    """One request, as it arrived."""

    method: str
    path: str
    headers: Message
    body: str


@dataclass
class Rules:
    """What the site does."""

    email: str = "jane.reader@example.com"
    password: str = "correct horse/battery+staple"
    lasts: int = 1000
    """Pages that a session may read."""
    moves: dict[str, str] = field(default_factory=dict)
    """Addresses to which paths redirect."""
    is_bare: bool = False
    """Whether articles have their text only in an AMP version."""
    lost_forms: int = 0
    """Forms after which the connection is closed without an answer, before the others."""
    busy_articles: int = 0
    """Times that an article is refused as busy, before it is shown."""
    rotates: bool = False
    """Whether each article sets another session, and shows the first; the last article is a broken answer."""
    end: str = "wall"
    """What an ended session gets: `wall`, `login` (a redirect to it) or `403`."""


class MembersSite(ThreadingHTTPServer):
    """The site; `log` has every request."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), _Handler)
        self.rules = Rules()
        self.log: list[Asked] = []
        self.left: dict[str, int] = {}
        """The pages that each session may still read."""
        self.issued: list[str] = []
        """All the values that were set as cookies or hidden fields."""
        self.forms: set[str] = set()

    @property
    def name(self) -> str:
        return f"{self.server_address[0]!s}:{self.server_port}"

    @property
    def home(self) -> str:
        return f"http://{self.name}/"

    def issue(self) -> str:
        """Return a new value that nobody can guess."""
        self.issued.append(secrets.token_hex(16))
        return self.issued[-1]

    def asked(self, path: str, method: str = "GET") -> list[Asked]:
        """Return the requests for a path."""
        return [each for each in self.log if (each.path, each.method) == (path, method)]

    def handle_error(self, *_: object) -> None:
        """Keep quiet about clients that leave."""


class _Handler(BaseHTTPRequestHandler):
    server: MembersSite

    def do_GET(self) -> None:
        self._log()
        path, rules = self.path.partition("?")[0], self.server.rules
        if path == "/robots.txt":
            self._answer(200, "User-agent: *\nDisallow: /login\n", kind="text/plain")
        elif path in rules.moves:
            self._answer(302, "", Location=rules.moves[path])
        elif path == "/":
            known = "<a class=logout href=/logout>Log out</a>" if self._left() else ""
            self._answer(200, listing(*PATHS).decode().replace("<body>", f"<body>{known}"))
        elif path == "/login":
            token = self.server.issue()
            self.server.forms.add(token)
            fields = f'<input type=hidden name=csrf value="{token}"><input name=email><input name=password>'
            search = '<form action="/search"><input name=q></form>'
            form = f'{search}<form action="/session" method=post>{fields}<button name=go value=1>Log in</button></form>'
            self._answer(200, f"<html><body>{form}</body></html>", cookie=f"csrf={token}; Path=/; HttpOnly")
        elif path in PATHS and rules.busy_articles:
            rules.busy_articles -= 1
            self._answer(503, "Busy")
        elif path in PATHS and rules.is_bare:
            self._answer(200, f"<html><head><link rel=amphtml href='/amp{path}'></head><body>Soon.</body></html>")
        elif path.removeprefix("/amp") in PATHS:
            self._article(PATHS.index(path.removeprefix("/amp")))
        else:
            self._answer(404, "Not found")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        self._log(body)
        given = {name: values[0] for name, values in parse_qs(body).items()}
        token, rules = given.get("csrf", ""), self.server.rules
        if rules.lost_forms:
            rules.lost_forms -= 1
            return
        is_known = (given.get("email"), given.get("password")) == (rules.email, rules.password)
        if not is_known or token not in self.server.forms or self._cookies().get("csrf") != token:
            self._answer(403, "<html><body>Wrong e-mail or password</body></html>")
            return
        self.server.forms.discard(token)
        session = self.server.issue()
        self.server.left[session] = rules.lasts
        self._answer(302, "", cookie=f"member={session}; Path=/; HttpOnly", Location="/")

    def _article(self, number: int) -> None:
        session, left, cookie = self._cookies().get("member", ""), self._left(), ""
        if left > 0:
            self.server.left[session] = left - 1
            if self.server.rules.rotates and number == len(PATHS) - 1:
                self.wfile.write(f"HTTP/1.1 {next(iter(self.server.left))}\r\n\r\n".encode())
                return
            sentence = f"The mayor of town number {number} opened the bridge that its people had asked for for years."
            text = "".join(f"<p>{sentence} Part {part} of the long story about it follows.</p>" for part in range(8))
            # As data layers do: the page tells scripts who reads it.
            if self.server.rules.rotates:
                text += f"<p>Your session was {next(iter(self.server.left))}, as we tell you here.</p>"
                session = self.server.issue()
                self.server.left[session] = left - 1
                cookie = f"member={session}; Path=/; HttpOnly"
            who = f"<script>var user = {{mail: '{self.server.rules.email}', id: '{session}'}}</script>"
            text += f"<a class=logout href=/logout>Log out {self.server.rules.email}</a>{who}"
        elif self.server.rules.end == "login":
            self._answer(302, "", Location=f"/login?back={self.path}")
            return
        elif self.server.rules.end == "403":
            self._answer(403, "<html><body>Members only</body></html>")
            return
        else:
            sentence = f"The mayor of town number {number} opened a bridge on a day in May, and many people came to it."
            text = "".join(f"<p>{sentence} Part {part} of the story says no more than this.</p>" for part in range(5))
            text += f"<p>{WALL}</p>"
        head = f'<meta property="og:type" content="article"><title>Bridge {number}</title>'
        page = f"<html><head>{head}</head><body><h1>Bridge {number}</h1>{text}</body></html>"
        self._answer(200, page, cookie=cookie)

    def _left(self) -> int:
        return self.server.left.get(self._cookies().get("member", ""), 0)

    def _cookies(self) -> dict[str, str]:
        jar = SimpleCookie(self.headers.get("Cookie", ""))
        return {name: morsel.value for name, morsel in jar.items()}

    def _log(self, body: str = "") -> None:
        self.server.log.append(Asked(self.command, self.path, self.headers, body))

    def _answer(self, status: int, body: str, *, kind: str = "text/html", cookie: str = "", **headers: str) -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        # This server closes after each answer; Twisted takes one that does not say so for open, and loses a form to it.
        self.send_header("Connection", "close")
        if cookie:
            self.send_header("Set-Cookie", cookie)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep quiet: the site's log knows."""
