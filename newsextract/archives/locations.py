"""The archives that a user means by files, folders, URLs and lists of paths, local or remote (fsspec).

A list of paths is a text file with a path or a URL a line, such as Common Crawl's `warc.paths.gz`.
"""

from __future__ import annotations

import gzip
import io
import re
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from posixpath import basename
from socket import EAI_NONAME
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from typing_extensions import Buffer

ARCHIVE_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
LIST_ENDINGS = (".paths", ".paths.gz", ".txt", ".txt.gz")

BUFFER_BYTES, BLOCK_BYTES = 256 * 1024, 4 * 1024 * 1024
"""What is read at once, and what is asked of a remote place: a second of a quick line."""

WAITS_SECONDS = (1.0, 5.0, 15.0, 60.0)
"""Before the second, third, … attempt to go on; each byte read makes the next break the first one again."""

_SCHEME = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_HINT = f"archives end in {', '.join(ARCHIVE_ENDINGS)}, lists of paths in {', '.join(LIST_ENDINGS)}"


class LocationError(ValueError):
    """An archive or a list of archives that cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Location:
    """One archive by its path or URL."""

    url: str

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return basename(urlsplit(self.url).path if is_remote(self.url) else Path(self.url).as_posix())

    @property
    def name(self) -> str:
        """A name for files about it, which no other archive has: its own, and a part of its URL's hash."""
        stem = re.sub(r"\.warc(\.gz|\.zst)?$", "", self.file_name, flags=re.IGNORECASE)
        plain = "".join(char if char.isalnum() or char in "-_." else "_" for char in stem).lstrip("._") or "archive"
        return f"{plain}-{sha256(full_url(self.url).encode()).hexdigest()[:8]}"


def is_remote(url: str) -> bool:
    """Return whether this is a URL of something that is not a local file."""
    return bool(_SCHEME.match(url))


def full_url(url: str) -> str:
    """Return a URL as it is, or the path of a local file from the root, without links: one file has one."""
    return url if is_remote(url) else str(Path(url).resolve())


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
    for url in {urlsplit(url).scheme: url for url in urls.values() if is_remote(url)}.values():
        _file_system(url)  # what is not installed is said at the start
    return [Location(url) for url in urls.values()]


def open_location(location: Location) -> BinaryIO:
    """Open an archive for reading; a remote one is read on where its connection broke.

    Raises:
        LocationError: it cannot be opened; a remote one says so here or when it is read.
    """
    if is_remote(location.url):
        return io.BufferedReader(RemoteFile(location.url), BUFFER_BYTES)
    try:
        return Path(location.url).open("rb")
    except OSError as error:
        raise LocationError(_unreadable(location.url, error)) from error


def _expanded(written: str, base: str | None) -> Iterator[str]:
    path = Path(written.removeprefix("file://"))
    name = urlsplit(written).path.lower() if is_remote(written) else path.name.lower()
    if not is_remote(written) and path.is_dir():
        yield from sorted(str(file) for file in path.rglob("*") if _is_archive(file.name) and file.is_file())
    elif name.endswith(LIST_ENDINGS):
        yield from _listed(written if is_remote(written) else str(path), base)
    elif not is_remote(written) or name.endswith(ARCHIVE_ENDINGS):
        yield _checked(written if is_remote(written) else str(path))
    elif written.endswith("/") and not written.startswith(("http://", "https://")):
        yield from _remote_folder(written)
    else:
        raise LocationError(f"{written}: neither an archive nor a list of paths; {_HINT}")


def _remote_folder(url: str) -> list[str]:
    system = _file_system(url)
    try:
        paths = cast("list[str]", system.find(url))
    except Exception as error:  # each kind of storage has errors of its own
        raise LocationError(_unreadable(url, error)) from error
    return sorted(cast("str", system.unstrip_protocol(path)) for path in paths if _is_archive(path))


