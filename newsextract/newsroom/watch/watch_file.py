"""Reads `watch.yml`: its schema, and errors that name the file, the line, and the column or the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from newsextract.newsroom.watch.rules import Rule
from newsextract.sites.languages import primary
from newsextract.sites.sites_yaml import Languages, Name  # noqa: TC001 - a table's types are looked up
from newsextract.storage.search.queries import QueryError, host_of, parse_query
from newsextract.yaml_files import STRICT, YamlFile

if TYPE_CHECKING:
    import pathlib

    from newsextract.storage.search.queries import Query
    from newsextract.yaml_files import Path

MAX_WATCH_FILE_BYTES = 20 * 1024 * 1024
"""Size limit: fifty thousand rules of a few lines each."""


def _query(value: Any) -> str:
    # A rule may look for 2026, which YAML reads as a number.
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text.strip():
        raise ValueError("is not a query; write words, such as pont OR bridge*")
    return text


def _hosts(value: Any) -> list[str]:
    written = value if isinstance(value, list) else [value]
    hosts = [host_of(each) if isinstance(each, str) else None for each in written]
    if not written or None in hosts:
        raise ValueError("is not a list of sites; write their hosts, such as [lemonde.fr, bbc.co.uk]")
    return list(dict.fromkeys(host for host in hosts if host))


def _primaries(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(primary(tag) or tag for tag in tags))


class _Table(BaseModel):
    model_config = STRICT


class WatchTable(_Table):
    """A rule."""

    name: Name = Field(description="name: and a name of your choice")
    query: Annotated[str, BeforeValidator(_query)] = Field(description="query: and words, such as pont OR bridge*")
    languages: Annotated[Languages, AfterValidator(_primaries)] = []
    sites: Annotated[list[str], BeforeValidator(_hosts)] = []


class WatchFileTable(_Table):
    """The file: shared definitions, and the rules, which are checked one by one."""

    definitions: dict[str, Annotated[str, BeforeValidator(_query)]] = {}
    watches: list[Any] = Field(description="watches: and list the rules below it")


class WatchFileError(ValueError):
    """The rules file is invalid; the message says where and what would be right, one error per line."""


def read_rules(path: pathlib.Path) -> list[Rule]:
    """Return the rules of a file.

    Raises:
        WatchFileError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    file = YamlFile(path, WatchFileError, MAX_WATCH_FILE_BYTES)
    rules = _rules(file)
    file.raise_errors()
    return rules


def _rules(file: YamlFile) -> list[Rule]:
    table = file.checked(WatchFileTable, file.value, ())
    if table is None:
        return []
    if not table.watches:
        file.note(("watches",), "is empty; write each rule below it, - name: and query:")
    definitions: dict[str, Query] = {}
    for name, written in table.definitions.items():
        query = _parsed(file, written, ("definitions", name), definitions)
        if query is not None:
            definitions[name] = query
    found = [_rule(file, index, entry, definitions) for index, entry in enumerate(table.watches)]
    _reject_duplicates(file, found)
    return [rule for rule in found if rule is not None]


def _rule(file: YamlFile, index: int, entry: Any, definitions: dict[str, Query]) -> Rule | None:
    path: Path = ("watches", index)
    table = file.checked(WatchTable, entry, path)
    query = _parsed(file, table.query, (*path, "query"), definitions) if table else None
    if table is None or query is None:
        return None
    return Rule(table.name, query, tuple(table.languages), tuple(table.sites))


def _parsed(file: YamlFile, written: str, path: Path, definitions: dict[str, Query]) -> Query | None:
    try:
        return parse_query(written, definitions)
    except QueryError as error:
        file.note(path, str(error), error.position)
        return None


def _reject_duplicates(file: YamlFile, rules: list[Rule | None]) -> None:
    names: dict[str, int] = {}
    for index, rule in enumerate(rules):
        first = index if rule is None else names.setdefault(rule.name.casefold(), index)
        if first != index:
            line = file.line(("watches", first))
            file.note(("watches", index, "name"), f"the rule in line {line} has the same name; choose another")
