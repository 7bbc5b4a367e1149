"""Writes what was fetched into WARC 1.1 files, and reads single records of them again.

ISO 28500:2017. Each record is a gzip member of its own, handed to the system before anything refers to it. Each process
writes its own files, named `….open` until they are complete; what a killed one has left is cut behind its last whole
record by the next.
"""

from __future__ import annotations

import gzip
import re
import secrets
import threading
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import select
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.utils import Digester
from warcio.warcwriter import WARCWriter

from newsextract.page.urls import url_key
from newsextract.storage.rows import content_hash, fit, insert_missing, moment, stamp, text_hash
from newsextract.storage.schema import warc_records

try:
    import fcntl
except ImportError:  # on Windows, where nobody can rename a file that is open
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

RESPONSE, RESOURCE, REVISIT, REQUEST = "response", "resource", "revisit", "request"
WITH_BODY = (RESPONSE, RESOURCE)

MOST_BYTES = 1_000_000_000
"""A file that is larger is followed by a new one; the size that the WARC guidelines recommend."""

_LEVEL = 1
"""Of gzip: a fifth larger than at 9, in a fifth of the time. What was sent packed is not packed again."""
_KNOWN = 20_000
"""Bodies of this run by which repetitions are recognised."""
_OPEN = ".open"
_NAME = re.compile(r"[\w-]+\.warc\.gz")
_READ_BYTES = 1 << 20

_PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
_OWN_HEADERS = frozenset(("content-length", "transfer-encoding", "set-cookie", "set-cookie2"))
"""Headers of a response that are not written as sent: the body is stored without chunks, and cookies are secrets."""
_REQUEST_HEADERS = ("User-Agent", "Accept", "Accept-Language", "Accept-Encoding", "If-None-Match", "If-Modified-Since")
"""The only headers of a request that are written: others may be secrets."""


class UnreadablePage(Exception):  # noqa: N818 - the name says that it is an error
    """The record of a page is missing or damaged."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response, and its body without content encoding."""

    url: str
    body: bytes
    date: datetime
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    sent: bytes | None = None
    """The body as sent, if that is to be written: with the encoding that the headers say."""
    asked: dict[str, str] | None = None
    """The headers of the GET request; `None` where that is not written."""
    ip: str | None = None
    is_made: bool = False
    """Whether the body is not what a server has sent, but what a browser made of it, or an earlier answer."""


class _Known(NamedTuple):
    url: str
    date: str
    digest: str


