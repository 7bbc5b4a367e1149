"""Reads a YAML file of tables that pydantic checks. Every error names the file, the line and the field."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from newsextract.sites.site_list.yaml_tree import YamlError, read_yaml

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable

    from pydantic_core import ErrorDetails

    from newsextract.sites.site_list.yaml_tree import Path

MAX_ERRORS = 10
"""Errors listed; the rest are only counted."""

MAX_FIELD_CHARS = 60
"""Characters shown of a field's name."""

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
"""How tables are checked: an unknown field is an error, and text is not a number."""

_T = TypeVar("_T", bound=BaseModel)


class YamlFile:
    """One file being read, with the errors found in it."""

    error: ClassVar[type[ValueError]]
    """Raised for a file that is wrong."""
    max_bytes: ClassVar[int]
    size_hint: ClassVar[str] = ""
    """What to do with a larger file, after a semicolon."""

    def __init__(self, path: pathlib.Path) -> None:
        self.file = str(path)
        self.errors: list[tuple[int, str]] = []
        """The messages found so far, each with its line."""
        self.text = self._read(path)
        try:
            self.document = read_yaml(self.text)
        except YamlError as error:
            place = "".join(f", {name} {n}" for name, n in (("line", error.line), ("column", error.column)) if n)
            raise self.error(f"{path}{place}: {error}") from error

    def explain(self, detail: ErrorDetails, kind: type[BaseModel]) -> str:
        """Return what is wrong with a value and what would be right, from pydantic's error."""
        raise NotImplementedError

    def raise_errors(self) -> None:
        """Raise the first errors that were noted, in the order of their lines, if there are any."""
        more = len(self.errors) - MAX_ERRORS
        first = [text for _, text in sorted(self.errors, key=lambda error: error[0])[:MAX_ERRORS]]
        if first:
            raise self.error("\n".join([*first, *([f"and {more} more"] if more > 0 else [])]))

    def checked(self, kind: type[_T], value: Any, path: Path) -> _T | None:
        """Return a value as a table; note what is wrong with it, and return `None`, if it is not one."""
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self.note((*path, *detail["loc"]), self.explain(detail, kind))
            return None

    def note(self, path: Path, message: str) -> None:
        """Note what is wrong with the value at a path."""
        known = path
        while known not in self.document.lines:
            known = known[:-1]
        line = self.document.line(path)
        # A field that is missing in a table has a name even so; a value that could be a list or a table has none.
        is_missing = path != known and isinstance(path[len(known)], str) and isinstance(self._value(known), dict)
        self.errors.append((line, f"{self.file}, line {line}{field_name(path if is_missing else known)}: {message}"))

    def _value(self, path: Path) -> Any:
        value = self.document.value
        for step in path:
            value = value[step]
        return value

    def _read(self, path: pathlib.Path) -> str:
        try:
            with path.open("rb") as file:
                body = file.read(self.max_bytes + 1)
        except FileNotFoundError:
            raise self.error(f"{path}: no such file") from None
        except OSError as error:
            raise self.error(f"{path}: cannot be read: {error.strerror}") from error
        if len(body) > self.max_bytes:
            raise self.error(f"{path}: more than the {self.max_bytes:,} bytes allowed{self.size_hint}")
        try:
            text = body.decode("utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
        except UnicodeDecodeError as error:
            line = body.count(b"\n", 0, error.start) + 1
            raise self.error(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
        return text.replace("\r\n", "\n").replace("\r", "\n")


def field_name(path: Path) -> str:
    """Return a path as people write it, after a comma; an empty string for the file as a whole.

    >>> field_name(("sites", 3, "limits", "articles")), field_name(())
    (', sites[3].limits.articles', '')
    """
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{_short(step)}" for step in path)
    return f", {steps.removeprefix('.')}" if steps else ""


def _short(name: str) -> str:
    return " ".join(name.split())[:MAX_FIELD_CHARS]


def unknown_field(name: str | int, known: Iterable[str]) -> str:
    """Return the message for a field that a table does not have.

    >>> unknown_field("feed", ("feeds", "name")), unknown_field("x", ("feeds", "name"))
    ('unknown field; did you mean feeds?', 'unknown field; there are feeds, name')
    """
    names = list(known)
    near = get_close_matches(str(name), names, n=1)
    return f"unknown field; did you mean {near[0]}?" if near else f"unknown field; there are {', '.join(names)}"
