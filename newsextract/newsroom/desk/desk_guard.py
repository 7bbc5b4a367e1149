"""Who may ask the desk, and what its answers allow a browser to do.

The desk has no password: it answers on loopback, to requests that name loopback. A page of another site can make a
browser ask 127.0.0.1, by a name of its own that points there, or by embedding addresses; both are refused here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    Message: TypeAlias = dict[str, Any]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    Application: TypeAlias = Callable[[Message, Callable[[], Awaitable[Message]], Send], Awaitable[None]]

HOSTS = frozenset({"127.0.0.1", "localhost"})
"""The names that a request may have for us."""

OWN_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'{pictures}; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Of our pages: nothing from elsewhere, and no script in the page. `pictures` is for those that a reader asked for."""

_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Of datasette's pages, whose scripts and styles are in the page."""

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
        refused = _refusal(scope["method"], {name.decode().lower(): value for name, value in scope["headers"]})
        if refused is not None:
            await _refuse(send, *refused)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = message | {"headers": _guarded(message.get("headers", []))}
            await send(message)

        await self._application(scope, receive, send_guarded)


def _refusal(method: str, headers: Mapping[str, bytes]) -> tuple[int, str] | None:
    """Return the status and the reason for which a request is refused, if it is."""
    host = headers.get("host", b"").decode("latin-1").lower()
    if host.rpartition(":")[0] not in HOSTS and host not in HOSTS:
        return 403, "the desk answers at 127.0.0.1 and localhost alone"
    if method not in ("GET", "HEAD"):
        return 405, "the desk is read only"
    is_foreign = headers.get("sec-fetch-site") in (b"cross-site", b"same-site")
    if is_foreign and headers.get("sec-fetch-mode") != b"navigate":
        return 403, "pages of other sites cannot read the desk"
    return None


def _guarded(headers: list[Any]) -> list[Any]:
    stated = {bytes(name).lower() for name, _ in headers}
    added = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in stated]
    return [*headers, *added]


async def _refuse(send: Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"allow", b"GET, HEAD")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})