class WarcStore:
    """A folder of WARC files: one for each process that writes, and gigabyte. May be used by several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: OrderedDict[str, _Known] = OrderedDict()
        """The bodies that this run has stored, or found to be stored, by their hashes."""
        self._file: Any = None
        self._name = ""
        self._size = 0
        self._lock = threading.Lock()

    def put(self, fetched: Fetched) -> dict[str, Any]:
        """Write a response with its request; return its row in `warc_records`. Raises `OSError`.

        A body that is stored already is not stored again: the record says where it is.
        """
        content = content_hash(fetched.body)
        digest = Digester("sha256")
        digest.update(fetched.body if fetched.sent is None else fetched.sent)
        known = self.known.get(content) if fetched.body else None
        # What was packed in another way is another payload.
        is_same = fetched.status == HTTPStatus.NOT_MODIFIED or (known is not None and known.digest == str(digest))
        kind = RESOURCE if fetched.is_made else REVISIT if is_same else RESPONSE
        writer = WARCWriter(BytesIO(), gzip=False, warc_version="1.1")
        record = _record_of(writer, fetched, kind, str(digest), known)
        records = [record, *([_request_of(writer, fetched, record)] if fetched.asked is not None else [])]
        packed = [_packed(writer, each, _LEVEL if fetched.sent is None else 0) for each in records]
        name, position = self._append(b"".join(packed), fetched.date)
        row = {
            "id": text_hash(f"{name} {position}"),
            "content": content,
            "url_key": text_hash(url_key(fetched.url)),
            "url": fetched.url,
            "kind": kind,
            "status": None if fetched.is_made else fetched.status,
            "date_fetched": stamp(fetched.date),
            "digest": str(digest),
            "file": name,
            "position": position,
            "length": len(packed[0]),
            "request_length": sum(map(len, packed[1:])),
        }
        if kind in WITH_BODY and fetched.body:
            self.note(row)
        return fit(warc_records, row)[0]

    def note(self, row: Mapping[str, Any]) -> None:
        """Remember that a body is stored: the row of its record."""
        self.known[row["content"]] = _Known(row["url"], date_of(row), row["digest"])
        self.known.move_to_end(row["content"])
        if len(self.known) > _KNOWN:
            self.known.popitem(last=False)

    def packed(self, name: str, position: int, length: int) -> bytes:
        """Return the compressed bytes of records; raises `UnreadablePage`."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a WARC file")  # it comes from a database and becomes a path
        path = self.folder / name
        try:
            with (path if path.exists() else path.with_name(name + _OPEN)).open("rb") as file:
                file.seek(position)
                return file.read(length)
        except OSError as error:
            raise UnreadablePage(f"{name}: {error.strerror or error}") from error

    def get(self, row: Any) -> bytes:
        """Return the body of a row of `warc_records`; raises `UnreadablePage`."""
        packed = self.packed(row["file"], row["position"], row["length"])
        try:
            body: bytes = next(iter(ArchiveIterator(BytesIO(packed)))).content_stream().read()
        except (ArchiveLoadFailed, StopIteration, EOFError, zlib.error, OSError) as error:
            raise UnreadablePage(f"{row['file']}: no whole record at {row['position']:,}") from error
        if content_hash(body) != row["content"]:
            raise UnreadablePage(f"{row['file']}: the record at {row['position']:,} holds something else")
        return body

    def close(self) -> None:
        """Complete the file that is being written."""
        with self._lock:
            self._complete()

    def repair(self) -> int:
        """Complete the files that killed processes have left; return how many."""
        return sum(_repaired(path) for path in self.folder.glob(f"*.warc.gz{_OPEN}"))

    def _append(self, packed: bytes, date: datetime) -> tuple[str, int]:
        with self._lock:
            try:
                if self._file is None or self._size >= MOST_BYTES:
                    self._complete()
                    self._begin(date)
                position = self._size
                self._write(packed)
            except OSError:
                self._complete()
                raise
            return self._name, position

    def _write(self, packed: bytes) -> None:
        rest = memoryview(packed)
        while rest:
            rest = rest[self._file.write(rest) :]
        self._size += len(packed)

    def _begin(self, date: datetime) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"newsextract-{date:%Y%m%d%H%M%S}-{secrets.token_hex(4)}.warc.gz"
        self._file = (self.folder / (name + _OPEN)).open("xb", buffering=0)
        self._name, self._size = name, 0
        if fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        self._write(warcinfo(name))

    def _complete(self) -> None:
        if self._file is None:
            return
        path = self.folder / (self._name + _OPEN)
        with self._file as file:
            self._file = None
            file.truncate(self._size)  # to what was written whole
        if self._size:
            path.rename(self.folder / self._name)
        else:
            path.unlink()


def warcinfo(name: str) -> bytes:
    """Return the record with which a file begins."""
    writer = WARCWriter(BytesIO(), gzip=False, warc_version="1.1")
    told = {"software": f"newsextract/{version('newsextract')}", "format": "WARC File Format 1.1"}
    return _packed(writer, writer.create_warcinfo_record(name, told), _LEVEL)


