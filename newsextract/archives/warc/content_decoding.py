"""The bytes of a page without chunks (RFC 9112, section 7.1) and content encodings (RFC 9110, section 8.4)."""

from __future__ import annotations

import io
import re
import zlib
from typing import TYPE_CHECKING

from newsextract.archives.warc.fastwarc_parts import BrotliReader, ZstdReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK_SIZE = re.compile(rb"[ \t\r\n]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_MAX_LAYERS = 4
_PIECE_BYTES = 256 * 1024
_ZLIB, _GZIP, _RAW_DEFLATE = 15, 31, -15
_TEXT_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]")


class BadBody(ValueError):  # noqa: N818 - the base class says that it is an error
    """A body that cannot be decoded; the message says why, for people."""


def decode_body(body: bytes, transfer: str, content: str, max_bytes: int, *, is_cut: bool) -> bytes:
    """Return the page in a body with these values of `Transfer-Encoding` and `Content-Encoding`.

    Archives keep such headers though they keep the page decoded: what is plain text in spite of them is taken as it
    is. `is_cut` says that the crawler kept only the beginning, which is then decoded as far as it goes.

    Raises:
        BadBody: the body is damaged, incomplete, of an unknown encoding, or larger than `max_bytes` when decoded.
    """
    for name in reversed([*_names(content), *_names(transfer)][-_MAX_LAYERS:]):
        if name == "chunked":
            body = _unchunked(body, is_cut=is_cut)
        elif name != "identity" and body and not _TEXT_START.match(body):
            body = _decompressed(body, name, max_bytes, is_cut=is_cut)
    if len(body) > max_bytes:
        raise BadBody(f"larger than {max_bytes:,} bytes")
    return body


def _names(header: str) -> list[str]:
    return [name.removeprefix("x-") for part in header.lower().split(",") if (name := part.strip())]


def _unchunked(body: bytes, *, is_cut: bool) -> bytes:
    if not _CHUNK_SIZE.match(body):
        return body  # the archive keeps the page without its chunks
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
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in decode(body):
            pieces.append(piece)
            if (size := size + len(piece)) > max_bytes:
                raise BadBody(f"larger than {max_bytes:,} bytes when decompressed")
    except (OSError, zlib.error, EOFError) as error:
        if not (is_cut and pieces):
            raise BadBody(f"Content-Encoding {name}: {error}") from error
    return b"".join(pieces)


def _gunzip(body: bytes) -> Iterator[bytes]:
    while body.startswith(b"\x1f\x8b"):  # what follows the last member is passed over, as browsers do
        decoder = zlib.decompressobj(_GZIP)
        yield from _inflate(decoder, body)
        body = decoder.unused_data
        if not body:
            return
        if body.startswith(b"\x1f\x8b"):
            continue
        return
    raise EOFError("no gzip member begins here")


def _deflate(body: bytes) -> Iterator[bytes]:
    """Decompress deflate, which is zlib by RFC 9110, and without zlib's header by some servers."""
    is_zlib = len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    return _inflate(zlib.decompressobj(_ZLIB if is_zlib else _RAW_DEFLATE), body)


def _inflate(decoder: zlib._Decompress, body: bytes) -> Iterator[bytes]:
    stored = body
    while not decoder.eof:
        data = decoder.decompress(stored, _PIECE_BYTES)
        stored = decoder.unconsumed_tail
        if data:
            yield data
        elif not stored and not decoder.eof:
            raise EOFError("the body ends too early")


def _by_fastwarc(reader: Callable[[io.BytesIO], BrotliReader | ZstdReader]) -> Callable[[bytes], Iterator[bytes]]:
    def decode(body: bytes) -> Iterator[bytes]:
        stream = reader(io.BytesIO(body))
        while data := stream.read(_PIECE_BYTES):
            yield data

    return decode


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "deflate": _deflate,
    "br": _by_fastwarc(BrotliReader),
    "zstd": _by_fastwarc(ZstdReader),
}