def _listed(source: str, base: str | None) -> Iterator[str]:
    with open_location(Location(source)) as file:
        body = file.read()
    try:
        text = (gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body).decode("utf-8-sig")
    except (zlib.error, EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise LocationError(f"{source}: not a list of paths: {error}") from error
    if base is None:
        parts = urlsplit(source)
        base = f"{parts.scheme}://{parts.netloc}" if is_remote(source) else str(Path(source).parent)
    for number, line in enumerate(text.splitlines(), 1):
        path = line.strip()
        if not path or path.startswith("#"):
            continue
        where = f"{source}, line {number}"
        if path.startswith("file:") or Path(path).is_absolute():
            if is_remote(source):
                raise LocationError(f"{where}: {path!r} is a file of this machine; a remote list names remote archives")
            path = path.removeprefix("file://")
        elif not is_remote(path):
            path = f"{base.rstrip('/')}/{path}"
        try:
            yield _checked(path)
        except LocationError as error:
            raise LocationError(
                f"{where}: {error}; --base says where relative paths begin, such as https://data.commoncrawl.org/"
            ) from error


def _checked(path: str) -> str:
    """Return the path of an archive; a local one is opened, as a mistyped name is said at the start."""
    if not is_remote(path):
        with open_location(Location(path)):
            return path
    if not _is_archive(urlsplit(path).path):
        raise LocationError(f"{path!r} is no archive; {_HINT}")
    return path


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE_ENDINGS)


def _unreadable(url: str, error: Exception) -> str:
    # fsspec says of all that it cannot reach that there is no such file; the cause says why.
    told = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
    reason = told.strerror.lower() if isinstance(told, OSError) and told.strerror else f"{told}"
    return f"{url}: cannot be read: {reason or type(told).__name__}"


def _file_system(url: str) -> Any:  # fsspec has no types
    """Return fsspec's access to a URL.

    Raises:
        LocationError: what fsspec needs for this scheme is not installed, or the scheme is unknown.
    """
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra, and slow

    # aiohttp, which fsspec fetches with, heeds proxies only when it is told to.
    options = {"client_kwargs": {"trust_env": True}} if url.startswith(("http://", "https://")) else {}
    try:
        return url_to_fs(url, **options)[0]
    except (ImportError, ValueError) as error:
        raise LocationError(f"{url}: {error}") from error


class RemoteFile(io.RawIOBase):
    """A remote file read forwards, which goes on at the byte where its connection broke, after a while.

    `read` raises `LocationError` when a file cannot be read to its end.
    """

    def __init__(self, url: str, *, sleep: Callable[[float], object] = time.sleep) -> None:
        super().__init__()
        self._url = url
        self._sleep = sleep
        self._system = _file_system(url)
        self._file: Any = None
        self._position = 0
        self._size: int | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Read into a buffer, and return the number of bytes, 0 at the end."""
        view = memoryview(buffer).cast("B")
        data = self._retried(len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        """Close the connection."""
        self._drop()
        super().close()

    def _retried(self, size: int) -> bytes:
        for wait in (*WAITS_SECONDS, None):
            try:
                return self._read(size)
            except Exception as error:  # each kind of storage has errors of its own
                self._drop()
                if wait is None or (isinstance(error, (FileNotFoundError, PermissionError)) and not _is_busy(error)):
                    place = f" after {self._position:,} bytes" if self._position else ""
                    raise LocationError(f"{_unreadable(self._url, error)}{place}") from error
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _read(self, size: int) -> bytes:
        if self._file is None:
            self._size = self._system.info(self._url).get("size")
            self._file = self._system.open(self._url, "rb", block_size=BLOCK_BYTES, cache_type="readahead")
            if self._position:
                self._file.seek(self._position)
        data = cast("bytes", self._file.read(size))
        if not data and self._size and self._position < self._size:
            raise EOFError(f"it ends after {self._position:,} of {self._size:,} bytes")
        return data

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):  # of a broken connection; nothing was written that could be lost
                file.close()


def _is_busy(error: Exception) -> bool:
    """Return whether a server may have the file later: fsspec says not found when it is busy or out of reach, too."""
    if getattr(error.__cause__, "errno", None) == EAI_NONAME:
        return False  # there is no host of this name
    status = getattr(error.__cause__, "status", None)
    return error.__cause__ is not None and (status is None or status >= 500 or status in {408, 425, 429})
