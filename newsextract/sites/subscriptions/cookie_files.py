"""Cookies as people export them: Netscape's cookies.txt, JSON of browsers and their extensions, or a header's text."""

from __future__ import annotations

import json
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

from newsextract.sites.subscriptions.secrets import SecretError, read_private

if TYPE_CHECKING:
    from pathlib import Path

_HTTP_ONLY = "#HttpOnly_"
_EXPIRY = ("expires", "expirationDate", "expiry")
_COLUMNS = 7


def read_cookie_file(path: Path) -> list[Cookie]:
    """Return the cookies of a file; raises `SecretError`, which quotes none of them."""
    text = read_private(path)
    try:
        cookies = _of_json(json.loads(text)) if text.lstrip()[:1] in ("[", "{") else _of_netscape(text)
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        # Without the cause: it holds what was read.
        raise SecretError(
            f"{path}: neither Netscape's cookies.txt nor JSON of cookies; export it again from the browser"
        ) from None
    if not cookies:
        raise SecretError(f"{path}: no cookie in it; export it again from the browser")
    return cookies


def cookies_of_header(text: str, host: str) -> list[Cookie]:
    """Return the cookies of a Cookie header's text, for one host and not its subdomains.

    >>> [(each.name, each.value, each.domain) for each in cookies_of_header("a=1; b=x=y", "a.example")]
    [('a', '1', 'a.example'), ('b', 'x=y', 'a.example')]
    """
    pairs = [part.strip().partition("=") for part in text.removeprefix("Cookie:").split(";") if "=" in part]
    return [_cookie(name.strip(), value.strip(), host) for name, _, value in pairs if name.strip()]


def _of_netscape(text: str) -> list[Cookie]:
    found = []
    for line in text.splitlines():
        written = line.removeprefix(_HTTP_ONLY)
        if not written.strip() or (written is line and line.startswith("#")) or written.startswith("#"):
            continue
        columns = written.split("\t")
        if len(columns) != _COLUMNS:
            raise ValueError("a line of cookies.txt has seven columns")
        domain, _, path, secure, expires, name, value = columns
        found.append(_cookie(name, value, domain, path=path, secure=secure == "TRUE", expires=_seconds(expires)))
    return found


def _of_json(found: Any) -> list[Cookie]:
    rows = found["cookies"] if isinstance(found, dict) else found  # a dict: as Playwright stores it
    cookies = []
    for row in rows:
        domain = str(row["domain"])
        if row.get("hostOnly") is True:
            domain = domain.lstrip(".")
        expires = next((_seconds(row[name]) for name in _EXPIRY if row.get(name) is not None), None)
        secure = bool(row.get("secure"))
        cookies.append(
            _cookie(str(row["name"]), str(row["value"]), domain, str(row.get("path") or "/"), secure, expires)
        )
    return cookies


def _seconds(written: Any) -> int | None:
    """Return the time at which a cookie ends; `None` if it ends with the session, which files write as 0 or -1."""
    seconds = int(float(written or 0))
    return seconds if seconds > 0 else None


def _cookie(
    name: str, value: str, domain: str, path: str = "/", secure: bool = False, expires: int | None = None
) -> Cookie:
    if not (name + value).isprintable() or not domain:
        raise ValueError("not a cookie")
    for_subdomains = domain.startswith(".")
    # The jar compares a host without a dot by its name in full.
    domain = domain if "." in domain else f"{domain}.local"
    return Cookie(
        0, name, value, None, False, domain, for_subdomains, for_subdomains, path, True, secure, expires,
        expires is None, None, None, {},
    )  # fmt: skip
