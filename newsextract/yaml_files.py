"""Reads YAML files of tables that pydantic checks. Every error names the file, the line, the column and the field.

YAML 1.2, so bare `no` and `1:30` stay text; dates do, too. A repeated key is an error; `<<` and aliases work.
"""

from __future__ import annotations

import io
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarbool import ScalarBoolean

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Sequence

    from pydantic_core import ErrorDetails

MAX_ERRORS = 10
"""Errors listed; the rest are only counted."""

_MAX_FIELD_CHARS = 60
_WHOLE_LINE = 1 << 20

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
"""How tables are checked: an unknown field is an error, and text is not a number."""

Path: TypeAlias = tuple[str | int, ...]

_T = TypeVar("_T", bound=BaseModel)


class _Constructor(RoundTripConstructor):
    """Keeps dates as text."""


_Constructor.add_constructor("tag:yaml.org,2002:timestamp", RoundTripConstructor.construct_scalar)


class YamlFile:
    """The content of one file, with the errors found in it."""

    def __init__(self, path: pathlib.Path, error: type[ValueError], max_bytes: int, size_hint: str = "") -> None:
        """Read a file; raise `error` if that fails. `size_hint` says what to do about a file that is too large."""
        self.file = str(path)
        self.error = error
        self.errors: list[tuple[int, str]] = []
        """The messages so far, each with its line."""
        self._places: dict[Path, tuple[int, int]] = {(): (1, 1)}
        text = _read(path, error, max_bytes, size_hint)
        self._lines = text.splitlines() or [""]
        try:
            self.value = self._plain(_parsed(text), ())
        except MarkedYAMLError as found:
            # Of a repeated key, both values follow, and they may be secret; so the cause is left out, too.
            problem = (found.problem or found.context or "not YAML").partition(" with value ")[0]
            raise error(f"{path}{_mark(found)}: {problem}") from None
        except YAMLError as found:
            raise error(f"{path}: not YAML: {getattr(found, 'reason', None) or found}") from found
        except Exception as found:  # ruamel.yaml raises all kinds of errors for odd tags and keys
            raise error(f"{path}: not YAML that can be read here: {found}") from found

    def line(self, path: Path) -> int:
        """Return the line of a field, from 1, or of its nearest parent that is in the file."""
        return self._place(path)[0]

    def checked(self, kind: type[_T], value: Any, path: Path) -> _T | None:
        """Return a value as a table; note what is wrong with it, and return `None`, if it is not one."""
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            for place, message in _explanations(error.errors(include_url=False, include_input=False), kind).items():
                self.note((*path, *place), message)
            return None

    def note(self, path: Path, message: str, position: int | None = None) -> None:
        """Note what is wrong with the value at a path, or with a character of its text, counted from 0."""
        line, column = self._place(path) if position is None else self._character(path, position)
        self.errors.append((line, f"{self.file}, line {line}, column {column}{field_name(path)}: {message}"))

    def raise_errors(self) -> None:
        """Raise the first errors that were noted, in the order of their lines, if there are any."""
        more = len(self.errors) - MAX_ERRORS
        first = [text for _, text in sorted(self.errors, key=lambda error: error[0])[:MAX_ERRORS]]
        if first:
            raise self.error("\n".join([*first, *([f"and {more} more"] if more > 0 else [])]))

    def _place(self, path: Path) -> tuple[int, int]:
        while path not in self._places:
            path = path[:-1]
        return self._places[path]

    def _character(self, path: Path, position: int) -> tuple[int, int]:
        """Return the line and column of a character of a text, or of its field if the text is on lines below."""
        line, column = self._place(path)
        text: Any = self.value
        for step in path:
            text = text[step]
        words = str(text)[:position].rstrip()
        start = self._lines[line - 1].find(words, column + len(str(path[-1])))
        return (line, column) if start < 0 or not words else (line, start + position + 1)

    def _plain(self, value: Any, path: Path) -> Any:
        """Return a value made of dictionaries, lists and plain values, having noted the places of its fields."""
        if isinstance(value, CommentedMap):
            # A key that `<<` brought has no place in this table.
            own = value.lc.data or {}
            self._places |= {(*path, str(key)): (own[key][0] + 1, own[key][1] + 1) for key in value if key in own}
            return {str(key): self._plain(each, (*path, str(key))) for key, each in value.items()}
        if isinstance(value, CommentedSeq):
            own = value.lc.data or {}
            self._places |= {(*path, index): (at[0] + 1, at[1] + 1) for index, at in own.items()}
            return [self._plain(each, (*path, index)) for index, each in enumerate(value)]
        if isinstance(value, ScalarBoolean):
            return bool(value)
        kinds = (bool, int, float, str)
        return next((kind(value) for kind in kinds if isinstance(value, kind)), None if value is None else str(value))


