"""A reader's own subscription to a site: what `sites.yml` says of it, the secrets that it names, and cookie files."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass, field
from enum import StrEnum
from http.cookiejar import Cookie
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


# Secrets by name: from the environment, else from a file that only its owner can read.

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""A secret's name in a text, as in `Bearer ${GAZETTE_TOKEN}`."""

_SETTING = "NEWSEXTRACT_SECRETS"
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")


class SecretError(ValueError):
    """A secret is missing, or its file cannot be used. The message has names only, and no value."""


def names_in(text: str) -> tuple[str, ...]:
    """Return the names of the secrets that a text refers to.

    >>> names_in("Bearer ${TOKEN}"), names_in("$TOKEN")
    (('TOKEN',), ())
    """
    return tuple(REFERENCE.findall(text))


@dataclass(frozen=True)
class Secrets:
    """The values of secrets, which are never shown."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    file: Path | None = None
    from_file: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, file: Path | None) -> Secrets:
        """Return the secrets of the environment and of a file; raises `SecretError` for a file that cannot be used."""
        return cls(file=file, from_file=read_secrets(file) if file is not None else {})

    def has(self, name: str) -> bool:
        """Return whether there is a secret of a name."""
        return bool(self.environment.get(name) or self.from_file.get(name))

    def value(self, name: str) -> str:
        """Return a secret; raises `SecretError` if there is none of that name."""
        found = self.environment.get(name) or self.from_file.get(name)
        if not found:
            where = f"or in {self.file}" if self.file else f"or in a file that {_SETTING} names"
            raise SecretError(f"${{{name}}} is not set; set {name} in the environment, {where}")
        if not found.isprintable():
            raise SecretError(f"${{{name}}} holds a line break or another character that cannot be sent")
        return found

    def filled(self, text: str) -> str:
        """Return a text with secrets in place of their names; raises `SecretError`."""
        return REFERENCE.sub(lambda match: self.value(match[1]), text)


def read_secrets(path: Path) -> dict[str, str]:
    """Return the secrets in a file of `NAME=value` lines; `#` begins a comment line, and quotes are left out.

    Raises:
        SecretError: the file cannot be read, others can read it, or a line is something else.
    """
    secrets = {}
    for number, line in enumerate(read_private(path).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise SecretError(f"{_SETTING}: {path}, line {number}: not a secret; write NAME=value")
        secrets[match[1]] = _unquoted(match[2])
    return secrets


def read_private(path: Path) -> str:
    """Return the text of a file that only its owner can read; raises `SecretError`."""
    try:
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SecretError(f"{path}: others than its owner can read or change it; run chmod 600 {path}")
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise SecretError(f"{path}: no such file") from None
    except OSError as error:
        raise SecretError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        # Without the cause: it holds the bytes.
        raise SecretError(f"{path}: not UTF-8; save the file as UTF-8") from None


def _unquoted(value: str) -> str:
    """Return a value without the quotes around it.

    >>> _unquoted('"a b"'), _unquoted("it's")
    ('a b', "it's")
    """
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


# How a site is read by those who may: headers, cookies and a login, with the names of secrets in place of secrets.


class SignKind(StrEnum):
    """Where a sign is looked for."""

    SELECTOR = "selector"
    """A CSS selector or XPath that finds something on the page."""
    TEXT = "text"
    """A text on the page."""
    COOKIE = "cookie"
    """The name of a cookie that the site has set."""


@dataclass(frozen=True, slots=True)
class Sign:
    """What a page, or a site's cookies, show."""

    kind: SignKind
    value: str


@dataclass(frozen=True, slots=True)
class Login:
    """The form of a site's login."""

    url: str
    fields: Mapping[str, str] = field(hash=False)
    """The fields that are filled in; the others keep what the form has in them."""
    sign: Sign
    """What shows that it worked."""
    form: str | None = None
    """Finds the form, if it is not the first that has all of the fields."""
    hosts: tuple[str, ...] = ()
    """Other hosts that the login may pass, such as that of the publisher's accounts: they may get the fields."""


@dataclass(frozen=True, slots=True)
class Access:
    """What is sent to a site besides usual requests; its texts may hold `${NAME}`, and no secret."""

    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    user_agent: str | None = None
    cookies: str | None = None
    """A reference to the text of a Cookie header, or the path of a file."""
    login: Login | None = None
    paywall: Sign | None = None
    """What a page shows to those who have no subscription."""

    def __bool__(self) -> bool:
        return bool(self.headers or self.user_agent or self.cookies or self.login)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the secrets that are needed, each once."""
        fields = self.login.fields.values() if self.login else ()
        texts = (*self.headers.values(), *fields, self.cookies or "", self.user_agent or "")
        return tuple(dict.fromkeys(name for text in texts for name in names_in(text)))


# Cookies as people export them: Netscape's cookies.txt, JSON of browsers and their extensions, or a header's text.

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
