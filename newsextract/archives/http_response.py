"""The HTTP response in a record: its status, its headers, and the page without chunks and content encodings.

Every layer is bounded in bytes, and read once from start to end, whatever a server has sent.
"""

from __future__ import annotations

import re
import sys
import zlib
from dataclasses import dataclass

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["BadBody", "HttpResponse", "brotli", "first_values", "page_of", "read_fields", "read_response", "zstd"]

Fields = tuple[tuple[str, str], ...]
"""Names and values of headers, in order."""

MAX_HEAD_BYTES = 64 * 1024
"""Of the header of a record or a response."""

_MAX_INTERIM = 20
"""Responses such as `100 Continue` before the one with the page."""
_MAX_LAYERS = 4
_MAX_GZIP_MEMBERS = 100

_STATUS_LINE = re.compile(rb"(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})(?!\d)")
_FIELD_LINE = re.compile(rb":?[A-Za-z][\w-]*:[^\n]*\n")
_HEAD_END = re.compile(rb"\r?\n\r*\n")
_FOLD = re.compile(r"\r?\n[ \t]+")
_CHUNK_SIZE = re.compile(rb"[ \t\r\n]{0,20}([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_TEXT_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]")

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_UNCLEAR_TYPES = frozenset(
    {"", "*/*", "unknown/unknown", "application/unknown", "text/xml", "application/xml", "application/octet-stream"}
)
"""Types of which the first bytes decide, by WHATWG's MIME sniffing, and XML, as which XHTML may be sent."""
_PAGE_START = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta)\b", re.IGNORECASE)
_SNIFFED_BYTES = 1024


class BadBody(ValueError):  # noqa: N818 - the base class says that it is an error
    """A response or its body cannot be read; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response; `body` is what follows the header, as stored."""

    status: int | None
    fields: Fields
    body: bytes

    def get(self, name: str) -> str:
        """Return the first value of a header by its lower-case name, or an empty string."""
        return first_values(self.fields).get(name, "")


def read_fields(head: bytes) -> Fields:
    """Return the fields of header lines; they may end with LF alone, and bytes that are not UTF-8 are Latin-1.

    A line that begins with white space goes on with the one before it (RFC 9112, section 5.2), one without a colon is
    passed over, and the name of a pseudo header of HTTP/2 keeps its colon: `:status` (RFC 9113, section 8.3).
    """
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("iso-8859-1")
    pairs = []
    for line in _FOLD.sub(" ", text).split("\n"):
        pseudo = ":" if line.startswith(":") else ""
        name, colon, value = line[len(pseudo) :].partition(":")
        if colon and (name := name.strip()):
            pairs.append((pseudo + name, value.strip()))
    return tuple(pairs)


def first_values(fields: Fields) -> dict[str, str]:
    """Return the first value of each header by its lower-case name."""
    return {name.lower(): value for name, value in reversed(fields)}


def read_response(block: bytes) -> HttpResponse:
    """Return the parts of a response, without the interim ones before it.

    Raises:
        BadBody: no response begins the block, or too many interim ones do.
    """
    at = 0
    for _ in range(_MAX_INTERIM):
        line = _STATUS_LINE.match(block, at)
        end = _HEAD_END.search(block, at, at + MAX_HEAD_BYTES)
        if line is None or end is None or line[1][:1] != b"1" or not block.startswith(b"HTTP/", end.end()):
            return _response(block, at, line)
        at = end.end()
    raise BadBody(f"more than {_MAX_INTERIM} interim responses begin the record")


def _response(block: bytes, at: int, line: re.Match[bytes] | None) -> HttpResponse:
    if line is None and not _FIELD_LINE.match(block, at):
        if not block.lstrip().startswith(b"<"):
            raise BadBody("no HTTP response begins the record" if block else "the record is empty")
        return HttpResponse(None, (), block)  # HTTP/0.9, or only the page was kept
    end = _HEAD_END.search(block, at, at + MAX_HEAD_BYTES)
    head, body = (block[at : end.start()], block[end.end() :]) if end else (block[at : at + MAX_HEAD_BYTES], b"")
    fields = read_fields(head if line is None else head.partition(b"\n")[2])
    pseudo = first_values(fields).get(":status", "")
    status = int(line[1]) if line else int(pseudo) if re.fullmatch(r"\d{3}", pseudo, re.ASCII) else None
    return HttpResponse(status, fields, body)


