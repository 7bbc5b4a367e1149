"""Which requests the desk answers, and what its responses allow a browser to do.

The desk has no password: it listens on loopback, and answers requests whose host is loopback. A page of another site
can make a browser request 127.0.0.1, by a host name that resolves there, by embedding URLs, or by a link, a form or a
script that opens them. All are refused, but for links to our own pages: a stranger's SQL is not executed. Browsers
say where a request comes from in `Sec-Fetch-Site`, and old ones in `Origin` and `Referer`, if the page lets them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    Message: TypeAlias = dict[str, Any]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    Application: TypeAlias = Callable[[Message, Callable[[], Awaitable[Message]], Send], Awaitable[None]]

OWN_PAGES = re.compile(r"/(article/\w+|story/\w+|matches|stories|sites|runs)?")
"""What other sites may link to: the pages that take no SQL."""

HOSTS = frozenset({"127.0.0.1", "localhost"})
"""The host names that a request may use."""

OWN_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'{pictures}; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""For our pages: nothing from other hosts, no inline script. `pictures` allows those that a reader asked for."""

_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""For datasette's pages, which have inline scripts and styles."""

_HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """An ASGI application around datasette's."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = {name.decode().lower(): value for name, value in scope["headers"]}
        refused = _refusal(scope["method"], scope["path"], headers)
        if refused is not None:
            await _refuse(send, *refused)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": _guarded(message.get("headers", []))}
            await send(message)

        await self._application(scope, receive, send_guarded)


def _refusal(method: str, path: str, headers: Mapping[str, bytes]) -> tuple[int, str] | None:
    """Return the status and reason with which a request is refused; `None` if it is allowed."""
    host = headers.get("host", b"").decode("latin-1").lower()
    if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
        return 403, "the desk answers at 127.0.0.1 and localhost alone"
    if method not in ("GET", "HEAD"):
        return 405, "the desk is read only"
    if not _is_foreign(host, headers):
        return None
    if headers.get("sec-fetch-mode", b"navigate") != b"navigate" or headers.get("sec-fetch-dest") in _EMBEDDED:
        return 403, "pages of other sites cannot read the desk"
    if not OWN_PAGES.fullmatch(path):
        return 403, "another site's page has linked to this; to open it all the same, copy its address"
    return None


_EMBEDDED = (b"iframe", b"frame", b"embed", b"object")


def _is_foreign(host: str, headers: Mapping[str, bytes]) -> bool:
    """Return whether a page of another site makes the request, as far as the browser says so."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in (b"none", b"same-origin")
    senders = [headers[name].decode("latin-1").lower() for name in ("origin", "referer") if headers.get(name)]
    return any(sender != f"http://{host}" and not sender.startswith(f"http://{host}/") for sender in senders)


def _guarded(headers: list[Any]) -> list[Any]:
    stated = {bytes(name).lower() for name, _ in headers}
    added = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in stated]
    return [*headers, *added]


async def _refuse(send: Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"allow", b"GET, HEAD")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
