"""Reads `sites.yml`. Every error names the file, the line and the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from newsextract.sites.site_list.sections import Sections
from newsextract.sites.site_list.site import ExtractorChoice, Limits, Site, SiteListError
from newsextract.sites.site_list.sites_yaml_schema import DefaultsTable, FileTable, SiteTable, explain
from newsextract.sites.site_list.yaml_file import YamlFile

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

MAX_SITES_FILE_BYTES = 5 * 1024 * 1024
"""Some 20,000 sites with a few fields each; longer lists come from programs, which can write CSV."""


def read_sites_file(path: pathlib.Path) -> list[Site]:
    """Return the sites of a file, including those that are not enabled.

    Raises:
        SiteListError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    file = _SitesFile(path)
    sites = file.sites()
    file.raise_errors()
    return sites


class _SitesFile(YamlFile):
    error = SiteListError
    max_bytes = MAX_SITES_FILE_BYTES
    size_hint = "; write long lists as .csv"

    def explain(self, detail: ErrorDetails, kind: type[BaseModel]) -> str:
        return explain(detail, kind)

    def sites(self) -> list[Site]:
        table = self.checked(FileTable, _without_empty(self.document.value), ())
        if table is None:
            return []
        if table.defaults:
            self.checked(DefaultsTable, table.defaults, ("defaults",))
        found = []
        for index, entry in enumerate(table.sites):
            given = {"start": entry} if isinstance(entry, str) else entry
            if self.checked(SiteTable, given, ("sites", index)) and not self.errors:
                found.append((index, site_of_table(SiteTable.model_validate(_merged(table.defaults, given)))))
        self._refuse_twins(found)
        return [site for _, site in found]

    def _refuse_twins(self, sites: list[tuple[int, Site]]) -> None:
        names: dict[str, int] = {}
        hosts: dict[str, int] = {}
        for index, site in sites:
            first = names.setdefault(site.name.casefold(), index)
            shared = [host for host in site.hosts if hosts.setdefault(host, index) != index]
            if first != index:
                line = self.document.line(("sites", first))
                self.note(("sites", index), f"{site.name!r} is also the name of the site in line {line}; join them")
            elif shared:
                line = self.document.line(("sites", hosts[shared[0]]))
                self.note(("sites", index), f"the site in line {line} is on {shared[0]} too; join them")


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
        rules=(table.rules.made() or None) if table.rules else None,
        test_urls=tuple(dict.fromkeys(table.test_urls)),
        access=table.access,
        render=table.render,
        enabled=table.enabled,
    )


def _absolute(home: str, addresses: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(urljoin(home, address) for address in addresses))
