"""The archives that a user means by files, folders, URLs and lists of paths, local or remote (fsspec).

A list of paths is a text file with a path or a URL a line, such as Common Crawl's `warc.paths.gz`.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from posixpath import basename
from typing import TYPE_CHECKING, BinaryIO, cast
from urllib.parse import urlsplit

from newsextract.archives.resumed_file import LocationError, ResumedFile, file_system, is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ARCHIVE_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
LIST_ENDINGS = (".paths", ".paths.gz", ".txt", ".txt.gz")

BUFFER_BYTES = 256 * 1024

MAX_LIST_BYTES = 256 * 1024 * 1024
"""Some three million paths, twenty times those of a monthly crawl of Common Crawl."""

_HINT = f"archives end in {', '.join(ARCHIVE_ENDINGS)}, lists of paths in {', '.join(LIST_ENDINGS)}"


@dataclass(frozen=True, slots=True)
class Location:
    """One archive: `name`, which no other of the run has and which a file may have, and its path or URL."""

    name: str
    url: str


def expand_locations(inputs: Iterable[str], *, base: str | None = None) -> list[Location]:
    """Return the archives that the inputs mean, each once, those of a folder by name.

    `base` is the URL or folder that relative lines of lists begin at. Without it they begin at the folder of a local
    list, and at the host or bucket of a remote one, as Common Crawl's do.

    Raises:
        LocationError: an input or a line of a list names nothing that can be read, or there is no archive among them.
    """
    urls: dict[str, str] = {}
    for written in inputs:
        found = list(_expanded(written.strip(), base))
        if not found:
            raise LocationError(f"{written}: no archive in it; {_HINT}")
        for url in found:
            urls.setdefault(full_url(url), url)
    if not urls:
        raise LocationError(f"no archive is named; give files, folders or lists of paths ({_HINT})")
    for url in {urlsplit(url).scheme: url for url in urls.values() if is_remote(url)}.values():
        file_system(url)  # what is not installed is said at the start
    return _named(list(urls.values()))


def full_url(url: str) -> str:
    """Return a URL as it is, or the path of a local file from the root, without links: one file has one."""
    return url if is_remote(url) else str(Path(url).resolve())


def with_longer_name(location: Location) -> Location:
    """Return the location with a part of the hash of its URL in its name, as those that are called alike have it."""
    return Location(f"{location.name}-{sha256(location.url.encode()).hexdigest()[:10]}", location.url)


def open_location(location: Location) -> BinaryIO:
    """Open an archive for reading; a remote one goes on where its connection broke.

    Raises:
        LocationError: it cannot be opened; a remote one says so here or when it is read.
    """
    if is_remote(location.url):
        return io.BufferedReader(ResumedFile(location.url), BUFFER_BYTES)
    try:
        return Path(location.url).open("rb")
    except OSError as error:
        raise LocationError(_unreadable(location.url, error)) from error


def _expanded(written: str, base: str | None) -> Iterator[str]:
    if is_remote(written):
        yield from _remote(written, base)
        return
    path = Path(written.removeprefix("file://"))
    if path.is_dir():
        yield from sorted(str(file) for file in path.rglob("*") if _is_archive(file.name) and file.is_file())
    elif path.name.lower().endswith(LIST_ENDINGS):
        yield from _listed(str(path), _local_bytes(path), base or str(path.parent), may_be_local=True)
    else:
        yield _checked(path)


def _remote(url: str, base: str | None) -> Iterator[str]:
    name = urlsplit(url).path.lower()
    if name.endswith(LIST_ENDINGS):
        with io.BufferedReader(ResumedFile(url)) as file:
            body = file.read(MAX_LIST_BYTES + 1)
        parts = urlsplit(url)
        yield from _listed(url, body, base or f"{parts.scheme}://{parts.netloc}", may_be_local=False)
    elif name.endswith(ARCHIVE_ENDINGS):
        yield url
    elif url.endswith("/") and not url.startswith(("http://", "https://")):
        yield from _remote_folder(url)
    else:
        raise LocationError(f"{url}: neither an archive nor a list of paths; {_HINT}")


def _remote_folder(url: str) -> list[str]:
    system = file_system(url)
    try:
        paths = cast("list[str]", system.find(url))
    except Exception as error:  # each kind of storage has errors of its own
        raise LocationError(_unreadable(url, error)) from error
    return sorted(cast("str", system.unstrip_protocol(path)) for path in paths if _is_archive(path))


def _listed(source: str, body: bytes, base: str, *, may_be_local: bool) -> Iterator[str]:
    for number, line in enumerate(_text(source, body).splitlines(), 1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        where = f"{source}, line {number}"
        path = written if is_remote(written) else _joined(base, written, where, may_be_local=may_be_local)
        if is_remote(path):
            if not urlsplit(path).path.lower().endswith(ARCHIVE_ENDINGS):
                raise LocationError(f"{where}: {path!r} is no archive; {_HINT}")
            yield path
            continue
        try:
            yield _checked(Path(path))
        except LocationError as error:
            raise LocationError(
                f"{where}: {error}; --base says where relative paths begin, such as https://data.commoncrawl.org/"
            ) from error


def _joined(base: str, written: str, where: str, *, may_be_local: bool) -> str:
    if written.startswith("file:") or Path(written).is_absolute():
        if not may_be_local:
            raise LocationError(f"{where}: {written!r} is a file of this machine; a remote list names remote archives")
        return written.removeprefix("file://")
    return f"{base.rstrip('/')}/{written}"


def _text(source: str, body: bytes) -> str:
    try:
        if body.startswith(b"\x1f\x8b"):
            body = gzip.GzipFile(fileobj=io.BytesIO(body)).read(MAX_LIST_BYTES + 1)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise LocationError(f"{source}: a damaged gzip file: {error}") from error
    if len(body) > MAX_LIST_BYTES:
        raise LocationError(f"{source}: a list of more than {MAX_LIST_BYTES:,} bytes; split it")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LocationError(f"{source}: no list of paths: it is not UTF-8 ({error.reason})") from error


def _local_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_LIST_BYTES + 1)
    except OSError as error:
        raise LocationError(_unreadable(str(path), error)) from error


def _checked(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise LocationError(_unreadable(str(path), error)) from error
    return str(path)


def _unreadable(url: str, error: Exception) -> str:
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else f"{error}"
    return f"{url}: cannot be read: {reason or type(error).__name__}"


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE_ENDINGS)


def _named(urls: list[str]) -> list[Location]:
    """Name the archives by their files; those with the same name in several places have a part of their hash, too."""
    locations = [Location(_name(url), url) for url in urls]
    uses = Counter(location.name.lower() for location in locations)  # some file systems know no case
    return [location if uses[location.name.lower()] == 1 else with_longer_name(location) for location in locations]


def _name(url: str) -> str:
    name = basename(urlsplit(url).path if is_remote(url) else Path(url).as_posix()) or "archive"
    for ending in sorted(ARCHIVE_ENDINGS, key=len, reverse=True):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
            break
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in name).lstrip("._") or "archive"
