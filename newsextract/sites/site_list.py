"""The list of sites to crawl, as people give it: URLs, or a YAML, text, CSV or OPML file."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

from newsextract.sites.site import HAS_USER, SCHEME, Site, SiteListError, has_user, read_address
from newsextract.sites.site_files import SiteFileError, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


MAX_LIST_BYTES = 50 * 1024 * 1024
"""Some 500,000 URLs; a larger file is the wrong one."""


def read_sites(argument: str) -> list[Site]:
    """Return the sites that the argument lists or that the file it names lists, each once and in order."""
    path = Path(argument.strip())
    read = _READERS.get(path.suffix.lower())
    if SCHEME.match(argument.strip()) or not (read or _is_file(path)):
        found: Iterable[Site] = (_site(item, repr(item)) for item in re.split(r"[\s,]+", argument) if item)
    elif read is None:
        raise SiteListError(f"{path}: unknown ending {path.suffix!r}; lists of sites end in .yml, .txt, .csv or .opml")
    else:
        found = read(path)
    sites = _merged(found)
    if not sites:
        raise SiteListError(f"{argument.strip() or 'the list of sites'}: no site in it; give at least one address")
    return sites


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL, as a list of URLs may be
        return False


def _merged(sites: Iterable[Site]) -> list[Site]:
    merged: dict[str, Site] = {}
    for site in sites:
        known = merged.get(site.home, site)
        merged[site.home] = replace(known, feeds=tuple(dict.fromkeys(known.feeds + site.feeds)))
    return list(merged.values())


def _site(written: str, where: str) -> Site:
    return Site(_address(written, where))


def _address(written: str, where: str) -> str:
    if has_user(written):
        raise SiteListError(HAS_USER if where == repr(written) else f"{where}: {HAS_USER}")
    cleaned = read_address(written)
    if not cleaned:
        raise SiteListError(
            f"{'' if where == repr(written) else f'{where}: '}{written!r} is not a URL or a file with a list of sites; "
            "write https://example.com/ or example.com, or name a .yml, .txt, .csv or .opml file"
        )
    return cleaned


def _read(path: Path) -> str:
    try:
        return "".join(read_text(path.read_bytes(), MAX_LIST_BYTES))
    except FileNotFoundError:
        raise SiteListError(f"{path}: no such file") from None
    except (OSError, SiteFileError) as error:
        raise SiteListError(f"{path}: cannot be read: {error}") from error


def _read_txt(path: Path) -> Iterator[Site]:
    for number, line in enumerate(_read(path).splitlines(), 1):
        # A fragment's # has no space before it, a comment's has.
        written = re.sub(r"(^|\s)#.*", "", line).strip()
        if written:
            yield _site(written, f"{path}, line {number}")


def _read_csv(path: Path) -> Iterator[Site]:
    text = _read(path)
    header = text.partition("\n")[0]
    delimiter = max(",;\t|", key=header.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    column = next((name for name in rows.fieldnames or () if name.strip().lower() == "url"), None)
    if column is None:
        raise SiteListError(
            f"{path}, line 1: no column named url; the first line names the columns: {header.strip()!r}"
        )
    try:
        for row in rows:
            if written := row[column].strip():
                yield _site(written, f"{path}, line {rows.line_num}")
    except csv.Error as error:
        raise SiteListError(f"{path}, line {rows.line_num}: not CSV: {error}") from error


def _read_opml(path: Path) -> Iterator[Site]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, encoding="utf-8")
    try:
        root = etree.fromstring(_read(path).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise SiteListError(f"{path}, line {error.lineno}: not OPML: {error.msg}") from error
    if root.getroottree().docinfo.doctype:
        raise SiteListError(f"{path}: declares a document type; OPML needs none, so remove the <!DOCTYPE ...>")
    for outline in root.iter("outline"):
        yield from _outline_sites(dict(outline.attrib), f"{path}, line {outline.sourceline}")


def _outline_sites(attributes: dict[str, str], where: str) -> Iterator[Site]:
    named = {name.lower(): value.strip() for name, value in attributes.items()}
    feed = _address(named["xmlurl"], where) if named.get("xmlurl") else None
    home = _address(named["htmlurl"], where) if named.get("htmlurl") else None
    if feed or home:
        yield Site(home or urljoin(feed or "", "/"), (feed,) if feed else ())


def _read_yaml(path: Path) -> Iterable[Site]:
    from newsextract.sites.sites_yaml import read_sites_file  # noqa: PLC0415 - pydantic is slow to import

    return read_sites_file(path)


_READERS: dict[str, Callable[[Path], Iterable[Site]]] = {
    ".yml": _read_yaml,
    ".yaml": _read_yaml,
    ".txt": _read_txt,
    ".csv": _read_csv,
    ".opml": _read_opml,
}