def page_of(response: HttpResponse, content_type: str, max_bytes: int, *, is_cut: bool) -> bytes | None:
    """Return the decoded page, `None` if the response holds none.

    Archives keep headers of encodings though they keep the page decoded: what is plain text in spite of them is taken
    as it is. `is_cut` says that the crawler kept only the beginning, which is then decoded as far as it goes.

    Raises:
        BadBody: there is a page, but it is damaged, incomplete, of an unknown encoding, or larger than `max_bytes`.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in _PAGE_TYPES and kind not in _UNCLEAR_TYPES:
        return None
    try:
        page = _decoded(response, max_bytes, is_cut=is_cut)
    except BadBody:
        if kind in _PAGE_TYPES:
            raise
        return None  # of unclear type, and no page that anybody could see
    return page if kind in _PAGE_TYPES or _PAGE_START.search(page[:_SNIFFED_BYTES]) else None


def _decoded(response: HttpResponse, max_bytes: int, *, is_cut: bool) -> bytes:
    body = response.body
    names = f"{response.get('content-encoding')},{response.get('transfer-encoding')}".lower().split(",")
    layers = [name.strip().removeprefix("x-") for name in names if name.strip()]
    for name in reversed(layers[-_MAX_LAYERS:]):
        if name == "chunked":
            body = _unchunked(body, is_cut=is_cut)
        elif name != "identity" and body and not _TEXT_START.match(body):
            body = _decompressed(body, name, max_bytes, is_cut=is_cut)
    if len(body) > max_bytes:
        raise BadBody(f"larger than {max_bytes:,} bytes")
    return body


def _unchunked(body: bytes, *, is_cut: bool) -> bytes:
    """Return a body without its chunks (RFC 9112, section 7.1); one that has none, as it is."""
    if not _CHUNK_SIZE.match(body):
        return body
    chunks: list[bytes] = []
    at = 0
    while line := _CHUNK_SIZE.match(body, at):
        size = int(line[1], 16)
        if not size:
            return b"".join(chunks)
        chunk = body[line.end() : line.end() + size]
        chunks.append(chunk)
        at = line.end() + size
        if len(chunk) < size and not is_cut:
            raise BadBody(f"a chunk of {size:,} bytes has only {len(chunk):,}")
    if body[at:].strip() and not is_cut:
        raise BadBody(f"no chunk begins at byte {at:,} of the body")
    return b"".join(chunks)  # the last chunk, which is empty, is often left out


def _decompressed(body: bytes, name: str, max_bytes: int, *, is_cut: bool) -> bytes:
    decode = _DECODERS.get(name)
    if decode is None:
        raise BadBody(f"Content-Encoding {name[:40]!r} is not known")
    try:
        page, is_whole = decode(body, max_bytes + 1)
    except (zlib.error, zstd.ZstdError, brotli.error) as error:
        raise BadBody(f"Content-Encoding {name}: {error}") from error
    if len(page) > max_bytes:
        raise BadBody(f"larger than {max_bytes:,} bytes when decompressed")
    if not is_whole and not (is_cut and page):
        raise BadBody(f"Content-Encoding {name}: the body ends too early")
    return page


def _gunzip(body: bytes, most: int) -> tuple[bytes, bool]:
    page = b""
    for _ in range(_MAX_GZIP_MEMBERS):
        decoder = zlib.decompressobj(31)
        page += decoder.decompress(body, most - len(page))
        body = decoder.unused_data
        if len(page) >= most or not body.startswith(b"\x1f\x8b"):
            return page, decoder.eof  # what follows the last member is passed over, as browsers do
    return page, False


def _inflate(body: bytes, most: int) -> tuple[bytes, bool]:
    """Decompress deflate, which is zlib by RFC 9110, and without zlib's header by some servers."""
    is_zlib = len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    decoder = zlib.decompressobj(15 if is_zlib else -15)
    return decoder.decompress(body, most), decoder.eof


def _unbrotli(body: bytes, most: int) -> tuple[bytes, bool]:
    decoder = brotli.Decompressor()
    return decoder.process(body, output_buffer_limit=most), decoder.is_finished()


def _unzstd(body: bytes, most: int) -> tuple[bytes, bool]:
    decoder = zstd.ZstdDecompressor()
    return decoder.decompress(body, most), decoder.eof


_DECODERS = {"gzip": _gunzip, "deflate": _inflate, "br": _unbrotli, "zstd": _unzstd}
"""Each returns the page, at most so many bytes of it, and whether that is its end."""
