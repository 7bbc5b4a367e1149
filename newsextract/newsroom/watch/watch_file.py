"""Reads `watch.yml`. Every error names the file, the line, and the column or the field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from newsextract.newsroom.watch.query_building import QueryError
from newsextract.newsroom.watch.query_parser import parse_query
from newsextract.newsroom.watch.rule import Rule
from newsextract.newsroom.watch.watch_schema import WatchFileTable, WatchTable, explain
from newsextract.newsroom.watch.yaml_places import place_in
from newsextract.sites.site_list.sites_yaml_errors import field_name
from newsextract.sites.site_list.yaml_errors import MAX_ERRORS, place_of, told
from newsextract.sites.site_list.yaml_tree import Document, Path, YamlError, read_yaml

if TYPE_CHECKING:
    import pathlib

    from newsextract.newsroom.watch.query_tree import Query

MAX_WATCH_FILE_BYTES = 20 * 1024 * 1024
"""Size limit: fifty thousand rules of a few lines each."""

_T = TypeVar("_T", bound=BaseModel)


class WatchFileError(ValueError):
    """The rules file is invalid; the message says where and what would be right, one error per line."""


def read_rules(path: pathlib.Path) -> list[Rule]:
    """Return the rules of a file.

    Raises:
        WatchFileError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    text = _read(path)
    try:
        reading = _Reading(read_yaml(text), text, str(path))
    except YamlError as error:
        raise WatchFileError(f"{path}{place_of(error)}: {error}") from error
    rules = reading.rules()
    if reading.errors:
        raise WatchFileError(told(reading.errors))
    return rules


def _read(path: pathlib.Path) -> str:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_WATCH_FILE_BYTES + 1)
    except FileNotFoundError:
        raise WatchFileError(f"{path}: no such file") from None
    except OSError as error:
        raise WatchFileError(f"{path}: cannot be read: {error.strerror}") from error
    if len(body) > MAX_WATCH_FILE_BYTES:
        raise WatchFileError(f"{path}: more than the {MAX_WATCH_FILE_BYTES:,} bytes allowed")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise WatchFileError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class _Reading:
    """One file being read, with the errors found in it."""

    document: Document
    text: str
    file: str
    errors: list[tuple[int, str]] = field(default_factory=list)

    def rules(self) -> list[Rule]:
        table = self._checked(WatchFileTable, self.document.value, ())
        if table is None:
            return []
        if not table.watches:
            self._note(("watches",), "is empty; write each rule below it, - name: and query:")
        definitions: dict[str, Query] = {}
        for name, written in table.definitions.items():
            query = self._parsed(written, ("definitions", name), definitions)
            if query is not None:
                definitions[name] = query
        found = [self._rule(index, entry, definitions) for index, entry in enumerate(table.watches)]
        self._refuse_twins(found)
        return [rule for rule in found if rule is not None]

    def _rule(self, index: int, entry: Any, definitions: dict[str, Query]) -> Rule | None:
        path: Path = ("watches", index)
        table = self._checked(WatchTable, entry, path)
        query = self._parsed(table.query, (*path, "query"), definitions) if table else None
        if table is None or query is None:
            return None
        return Rule(table.name, query, tuple(table.languages), tuple(table.sites))

    def _parsed(self, written: str, path: Path, definitions: dict[str, Query]) -> Query | None:
        try:
            return parse_query(written, definitions)
        except QueryError as error:
            # Finding the place means reading the whole file again, and only some errors are shown.
            shown = len(self.errors) < MAX_ERRORS
            line, column = (place_in(self.text, path, error.position) if shown else None) or (self._line(path), None)
            at = f", column {column}" if column else field_name(path)
            self.errors.append((line, f"{self.file}, line {line}{at}: {error}"))
            return None

    def _checked(self, kind: type[_T], value: Any, path: Path) -> _T | None:
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._note((*path, *detail["loc"]), explain(detail, kind))
            return None

    def _note(self, path: Path, message: str) -> None:
        line = self._line(path)
        self.errors.append((line, f"{self.file}, line {line}{field_name(path)}: {message}"))

    def _line(self, path: Path) -> int:
        return self.document.line(path)

    def _refuse_twins(self, rules: list[Rule | None]) -> None:
        names: dict[str, int] = {}
        for index, rule in enumerate(rules):
            first = index if rule is None else names.setdefault(rule.name.casefold(), index)
            if first != index:
                line = self._line(("watches", first))
                self._note(("watches", index, "name"), f"the rule in line {line} has the same name; choose another")
