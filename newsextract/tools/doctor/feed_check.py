"""Checks that articles are written where the settings say."""

from __future__ import annotations

from configparser import ConfigParser, Error
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.settings import DATABASE
from newsextract.tools.doctor.finding import failure, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.tools.doctor.finding import Finding, Subject

ETC = Path("/etc/scrapyd")


def feeds(subject: Subject) -> Iterator[Finding]:
    """Check FEEDS, and whether a scrapyd would replace them."""
    yield from override_findings(configuration_files(subject.folder, Path.home(), ETC))
    targets = subject.settings.getdict("FEEDS")
    if targets:
        yield ok(f"articles go to {', '.join(map(str, targets))}")
    elif DATABASE.of(subject.settings):
        yield ok("FEEDS is empty: articles go to the database alone")
    else:
        yield warning("neither FEEDS nor NEWSEXTRACT_DATABASE: articles go nowhere", "set one of them, or use -O FILE")


def configuration_files(folder: Path, home: Path, etc: Path) -> tuple[Path, ...]:
    """Return the files from which a scrapyd in a folder reads its configuration; the last one takes precedence."""
    projects = [place / "scrapy.cfg" for place in (folder, *folder.parents) if (place / "scrapy.cfg").exists()]
    own = (etc / "scrapyd.conf", *sorted((etc / "conf.d").glob("*")), folder / "scrapyd.conf", home / ".scrapyd.conf")
    return (*own, *projects[:1])


def override_findings(files: Sequence[Path]) -> Iterator[Finding]:
    """Check whether one of scrapyd's files sets items_dir, which replaces FEEDS."""
    setting, by = "", None
    for file in files:
        parser = ConfigParser(interpolation=None)
        try:
            parser.read(file, encoding="utf-8")
        except (Error, UnicodeDecodeError) as error:
            yield failure(f"{file}: {str(error).splitlines()[0]}", "correct it: scrapyd does not start with it")
            continue
        if parser.has_option("scrapyd", "items_dir"):
            setting, by = parser.get("scrapyd", "items_dir").strip(), file
    if setting:
        yield warning(f"items_dir = {setting} in {by}: scrapyd replaces FEEDS in every job", f"`items_dir =` in {by}")
