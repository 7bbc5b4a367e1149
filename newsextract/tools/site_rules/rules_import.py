"""Turns a folder of site configurations into the text of a `sites.yml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.page.urls.clean_urls import site_of
from newsextract.sites.site_list.site import read_address
from newsextract.tools.site_rules.ftr_files import Tally, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.tools.site_rules.ftr_files import ImportedSite

MAX_FILE_BYTES = 1_000_000
"""Larger files are no configurations: the largest of Full-Text RSS have some thousands."""

_OPENING = "# Rules for sites. None of these is crawled until its `enabled: true` says so."


@dataclass
class RulesImport:
    """What a folder holds: `files` is the sum of `sites`, `empty` and `refused`."""

    sites: dict[str, ImportedSite] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    """Of all files: what files that are in no site have was not taken over."""
    files: int = 0
    empty: int = 0
    """Files without a usable rule."""
    refused: int = 0
    """The others that are too large, or whose name is no host, or one that another file has with or without `www.`."""
    with_body: int = 0
    """Files with a directive `body`."""
    with_body_rule: int = 0
    """Those of them whose site has a body rule."""


def read_folder(folder: Path) -> RulesImport:
    """Return the rules of all `.txt` files of a folder; raises `OSError`."""
    found = RulesImport()
    # Folders, links that lead nowhere, and pipes, which would never end, are passed over. `.a.example.txt` is for
    # subdomains, and counts for the domain where that has no file of its own.
    files = (each for each in folder.glob("*.txt") if each.is_file())
    for path in sorted(files, key=lambda path: (path.name.startswith("."), path.name)):
        found.files += 1
        if path.stat().st_size > MAX_FILE_BYTES:
            found.refused += 1
            continue
        site = read_file(path)
        found.with_body += site.has_body
        address = read_address(site.host)
        host = site_of(address) if address else ""
        if site.rules and host and host not in found.sites:
            found.sites[host] = site
            found.with_body_rule += bool(site.rules.body)
            found.tally.add(site.tally)
        else:
            found.empty += not site.rules
            found.refused += bool(site.rules)
            found.tally.add(Tally(left=site.tally.total()))
    return found


def as_yaml(sites: Iterable[ImportedSite]) -> str:
    """Return a list of sites with their rules, none of them enabled."""
    import yaml  # noqa: PLC0415 - only an import writes YAML

    entries = [{"start": f"https://{site.host}/", "rules": _plain(site), **_rest(site)} for site in sites]
    written = yaml.safe_dump(
        {"defaults": {"enabled": False}, "sites": entries}, allow_unicode=True, sort_keys=False, width=1000
    )
    return f"{_OPENING}\n{written}"


def _rest(site: ImportedSite) -> dict[str, Any]:
    fields = {"test_urls": list(site.test_urls), "headers": site.headers}
    return {name: value for name, value in fields.items() if value}


def _plain(site: ImportedSite) -> dict[str, list[str] | bool]:
    found: dict[str, list[str] | bool] = {name: list(each) for name, each in site.rules.expressions().items() if each}
    return found | {"when_unsure": site.rules.when_unsure}
