"""Reads `watch.yml`: its schema, and errors that name the file, the line, and the column or the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator

from newsextract.newsroom.watch.rules import Rule
from newsextract.newsroom.watch.yaml_places import place_in
from newsextract.sites.site_list.language_names import primary
from newsextract.sites.site_list.sites_yaml_fields import Name, Tags  # noqa: TC001 - a table's types are looked up
from newsextract.sites.site_list.yaml_file import MAX_ERRORS, STRICT, YamlFile, unknown_field
from newsextract.storage.search.queries import QueryError, host_of, parse_query

if TYPE_CHECKING:
    import pathlib

    from pydantic_core import ErrorDetails

    from newsextract.sites.site_list.yaml_tree import Path
    from newsextract.storage.search.queries import Query

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

    name: Name
    query: Annotated[str, BeforeValidator(_query)]
    languages: Annotated[Tags, AfterValidator(_primaries)] = []
    sites: Annotated[list[str], BeforeValidator(_hosts)] = []


class WatchFileTable(_Table):
    """The file: shared definitions, and the rules, which are checked one by one."""

    definitions: dict[str, Annotated[str, BeforeValidator(_query)]] = {}
    watches: list[Any]


_MISSING = {
    "watches": "is missing; the file has watches: and lists the rules below it",
    "name": "is missing; write name: and a name of your choice",
    "query": "is missing; write query: and words, such as pont OR bridge*",
}
_SHAPES = {
    "list_type": "is not a list; write each rule below it, beginning with -",
    "dict_type": "is not a table; write a name and a query on each line below it, city: paris OR lyon",
    "model_type": "is not a table; write its fields as name: value",
}
"""Messages for a wrong structure, by pydantic's name of the error."""


class WatchFileError(ValueError):
    """The rules file is invalid; the message says where and what would be right, one error per line."""


def read_rules(path: pathlib.Path) -> list[Rule]:
    """Return the rules of a file.

    Raises:
        WatchFileError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    file = _WatchFile(path)
    rules = file.rules()
    file.raise_errors()
    return rules


class _WatchFile(YamlFile):
    error = WatchFileError
    max_bytes = MAX_WATCH_FILE_BYTES

    def explain(self, detail: ErrorDetails, kind: type[BaseModel]) -> str:
        if detail["type"] == "extra_forbidden":
            return unknown_field(detail["loc"][-1], kind.model_fields)
        if detail["type"] == "missing":
            return _MISSING[str(detail["loc"][-1])]
        return _SHAPES.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")

    def rules(self) -> list[Rule]:
        table = self.checked(WatchFileTable, self.document.value, ())
        if table is None:
            return []
        if not table.watches:
            self.note(("watches",), "is empty; write each rule below it, - name: and query:")
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
        table = self.checked(WatchTable, entry, path)
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
            place = place_in(self.text, path, error.position) if shown else None
            if place is None:
                self.note(path, str(error))
            else:
                self.errors.append((place[0], f"{self.file}, line {place[0]}, column {place[1]}: {error}"))
            return None

    def _refuse_twins(self, rules: list[Rule | None]) -> None:
        names: dict[str, int] = {}
        for index, rule in enumerate(rules):
            first = index if rule is None else names.setdefault(rule.name.casefold(), index)
            if first != index:
                line = self.document.line(("watches", first))
                self.note(("watches", index, "name"), f"the rule in line {line} has the same name; choose another")
