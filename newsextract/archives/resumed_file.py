"""A remote file read forwards that goes on where its connection broke off (fsspec)."""

from __future__ import annotations

import io
import re
import socket
import ssl
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

_SCHEME = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+://", re.IGNORECASE)

BLOCK_BYTES = 4 * 1024 * 1024
"""What is asked for at once: a second of a quick line, and little beside a worker's memory."""

WAITS_SECONDS = (1.0, 5.0, 15.0, 60.0)
"""Before the second, third, … attempt to go on; each byte read makes the next break the first one again."""

_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, ssl.CertificateError)
"""Errors that no second attempt changes."""

_BUSY_STATUSES = frozenset((408, 425, 429, *range(500, 600)))
"""What a server answers that may have the file a little later."""


class LocationError(ValueError):
    """An archive or a list of archives that cannot be read; the message says which and why."""


def is_remote(url: str) -> bool:
    """Return whether this is a URL of something that is not a local file."""
    return bool(_SCHEME.match(url))


def file_system(url: str) -> Any:  # fsspec has no types
    """Return fsspec's access to a URL.

    Raises:
        LocationError: fsspec, or what it needs for this scheme, is not installed, or the scheme is unknown.
    """
    try:
        return import_module("fsspec.core").url_to_fs(url)[0]
    except ImportError as error:
        needed = error.name or str(error)
        raise LocationError(
            f"{url}: needs the module {needed}: pip install 'newsextract[archive]', and s3fs for s3://, gcsfs for "
            "gs://, aiohttp for https://"
        ) from error
    except ValueError as error:
        raise LocationError(f"{url}: {error}") from error


class ResumedFile(io.RawIOBase):
    """A remote file, opened when it is first read.

    A broken connection is opened again at the byte it broke at, after a while. `read` raises `LocationError` when that
    has failed for good, and when the file has changed between two attempts.
    """

    def __init__(self, url: str, *, sleep: Callable[[float], object] = time.sleep) -> None:
        super().__init__()
        self._url = url
        self._sleep = sleep
        self._system = file_system(url)
        self._file: Any = None
        self._position = 0
        self._block_bytes = BLOCK_BYTES
        self._version: tuple[object, ...] | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return how many bytes have been read."""
        return self._position

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
                if not self._position and _tells_of_no_such_host(error):
                    raise LocationError(f"{self._url}: cannot be read: no host has this name") from error
                if _is_final(error):
                    raise LocationError(f"{self._url}: cannot be read: {error}") from error
                if self._block_bytes and _tells_of_no_ranges(error):
                    self._block_bytes = 0  # fsspec: only the whole file, from its start
                    return self._retried(size)
                if wait is None:
                    raise LocationError(
                        f"{self._url}: broke off after {self._position:,} bytes, and could not be read on: "
                        f"{error or type(error).__name__}"
                    ) from error
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _read(self, size: int) -> bytes:
        if self._file is None:
            self._open()
        data: bytes = self._file.read(size)
        total = self._version[0] if self._version else None
        if not data and isinstance(total, int) and self._position < total:
            raise EOFError(f"{self._position:,} of {total:,} bytes")
        return data

    def _open(self) -> None:
        info = self._system.info(self._url)
        version = tuple(info.get(key) for key in ("size", "ETag", "LastModified"))
        if self._version is not None and version != self._version:
            raise LocationError("the file has changed while it was read")
        self._version = version
        self._file = self._system.open(self._url, "rb", block_size=self._block_bytes, cache_type="readahead")
        if self._position:
            self._go_on()

    def _go_on(self) -> None:
        try:
            self._file.seek(self._position)
        except (ValueError, OSError, NotImplementedError):  # a server that gives no ranges
            left = self._position
            while left and (data := self._file.read(min(left, BLOCK_BYTES))):
                left -= len(data)
            if left:
                raise EOFError(f"{self._position - left:,} of {self._position:,} bytes") from None

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):  # of a broken connection; nothing was written that could be lost
                file.close()


def _is_final(error: Exception) -> bool:
    """Return whether a second attempt would end likewise.

    fsspec says of http:// that a file is not found, too, when there is no connection or a server is busy.
    """
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and cause is not None and not isinstance(cause, _FINAL):
        status = getattr(cause, "status", None)
        return status is not None and status not in _BUSY_STATUSES
    return isinstance(error, (*_FINAL, LocationError))


def _tells_of_no_such_host(error: Exception) -> bool:
    """Return whether no host has this name; a resolver that is out of reach says something else, and may come back."""
    resolving = getattr(error.__cause__ or error, "os_error", None)  # of aiohttp's error
    return isinstance(resolving, socket.gaierror) and resolving.errno == socket.EAI_NONAME


def _tells_of_no_ranges(error: Exception) -> bool:
    """Return whether this is what fsspec says of a server that gives only whole files."""
    return isinstance(error, ValueError) and "range requests" in str(error)