def _date(date: datetime) -> str:
    return f"{date.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _record_of(writer: Any, fetched: Fetched, kind: str, digest: str, known: _Known | None) -> Any:
    told = {"WARC-Date": _date(fetched.date), "WARC-Payload-Digest": digest}
    if fetched.ip:
        told["WARC-IP-Address"] = fetched.ip
    payload = fetched.body if fetched.sent is None else fetched.sent
    if kind == RESOURCE:
        told["Content-Type"] = {name.lower(): value for name, value in fetched.headers}.get("content-type", "text/html")
        return writer.create_warc_record(
            fetched.url, kind, payload=BytesIO(payload), length=len(payload), warc_headers_dict=told
        )
    sent = [each for each in fetched.headers if each[0].lower() not in _OWN_HEADERS]
    if payload:
        sent.append(("Content-Length", str(len(payload))))
    phrase = HTTPStatus(fetched.status).phrase if fetched.status in _PHRASES else "Unknown"
    head = StatusAndHeaders(f"{fetched.status} {phrase}", sent, protocol="HTTP/1.1")
    if kind == RESPONSE:
        return writer.create_warc_record(
            fetched.url, kind, payload=BytesIO(payload), length=len(payload), http_headers=head, warc_headers_dict=told
        )
    if known is not None:
        told |= {
            "WARC-Profile": f"{_PROFILE}identical-payload-digest",
            "WARC-Refers-To-Target-URI": known.url,
            "WARC-Refers-To-Date": known.date,
        }
    else:
        told["WARC-Profile"] = f"{_PROFILE}server-not-modified"
    return writer.create_warc_record(fetched.url, kind, http_headers=head, warc_headers_dict=told)


_PHRASES = frozenset(HTTPStatus)


def _request_of(writer: Any, fetched: Fetched, record: Any) -> Any:
    parts = urlsplit(fetched.url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    given = {name.lower(): value for name, value in (fetched.asked or {}).items()}
    sent = [(name, given[name.lower()]) for name in _REQUEST_HEADERS if name.lower() in given]
    host = parts.netloc.rpartition("@")[2]
    head = StatusAndHeaders(f"GET {path} HTTP/1.1", [("Host", host), *sent], is_http_request=True)
    told = {
        "WARC-Date": record.rec_headers.get_header("WARC-Date"),
        "WARC-Concurrent-To": record.rec_headers.get_header("WARC-Record-ID"),
    }
    return writer.create_warc_record(fetched.url, REQUEST, http_headers=head, warc_headers_dict=told)


def _packed(writer: Any, record: Any, level: int) -> bytes:
    writer.out = BytesIO()
    writer.write_record(record)
    return gzip.compress(writer.out.getvalue(), level, mtime=0)


def _repaired(path: Path) -> bool:
    try:
        with path.open("r+b") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(_whole_bytes(file))
        path.rename(path.with_name(path.name.removesuffix(_OPEN)))
    except OSError:
        return False  # its process lives, or another one has been faster
    return True


def _whole_bytes(file: Any) -> int:
    """Return where the last whole gzip member of a file ends."""
    end, decoder = 0, zlib.decompressobj(31)
    try:
        while data := file.read(_READ_BYTES):
            while data:
                decoder.decompress(data)
                data = decoder.unused_data
                if decoder.eof:
                    end = file.tell() - len(data)
                    decoder = zlib.decompressobj(31)
    except zlib.error:
        pass
    return end


# The table of the records.


def put_records(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[None]:
    """Note where records are: an operation."""
    insert_missing(connection, warc_records, rows)
    return [None] * len(rows)


def stored_bodies(connection: Connection, contents: Sequence[str]) -> list[dict[str, Any] | None]:
    """Return for each hash the newest record that has its body: an operation."""
    query = select(warc_records).where(warc_records.c.content.in_(contents), warc_records.c.kind.in_(WITH_BODY))
    rows = connection.execute(query.order_by(warc_records.c.date_fetched)).mappings()
    found = {row["content"]: dict(row) for row in rows}
    return [found.get(content) for content in contents]


def date_of(row: Any) -> str:
    """Return the `WARC-Date` of the record of a row."""
    return _date(moment(row["date_fetched"]))
