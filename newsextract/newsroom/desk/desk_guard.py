"""Which requests the desk answers, and what its responses allow a browser to do.

The desk has no password: it listens on loopback, and answers requests whose host is loopback. A page of another site
can make a browser request 127.0.0.1, by a host name that resolves there or by embedding URLs; both are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    Message: TypeAlias = dict[str, Any]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    Application: TypeAlias = Callable[[Message, Callable[[], Awaitable[Message]], Send], Awaitable[None]]

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
    """Return the status and reason with which a request is refused; `None` if it is allowed."""
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