def _parsed(text: str) -> Any:
    yaml = YAML()
    yaml.Constructor = _Constructor
    return yaml.load(text)


def _read(path: pathlib.Path, error: type[ValueError], max_bytes: int, size_hint: str) -> str:
    try:
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise error(f"{path}: no such file") from None
    except OSError as failure:
        raise error(f"{path}: cannot be read: {failure.strerror}") from failure
    if len(body) > max_bytes:
        raise error(f"{path}: more than the {max_bytes:,} bytes allowed{size_hint}")
    try:
        return body.decode("utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError as failure:
        line = body.count(b"\n", 0, failure.start) + 1
        raise error(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from failure


def _mark(error: MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""


def _explanations(details: Sequence[ErrorDetails], kind: type[BaseModel]) -> dict[Path, str]:
    """Return what would be right by place; an unknown field that stands for a missing one is one error, not two."""
    found = {each["loc"]: _explained(each, kind) for each in details}
    unknown = [each["loc"] for each in details if each["type"] == "extra_forbidden"]
    for *table, name in (each["loc"] for each in details if each["type"] == "missing"):
        near = (f"did you mean {name}?", "there are")
        instead = next((at for at in unknown if [*at[:-1]] == table and any(each in found[at] for each in near)), None)
        if instead:
            wanted = found.pop((*table, name)).removeprefix("is missing; ")
            found[instead] = f"unknown field; {wanted.replace('is missing', f'{name}: is missing')}"
    return found


def _explained(detail: ErrorDetails, kind: type[BaseModel]) -> str:
    """Return what would be right, from pydantic's error; the value itself may be secret, and is not quoted."""
    *inner, name = detail["loc"] or ("",)
    table = _table_at(kind, inner)
    if detail["type"] == "extra_forbidden":
        return unknown_field(name, (info.alias or field for field, info in table.model_fields.items()))
    if detail["type"] == "missing":
        wanted = table.model_fields[str(name)].description
        return f"is missing; write {wanted}" if wanted else "is missing"
    if detail["type"] == "dict_type":
        return "is not a table; write NAME: value in a line of its own below it"
    if detail["type"] == "model_type":
        return f"is not a table; write {', '.join(_first_fields(_table_at(kind, detail['loc'])))} or the like below it"
    if detail["type"] == "list_type":
        return "is not a list; write each entry in a line of its own that begins with -"
    return detail["msg"].removeprefix("Value error, ").removeprefix("Input ")


def _first_fields(table: type[BaseModel]) -> list[str]:
    fields = table.model_fields.items()
    required = [name for name, info in fields if info.is_required()] or [name for name, _ in fields][:2]
    return [f"{name}:" for name in required]


def _table_at(kind: type[BaseModel], path: Iterable[str | int]) -> type[BaseModel]:
    """Return the table at a path, or the last one on the way to it."""
    for step in path:
        names = {info.alias or name: info for name, info in kind.model_fields.items()}
        tables = list(_tables(names[str(step)].annotation)) if str(step) in names else []
        kind = tables[0] if tables else kind
    return kind


def _tables(annotation: Any) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)


def field_name(path: Path) -> str:
    """Return a path as people write it, after a comma; an empty string for the file as a whole.

    >>> field_name(("sites", 3, "limits", "articles")), field_name(())
    (', sites[3].limits.articles', '')
    """
    steps = "".join(
        f"[{step}]" if isinstance(step, int) else f".{' '.join(step.split())[:_MAX_FIELD_CHARS]}" for step in path
    )
    return f", {steps.removeprefix('.')}" if steps else ""


def unknown_field(name: str | int, known: Iterable[str]) -> str:
    """Return the message for a field that a table does not have.

    >>> unknown_field("feed", ("feeds", "name")), unknown_field("x", ("feeds", "name"))
    ('unknown field; did you mean feeds?', 'unknown field; there are feeds, name')
    """
    names = list(known)
    near = get_close_matches(str(name), names, n=1)
    return f"unknown field; did you mean {near[0]}?" if near else f"unknown field; there are {', '.join(names)}"


def yaml_text(value: Any, *, flow_leaves: bool = False) -> str:
    r"""Return a value as YAML, in the order of its keys; with `flow_leaves`, innermost lists and tables in one line.

    >>> yaml_text({"b": ["é", 1], "a": "no"}, flow_leaves=True)
    'b: [é, 1]\na: no\n'
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None if flow_leaves else False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]  # typed by its default, None
    yaml.allow_unicode = True
    yaml.width = _WHOLE_LINE
    written = io.StringIO()
    yaml.dump(value, written)
    return written.getvalue().removesuffix("...\n")
