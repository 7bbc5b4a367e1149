"""Checks the disk, the limit of open files, and the clock."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from newsextract.settings import DATABASE
from newsextract.tools.doctor.finding import failure, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from newsextract.tools.doctor.finding import Finding, Subject

MEGABYTE = 1 << 20
LITTLE = 1024 * MEGABYTE
TOO_LITTLE = 100 * MEGABYTE

SPARE_FILES = 256
"""Files that a crawl opens besides connections: logs, feeds, the database, worker processes."""

FIRST_YEAR = 2025
"""A correct clock cannot show an earlier time."""


def disk(subject: Subject) -> Iterator[Finding]:
    """Check every folder that a crawl writes to."""
    for place in sorted(written_places(subject.settings, subject.folder)):
        yield place_finding(place)


def place_finding(place: Path) -> Finding:
    """Check whether a folder, or its nearest existing parent, is writable and has space."""
    there = next(folder for folder in (place, *place.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return failure(f"{there} cannot be written", "let the user who crawls write there, or set NEWSEXTRACT_OUTPUT")
    return space_finding(place, shutil.disk_usage(there).free)


def space_finding(place: Path, free: int) -> Finding:
    """Check whether this many free bytes are enough."""
    found = f"{place}: {free // MEGABYTE:,} MB free"
    if free < TOO_LITTLE:
        return failure(found, "make room, or set NEWSEXTRACT_OUTPUT: a full disk loses articles")
    return warning(found, "make room, or set NEWSEXTRACT_OUTPUT") if free < LITTLE else ok(found)


def written_places(settings: BaseSettings, folder: Path) -> set[Path]:
    """Return the folders of local feeds, of a SQLite database and of the jobs."""
    targets = [str(target).removeprefix("file://") for target in settings["FEEDS"] or {}]
    paths = [Path(target).parent for target in targets if "://" not in target and target not in ("-", "stdout:")]
    try:
        url = make_url(DATABASE.of(settings) or "sqlite://")
    except (ArgumentError, ValueError):  # the latter for a port
        url = make_url("sqlite://")  # the check of the database speaks of it
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        paths.append(Path(url.database).parent)
    if settings["JOBDIR"]:
        paths.append(Path(settings["JOBDIR"]))
    # The part before a placeholder that Scrapy fills in.
    return {(folder / str(path).partition("%(")[0]).resolve() for path in paths}


def output(subject: Subject) -> Iterator[Finding]:
    """Check whether the output path depends on the folder in which a crawl is started."""
    relative = [str(target) for target in subject.settings["FEEDS"] or {} if not _is_absolute(str(target))]
    if relative:
        advice = "Under scrapyd or cron, set NEWSEXTRACT_OUTPUT to an absolute path in its environment."
        yield note(f"{', '.join(relative)} is relative to where a crawl is started, here {subject.folder}", advice)


def _is_absolute(target: str) -> bool:
    return target in ("-", "stdout:") or "://" in target or Path(target).is_absolute()


def open_files(subject: Subject) -> Iterator[Finding]:
    """Check how many files a process may open."""
    try:
        import resource  # noqa: PLC0415 - not on Windows, which has no such limit
    except ImportError:
        return
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    yield files_finding(None if unlimited else soft, subject.settings.getint("CONCURRENT_REQUESTS"))


def files_finding(limit: int | None, requests: int) -> Finding:
    """Check whether a limit of open files, if any, is enough for this many concurrent requests."""
    if limit is None or limit >= requests + SPARE_FILES:
        return ok(f"{'any number' if limit is None else limit} may be open, for {requests} requests at once")
    return warning(
        f"{limit} may be open, which is little for {requests} requests at once",
        f"ulimit -n {requests + SPARE_FILES}, or LimitNOFILE= in a systemd unit",
    )


def clock(_: Subject) -> Iterator[Finding]:
    """Check whether the clock can be right."""
    yield clock_finding(datetime.now(UTC))


def clock_finding(now: datetime) -> Finding:
    """Check whether this can be the current time."""
    if now.year < FIRST_YEAR:
        return failure(f"it is not {now:%Y-%m-%d}", "set the clock, or run an NTP client: visits are planned by it")
    return ok(f"{now:%Y-%m-%d %H:%M} UTC")
