"""Settings and their types: how a value from a project or a command line is converted."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

Values: TypeAlias = "Mapping[str, Any]"
"""The typed values of all settings by name."""


_UNFIT = (TypeError, ValueError, OverflowError, RecursionError, OSError)
"""What Python raises for values of another type, too large, too deeply nested, or not usable as a file name."""

_PASSWORD = re.compile(r"(://[^\s:@/]*:)\S*@")
_QUERY = re.compile(r"(://[^\s?]*\?)[^\s'\"]+")

_MOST_CHARS = 500


class BadSetting(ValueError):  # noqa: N818 - the name says that it is an error
    """A setting that cannot work. The message names it and says what would be right, in one line without passwords."""

    def __init__(self, message: str) -> None:
        told = without_passwords(" ".join(message.split()))
        super().__init__(told if len(told) <= _MOST_CHARS else f"{told[:_MOST_CHARS]} …")


def without_passwords(text: str) -> str:
    """Return a text with the passwords of its URLs hidden, and their queries, which may have some too.

    >>> without_passwords("'postgres://reader:s/e@cret@host/news?password=secret' is no URL")
    "'postgres://reader:***@host/news?***' is no URL"
    """
    return _QUERY.sub(r"\1***", _PASSWORD.sub(r"\1***@", text))


@dataclass(frozen=True)
class ValueType(Generic[T]):
    """A type of values, with a few words for the docs; `read` converts a value, or raises with the right form."""

    words: str
    read: Callable[[Any], T]


@dataclass(frozen=True)
class Setting(Generic[T]):
    """A setting. `None`, or the text `None` from a command line, means its default."""

    name: str
    type: ValueType[T]
    default: Any
    doc: str
    """One line of Markdown."""
    shown: str = ""
    """The default as the docs show it, if not by its `repr`."""
    needs: str = ""
    """Why the setting needs a database if it is set; empty if it needs none."""
    check: Callable[[Any, Values], None] | None = None
    """Raises `ValueError` if the value, which is never `None`, cannot work with the other values."""

    def of(self, settings: Mapping[str, Any]) -> T:
        """Return the typed value in the settings; raises `BadSetting` for a value of another type."""
        value = settings.get(self.name)
        if value is None or (isinstance(value, str) and value == "None"):
            value = self.default
        try:
            return self.type.read(value)
        except _UNFIT as error:
            raise BadSetting(f"{self.name}: {error}") from error

    def verify(self, values: Values) -> None:
        """Raise `BadSetting` if the value cannot work with the others."""
        value = values[self.name]
        if self.needs and value and not values["NEWSEXTRACT_DATABASE"]:
            raise BadSetting(f"{self.name}: it needs NEWSEXTRACT_DATABASE, {self.needs}")
        if self.check is not None and value is not None:
            try:
                self.check(value, values)
            except _UNFIT as error:
                raise BadSetting(f"{self.name}: {error}") from error


def whole(unit: str, example: int, *, least: int = 0) -> ValueType[int]:
    """Return the type of whole numbers from `least` up."""

    def read(value: Any) -> int:
        is_whole = isinstance(value, float) and value.is_integer()  # 2e6
        if isinstance(value, int) and not isinstance(value, bool):
            is_whole = True
        elif isinstance(value, str):
            is_whole = bool(re.fullmatch(r"\d[\d_]*", value.strip()))
        if not is_whole or int(value) < least:
            raise ValueError(f"{value!r} is not a {unit}; try {example}")
        return int(value)

    return ValueType(unit, read)


def number(unit: str, example: int, *, above_zero: bool = False) -> ValueType[float]:
    """Return the type of finite numbers from 0 up, or above 0."""

    def read(value: Any) -> float:
        try:
            found = -1.0 if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            found = -1.0
        if not 0 <= found < inf or (above_zero and not found):
            raise ValueError(f"{value!r} is not a {unit}; try {example}")
        return found

    return ValueType(unit, read)


def optional_path(what: str, example: str) -> ValueType[Path | None]:
    """Return the type of paths; a false value, such as an empty text, is read as `None`."""

    def read(value: Any) -> Path | None:
        if not value:
            return None
        if not isinstance(value, str | os.PathLike) or "://" in str(value):
            raise ValueError(f"{value!r} is not a path of {what}; try {example!r}")
        return Path(value)

    return ValueType(f"path of {what}", read)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not text")  # the value may be secret
    return value


def _switch(value: Any) -> bool:
    words = {"true": True, "false": False, "": False}
    try:
        return words[value.lower()] if isinstance(value, str) and value.lower() in words else bool(int(value))
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is neither True nor False") from None


def _table(value: Any) -> dict[str, Any]:
    try:
        return dict(json.loads(value) if isinstance(value, str) else value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r} is not a JSON object: {error}") from error


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [name.strip() for name in value.split(",") if name.strip()]
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError(f"{value!r} is not a list of names")
    return list(value)


TEXT = ValueType("text", _text)
OPTIONAL_TEXT: ValueType[str | None] = ValueType("text", lambda value: _text(value) if value else None)
SWITCH = ValueType("switch", _switch)
TABLE = ValueType("table", _table)
NAMES = ValueType("list of names", _names)
