"""Who may see the desk: whoever knows its password or its token, and asks for a host that is the desk's.

The password comes with HTTP Basic, from browsers, whatever the user name; the token with Bearer, from programs. Only on
loopback there may be neither.
"""

from __future__ import annotations

import base64
import logging
import re
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import TYPE_CHECKING, Self

from starlette.responses import PlainTextResponse, Response

from newsextract.terminal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from newsextract.sites.subscriptions import Secrets

LOOPBACK = "127.0.0.1"
PASSWORD, TOKEN = "NEWSEXTRACT_DESK_PASSWORD", "NEWSEXTRACT_DESK_TOKEN"
MIN_CHARS = 12
"""Shorter ones are found by trying, however slowly."""
FREE_TRIES = 5
MOST_WAIT_SECONDS = 60
_MOST_CLIENTS = 10_000
"""Addresses whose failed tries are remembered."""
_NAME = re.compile(r"(\*\.)?[\w.-]+")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Access:
    """Where the desk listens, and for whom."""

    host: str = LOOPBACK
    """The address to listen on."""
    names: tuple[str, ...] = ()
    """The hosts that browsers ask for, besides the address and loopback."""
    proxies: tuple[str, ...] = ()
    """Whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed."""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    @classmethod
    def of(cls, host: str, names: Sequence[str], proxies: Sequence[str], secrets: Secrets) -> Self:
        """Return who may see the desk; raises `Refusal` where it would be open to strangers, or to nobody."""
        host = host.strip("[]")  # as in a URL
        known = {name: secrets.value(name) if secrets.has(name) else "" for name in (PASSWORD, TOKEN)}
        where = f"in the environment, or in {secrets.file or 'the file that NEWSEXTRACT_SECRETS names'}"
        for name, secret in known.items():
            if secret and len(secret) < MIN_CHARS:
                raise Refusal(f"{name} has fewer than {MIN_CHARS} characters: take a longer one")
        if not any(known.values()) and (names or not _is_loopback(host)):
            asked = f"a password: set {PASSWORD} {where}; {TOKEN} for programs"
            raise Refusal(f"others than you can reach {names[0] if names else host}, so the desk needs {asked}")
        if wrong := next((name for name in names if not _NAME.fullmatch(name)), None):
            raise Refusal(f"--name {wrong}: write the host alone, such as desk.example.org")
        if wrong := next((proxy for proxy in proxies if not _is_network(proxy)), None):
            raise Refusal(f"--proxy {wrong}: write the proxy's address or network, such as 10.0.0.7")
        if _is_every(host) and not names:
            raise Refusal(f"--host {host} is every address: say what browsers ask for, --name desk.example.org")
        # Without a proxy, what a request says of whom it is from is anybody's claim.
        trusted = tuple(proxies) or ((LOOPBACK, "::1") if names else ())
        return cls(host, tuple(names), trusted, known[PASSWORD], known[TOKEN])

    @property
    def hosts(self) -> list[str]:
        """The hosts in requests that are answered: other names may be a stranger's that lead here."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return [LOOPBACK, "localhost", *([] if _is_every(self.host) else [own]), *self.names]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_every(host: str) -> bool:
    """Tell whether a host is every address of the machine, as 0.0.0.0."""
    try:
        return host.strip("0") == "" or ip_address(host).is_unspecified
    except ValueError:
        return False


def _is_network(written: str) -> bool:
    try:
        return bool(ip_network(written))
    except ValueError:
        return False


class Door:
    """Lets requests in. After `FREE_TRIES` wrong passwords, an address has to wait longer from try to try."""

    def __init__(self, access: Access) -> None:
        secrets = {"basic": access.password, "bearer": access.token}
        self.digests = {scheme: sha256(secret.encode()).digest() for scheme, secret in secrets.items() if secret}
        self.failures: dict[str, tuple[int, float]] = {}
        """The failed tries of each address, and when the next is allowed; the last to fail at the end."""

    def refusal(self, request: Request) -> Response | None:
        """Return the answer to a request that may not pass; `None` for one that may."""
        given = request.headers.get("authorization")
        if not self.digests:
            return None
        if given is None:
            return self._challenge()
        client = _client(request)
        tries, allowed = self.failures.get(client, (0, 0.0))
        if (wait := allowed - monotonic()) > 0:
            # Before a look at the password: else guessing would go on while answers are waited for.
            told = f"Too many wrong passwords from this address: try again in {wait:.0f} seconds.\n"
            return PlainTextResponse(told, 429, {"retry-after": f"{wait:.0f}"})
        self.failures.pop(client, None)
        if self._is_known(given):
            return None
        log.warning("The desk: a wrong password from %s", client)
        wait = min(2.0 ** (tries + 1 - FREE_TRIES), MOST_WAIT_SECONDS) if tries + 1 >= FREE_TRIES else 0.0
        self.failures[client] = tries + 1, monotonic() + wait
        if len(self.failures) > _MOST_CLIENTS:
            del self.failures[next(iter(self.failures))]
        return self._challenge()

    def _is_known(self, given: str) -> bool:
        scheme, _, sent = given.partition(" ")
        scheme = scheme.lower()
        secret = _password(sent) if scheme == "basic" else sent.strip().encode("latin-1")
        # Digests are of one length, so that the time tells nothing of that, either.
        return compare_digest(sha256(secret).digest(), self.digests.get(scheme, b""))

    def _challenge(self) -> Response:
        known = 'Basic realm="newsextract desk", charset="UTF-8"' if "basic" in self.digests else "Bearer"
        return PlainTextResponse("The desk asks for a password.\n", 401, {"www-authenticate": known})


def _password(sent: str) -> bytes:
    """Return the password of Basic's user and password.

    >>> _password("YW55Ym9keTpzZWNyZXQ6eA=="), _password("?")
    (b'secret:x', b'')
    """
    try:
        return base64.b64decode(sent.strip(), validate=True).partition(b":")[2]
    except ValueError:
        return b""


def _client(request: Request) -> str:
    """Return the address of a request; in IPv6 the network, of which one computer has many addresses."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return "an unknown address"
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or f"{address.exploded[:19]}::/64")
    return host
