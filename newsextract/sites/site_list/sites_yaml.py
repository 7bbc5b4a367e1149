"""Reads `sites.yml`. Every error names the file, the line and the field."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin

from pydantic import ValidationError

from newsextract.sites.site_list.list_files import SiteListError
from newsextract.sites.site_list.sections import Sections
from newsextract.sites.site_list.site import ExtractorChoice, Limits, Site
from newsextract.sites.site_list.sites_yaml_errors import explain, field_name
from newsextract.sites.site_list.sites_yaml_schema import DefaultsTable, FileTable, SiteTable, Table
from newsextract.sites.site_list.yaml_errors import place_of, told
from newsextract.sites.site_list.yaml_tree import Document, Path, YamlError, read_yaml

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

MAX_SITES_FILE_BYTES = 5 * 1024 * 1024
"""Some 20,000 sites with a few fields each; longer lists come from programs, which can write CSV."""

_T = TypeVar("_T", bound=Table)


def read_sites_file(path: pathlib.Path) -> list[Site]:
    """Return the sites of a file, including those that are not enabled.

    Raises:
        SiteListError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    try:
        document = read_yaml(_read(path))
    except YamlError as error:
        raise SiteListError(f"{path}{place_of(error)}: {error}") from error
    reading = _Reading(document, str(path))
    sites = reading.sites()
    if reading.errors:
        raise SiteListError(told(reading.errors))
    return sites


def _read(path: pathlib.Path) -> str:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_SITES_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SiteListError(f"{path}: no such file") from None
    except OSError as error:
        raise SiteListError(f"{path}: cannot be read: {error}") from error
    if len(body) > MAX_SITES_FILE_BYTES:
        raise SiteListError(f"{path}: more than the {MAX_SITES_FILE_BYTES:,} bytes allowed; write long lists as .csv")
    try:
        text = body.decode("utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise SiteListError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass
class _Reading:
    """One file being read, with the errors found in it."""

    document: Document
    file: str
    errors: list[tuple[int, str]] = field(default_factory=list)

    def sites(self) -> list[Site]:
        table = self._checked(FileTable, _without_empty(self.document.value), ())
        if table is None:
            return []
        if table.defaults:
            self._checked(DefaultsTable, table.defaults, ("defaults",))
        found = []
        for index, entry in enumerate(table.sites):
            given = {"start": entry} if isinstance(entry, str) else entry
            if self._checked(SiteTable, given, ("sites", index)) and not self.errors:
                found.append((index, site_of_table(SiteTable.model_validate(_merged(table.defaults, given)))))
        self._refuse_twins(found)
        return [site for _, site in found]

    def _checked(self, kind: type[_T], value: Any, path: Path) -> _T | None:
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._note((*path, *detail["loc"]), explain(detail, kind))
            return None

    def _note(self, path: Path, message: str) -> None:
        known = path
        while known not in self.document.lines:
            known = known[:-1]
        line = self.document.line(path)
        # A field that is missing in a table has a name even so; a value that could be a list or a table has none.
        is_missing = path != known and isinstance(path[len(known)], str) and isinstance(self._value(known), dict)
        named = path if is_missing else known
        self.errors.append((line, f"{self.file}, line {line}{field_name(named)}: {message}"))

    def _value(self, path: Path) -> Any:
        value = self.document.value
        for step in path:
            value = value[step]
        return value

    def _refuse_twins(self, sites: list[tuple[int, Site]]) -> None:
        names: dict[str, int] = {}
        hosts: dict[str, int] = {}
        for index, site in sites:
            first = names.setdefault(site.name.casefold(), index)
            shared = [host for host in site.hosts if hosts.setdefault(host, index) != index]
            if first != index:
                line = self.document.line(("sites", first))
                self._note(("sites", index), f"{site.name!r} is also the name of the site in line {line}; join them")
            elif shared:
                line = self.document.line(("sites", hosts[shared[0]]))
                self._note(("sites", index), f"the site in line {line} is on {shared[0]} too; join them")


def _without_empty(value: Any) -> Any:
    """Return a value without its empty fields, such as those whose lines are all commented out.

    >>> _without_empty({"limits": {"articles": None}, "sites": ["a", {"feeds": None}]})
    {'limits': {}, 'sites': ['a', {}]}
    """
    if isinstance(value, dict):
        return {name: _without_empty(each) for name, each in value.items() if each is not None}
    return [_without_empty(each) for each in value] if isinstance(value, list) else value


def _merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a site with defaults; an extractor is not merged, as its options belong to it alone.

    >>> _merged({"limits": {"pages": 9, "delay": 1}, "schedule": "1h"}, {"limits": {"pages": 5}})
    {'limits': {'pages': 5, 'delay': 1}, 'schedule': '1h'}
    """
    merged = {**defaults, **own}
    for name in ("limits", "sections"):
        if name in defaults and name in own:
            merged[name] = {**defaults[name], **own[name]}
    return merged


def site_of_table(table: SiteTable) -> Site:
    """Return the site that a table describes."""
    home, *others = dict.fromkeys(table.start or table.url)
    chosen = table.extractor
    return Site(
        home,
        feeds=_absolute(home, table.feeds),
        more_starts=tuple(others),
        label=table.name or "",
        sitemaps=_absolute(home, table.sitemaps),
        discover=frozenset(table.discover) or None,
        extractor=ExtractorChoice(chosen.name, chosen.options) if chosen else None,
        sections=Sections(tuple(table.sections.only), tuple(table.sections.excluded)),
        languages=tuple(dict.fromkeys(table.language)),
        schedule=table.schedule,
        limits=Limits(**table.limits.model_dump()),
        join_pages=table.join_pages,
        enabled=table.enabled,
    )


def _absolute(home: str, addresses: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(urljoin(home, address) for address in addresses))
