"""WARC records of pages, a share of them damaged in every way that archives are."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import cycle
from typing import TYPE_CHECKING
from uuid import UUID

from newsextract.archives.http_response import brotli, zstd

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

FORMATS = (".warc.gz", ".warc.zst", ".warc")


@dataclass(frozen=True)
class Made:
    """A record as it will be written, before its file's compression."""

    url: str
    record_id: str
    done: str
    expected: str
    data: bytes
    page_sha256: str | None = None
    tear: Callable[[bytes, random.Random], bytes] | None = None
    """What is done to the stored bytes."""


def warc_record(
    block: bytes,
    url: str | None = "https://news.example/1",
    *,
    kind: str = "response",
    record_id: str = "<urn:uuid:00000000-0000-0000-0000-000000000001>",
    content_type: str = "application/http; msgtype=response",
    length: object = None,
    version: str = "1.1",
    more: str = "",
) -> bytes:
    """Return a record; `length` replaces the true one, and an empty one leaves the line out."""
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", f"WARC-Record-ID: {record_id}", "WARC-Date: 2024-05-14T08:00:00Z"]
    lines += [f"WARC-Target-URI: {url}"] if url is not None else []
    lines += [f"Content-Type: {content_type}", *more.splitlines()]
    length = len(block) if length is None else length
    lines += [f"Content-Length: {length}"] if length != "" else []
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def http_response(body: bytes, headers: str = "", *, start: str = "HTTP/1.1 200 OK", kind: str = "text/html") -> bytes:
    """Return an HTTP response."""
    lines = [start, f"Content-Type: {kind}", *headers.splitlines(), "", ""]
    return "\r\n".join(lines).encode() + body


def chunked(body: bytes, size: int = 4096) -> bytes:
    """Return a body in chunks."""
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def packed(record: bytes, ending: str) -> bytes:
    """Return a record as a file of this format stores it."""
    if ending == ".warc.gz":
        return gzip.compress(record, 6, mtime=0)
    # With a checksum, as archives have one: without, a flipped bit of a text is just another text.
    checked = {int(zstd.CompressionParameter.checksum_flag): 1}
    return zstd.compress(record, options=checked) if ending == ".warc.zst" else record


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) // 3, len(data) * 2 // 3)]


