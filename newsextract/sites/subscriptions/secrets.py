"""Secrets by name: from the environment, else from a file that only its owner can read."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""A secret's name in a text, as in `Bearer ${GAZETTE_TOKEN}`."""

MAX_FILE_BYTES = 1024 * 1024
"""A larger file is the wrong one."""

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
        with open(path, "rb", opener=_open_at_once) as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise SecretError(f"{path}: not a file")
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise SecretError(f"{path}: others than its owner can read or change it; run chmod 600 {path}")
            body = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SecretError(f"{path}: no such file") from None
    except OSError as error:
        raise SecretError(f"{path}: cannot be read: {error.strerror}") from error
    if len(body) > MAX_FILE_BYTES:
        raise SecretError(f"{path}: more than the {MAX_FILE_BYTES:,} bytes allowed")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Without the cause: it holds the bytes.
        raise SecretError(f"{path}: not UTF-8; save the file as UTF-8") from None


def _open_at_once(path: str, flags: int) -> int:
    # A FIFO that nobody writes to would be waited for without end.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unquoted(value: str) -> str:
    """Return a value without the quotes around it.

    >>> _unquoted('"a b"'), _unquoted("it's")
    ('a b', "it's")
    """
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