def _flipped(data: bytes, rng: random.Random) -> bytes:
    torn = bytearray(data)
    torn[rng.randrange(len(data) // 3, len(data) * 2 // 3)] ^= 1 << rng.randrange(8)
    return bytes(torn)


WHOLE: dict[str, Callable[[bytes], bytes]] = {
    "as it is": http_response,
    "gzip": lambda page: http_response(gzip.compress(page, mtime=0), "Content-Encoding: gzip"),
    "deflate": lambda page: http_response(zlib.compress(page), "Content-Encoding: deflate"),
    "deflate without zlib's header": lambda page: http_response(_raw(page), "Content-Encoding: deflate"),
    "brotli": lambda page: http_response(brotli.compress(page), "Content-Encoding: br"),
    "zstd": lambda page: http_response(zstd.compress(page), "Content-Encoding: zstd"),
    "chunked": lambda page: http_response(chunked(page), "Transfer-Encoding: chunked"),
    "chunked gzip": lambda page: http_response(
        chunked(gzip.compress(page, mtime=0)), "Transfer-Encoding: chunked\nContent-Encoding: gzip"
    ),
    "HTTP/2": lambda page: http_response(page, start="HTTP/2 200"),
    "pseudo headers": lambda page: http_response(page, start=":status: 200"),
    "decoded, with the headers kept": lambda page: http_response(
        page, "Transfer-Encoding: chunked\nContent-Encoding: gzip\nContent-Length: 7"
    ),
    "Common Crawl's headers": lambda page: http_response(page, "X-Crawl-Content-Encoding: gzip"),
}
"""Ways to write a page that a reader has to understand; the first is the commonest."""

TORN_BODIES: dict[str, Callable[[bytes], bytes]] = {
    "gzip cut": lambda page: http_response(_half(gzip.compress(page, mtime=0)), "Content-Encoding: gzip"),
    "brotli cut": lambda page: http_response(_half(brotli.compress(page)), "Content-Encoding: br"),
    "zstd cut": lambda page: http_response(_half(zstd.compress(page)), "Content-Encoding: zstd"),
    "chunk cut": lambda page: http_response(b"ffffff\r\n" + page, "Transfer-Encoding: chunked"),
    "unknown encoding": lambda page: http_response(zlib.compress(page), "Content-Encoding: sdch"),
    "bomb": lambda _: http_response(gzip.compress(bytes(40_000_000), 9, mtime=0), "Content-Encoding: gzip"),
    "no response": lambda _: b"\x00\x01 nothing that a server said",
}

WRONG_LENGTHS: dict[str, Callable[[int], object]] = {
    "length too long": lambda size: size + 150,
    "length too short": lambda size: size - 150,
    "length of 10^12": lambda _: 10**12,
    "length below zero": lambda size: -size,
    "length not a number": lambda _: "many",
    "no length": lambda _: "",
}


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _raw(page: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(page) + packer.flush()


def made_records(pages: Iterable[tuple[str, bytes]], damaged: float, rng: random.Random) -> Iterator[Made]:
    """Yield a record for each page; `damaged` is the share of those that are torn, or hold no page."""
    whole, torn = cycle(WHOLE), cycle((*TORN_BODIES, *WRONG_LENGTHS, *_OTHERS))
    for url, page in pages:
        record_id = f"<urn:uuid:{UUID(int=rng.getrandbits(128))}>"
        if rng.random() < damaged:
            yield _torn(next(torn), url, page, record_id)
            continue
        done = next(whole) if rng.random() < 1 / 2 else "as it is"
        data = warc_record(WHOLE[done](page), url, record_id=record_id)
        yield Made(url, record_id, done, "page", data, sha256(page).hexdigest())


_OTHERS = ("member cut", "member flipped", "revisit", "metadata", "resource", "bytes between")


def _torn(done: str, url: str, page: bytes, record_id: str) -> Made:
    response = http_response(page)
    made = Made(url, record_id, done, "damaged", warc_record(response, url, record_id=record_id))
    if done in TORN_BODIES:
        return replace(made, data=warc_record(TORN_BODIES[done](page), url, record_id=record_id))
    if done in WRONG_LENGTHS:
        length = WRONG_LENGTHS[done](len(response))
        return replace(made, data=warc_record(response, url, record_id=record_id, length=length))
    if done in {"revisit", "metadata"}:
        block = response[: response.index(b"\r\n\r\n") + 4] if done == "revisit" else b"via: x"
        return replace(made, data=warc_record(block, url, kind=done, record_id=record_id), expected=done)
    digest = sha256(page).hexdigest()
    if done == "resource":
        data = warc_record(page, url, kind=done, record_id=record_id, content_type="text/html")
        return replace(made, data=data, expected="page", page_sha256=digest)
    if done == "bytes between":
        return replace(made, expected="page", page_sha256=digest, tear=lambda data, _: data + b"between" * 30)
    return replace(made, tear=_cut if done == "member cut" else _flipped)


def write_archive(path: Path, ending: str, records: Iterable[Made], rng: random.Random) -> list[dict[str, object]]:
    """Write one archive, and return the lines of its manifest."""
    lines = []
    with path.open("wb") as file:
        file.write(
            packed(warc_record(b"software: x", None, kind="warcinfo", content_type="application/warc-fields"), ending)
        )
        for made in records:
            if made.done == "member flipped" and ending == ".warc":
                made = replace(made, tear=_cut, done="member cut")  # noqa: PLW2901 - nothing there would show it
            stored = packed(made.data, ending)
            offset = file.tell()
            file.write(made.tear(stored, rng) if made.tear else stored)
            line = {
                key: value for key, value in asdict(replace(made, tear=None)).items() if key not in {"data", "tear"}
            }
            lines.append({"file": path.name, "offset": offset, **line})
    return lines
