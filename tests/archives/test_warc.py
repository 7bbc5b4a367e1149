"""What the reader makes of records as crawlers write them."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("brotli", reason="wants the extra `archive`")

from newsextract.archives.http_response import brotli, zstd
from newsextract.archives.warc import read_records
from tests.archives.damaging import chunked, http_response, packed, warc_record

if TYPE_CHECKING:
    from newsextract.archives.warc import WarcRecord

PAGE = "<html><body><p>Größe – 東京</p></body></html>".encode()
ENDINGS = (".warc", ".warc.gz", ".warc.zst")


def read(*stored: bytes) -> list[WarcRecord]:
    return list(read_records(io.BytesIO(b"".join(stored))))


def only(block: bytes, **record: object) -> WarcRecord:
    (found,) = read(warc_record(block, **record))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("ending", ENDINGS)
def test_gives_every_record_with_its_offset(ending: str) -> None:
    parts = [packed(warc_record(http_response(PAGE), f"https://a.example/{number}"), ending) for number in range(5)]
    found = read(*parts)
    assert [record.offset for record in found] == [sum(map(len, parts[:number])) for number in range(5)]
    assert [record.url for record in found] == [f"https://a.example/{number}" for number in range(5)]
    assert {record.body for record in found} == {PAGE}
    assert {record.fault for record in found} == {None}


@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_reads_a_member_of_many_records(ending: str) -> None:
    records = b"".join(warc_record(http_response(PAGE), f"https://a.example/{number}") for number in range(2000))
    found = read(packed(records, ending))
    assert len(found) == 2000
    assert {(record.offset, record.body) for record in found} == {(0, PAGE)}


def test_reads_members_that_end_within_records() -> None:
    records = b"".join(warc_record(http_response(PAGE * 20), f"https://a.example/{number}") for number in range(20))
    blocks = [gzip.compress(records[start : start + 700]) for start in range(0, len(records), 700)]
    found = read(*blocks, gzip.compress(b""))
    assert [record.url for record in found] == [f"https://a.example/{number}" for number in range(20)]
    assert {record.body for record in found} == {PAGE * 20}


def test_reads_gzip_members_and_zstandard_frames_in_one_file() -> None:
    record = warc_record(http_response(PAGE))
    found = read(
        gzip.compress(record), zstd.compress(record), b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc", zstd.compress(record)
    )
    assert [record.body for record in found] == [PAGE] * 3


def test_tells_what_the_record_says() -> None:
    more = "WARC-IP-Address: 192.0.2.7\nWARC-Payload-Digest: sha1:ABC"
    found = only(
        http_response(PAGE, "X-Robots-Tag: noindex\nX-Robots-Tag: noai", kind="text/html; charset=utf-8"), more=more
    )
    assert (found.ip, found.digest, found.date) == ("192.0.2.7", "sha1:ABC", "2024-05-14T08:00:00Z")
    assert found.record_id == "<urn:uuid:00000000-0000-0000-0000-000000000001>"
    assert found.content_type == "text/html; charset=utf-8"
    assert found.headers[1:] == (("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "noai"))


@pytest.mark.parametrize("version", ["0.17", "0.18", "1.0", "1.1"])
def test_reads_all_versions(version: str) -> None:
    assert only(http_response(PAGE), version=version).body == PAGE


@pytest.mark.parametrize("kind", ["warcinfo", "request", "metadata", "conversion", "continuation"])
def test_has_no_page_in_other_types(kind: str) -> None:
    found = only(b"a: b", kind=kind, content_type="application/warc-fields")
    assert (found.type, found.body, found.fault) == (kind, None, None)


def test_reads_wgets_urls_and_its_log() -> None:
    assert only(http_response(PAGE), url="<https://a.example/>").url == "https://a.example/"
    log = only(b"log", kind="resource", url="metadata://gnu.org/software/wget/warc/wget.log", content_type="text/plain")
    assert (log.type, log.body, log.fault) == ("resource", None, None)


def test_reads_a_page_that_is_a_resource() -> None:
    found = only(PAGE, kind="resource", content_type="text/html; charset=utf-8")
    assert (found.status, found.body, found.content_type) == (None, PAGE, "text/html; charset=utf-8")


def test_reads_lines_that_end_with_lf_alone() -> None:
    block = http_response(PAGE).replace(b"\r\n", b"\n")
    record = warc_record(block).replace(b"\r\n", b"\n")
    assert [found.body for found in read(record, record)] == [PAGE, PAGE]


def test_reads_folded_and_latin_1_headers() -> None:
    found = only(
        b"HTTP/1.0 200 OK\r\nX-City: K\xf6ln\r\nContent-Type: text/html;\r\n charset=iso-8859-1\r\n\r\n" + PAGE
    )
    assert found.headers[0] == ("X-City", "Köln")
    assert found.content_type == "text/html; charset=iso-8859-1"


def test_passes_over_interim_responses() -> None:
    found = only(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + http_response(PAGE))
    assert (found.status, found.body) == (200, PAGE)


def test_takes_a_page_without_a_response_header() -> None:
    assert only(PAGE).body == PAGE


@pytest.mark.parametrize("kind", ["image/png", "application/json", "text/plain", "application/pdf"])
def test_leaves_other_content_alone(kind: str) -> None:
    found = only(http_response(b"\x89PNG", "Content-Encoding: gzip", kind=kind))
    assert (found.type, found.body, found.fault, found.content_type) == ("response", None, None, kind)


@pytest.mark.parametrize("kind", ["", "application/octet-stream", "text/xml"])
def test_looks_into_content_of_an_unclear_type(kind: str) -> None:
    assert only(http_response(b"<!DOCTYPE html>" + PAGE, kind=kind)).body == b"<!DOCTYPE html>" + PAGE
    assert only(http_response(b"<rss/>", kind=kind)).body is None


def test_believes_the_type_that_the_crawler_found_where_the_server_states_none() -> None:
    block = b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\nPlain words"
    assert only(block, more="WARC-Identified-Payload-Type: text/html").body == b"Plain words"
    assert only(block).body is None


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("Content-Encoding: gzip", gzip.compress(PAGE * 500)),
        ("Content-Encoding: deflate", zlib.compress(PAGE * 500)),
        ("Transfer-Encoding: chunked", chunked(PAGE * 500)),
    ],
)
def test_keeps_what_there_is_of_a_page_that_the_crawler_cut(headers: str, body: bytes) -> None:
    block = http_response(body[: len(body) - 20], headers)
    cut = only(block, more="WARC-Truncated: length")
    assert cut.body is not None
    assert (PAGE * 500).startswith(cut.body[: len(PAGE)])
    assert cut.fault is None


def test_reads_a_body_of_several_encodings() -> None:
    found = only(http_response(gzip.compress(brotli.compress(PAGE)), "Content-Encoding: br, x-gzip"))
    assert found.body == PAGE


def test_reads_chunks_with_extensions_and_without_the_last() -> None:
    body = b'5;name="a"\r\n<html\r\n1\r\n>\r\n'
    assert only(http_response(body, "Transfer-Encoding: Chunked")).body == b"<html>"
    assert only(http_response(body + b"0\r\nTrailer: x\r\n\r\n", "Transfer-Encoding: chunked")).body == b"<html>"


def test_an_empty_file_has_no_records() -> None:
    assert read() == []
    assert read(gzip.compress(b"")) == []


def test_needs_no_seekable_file() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self._rest = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            return self._rest.readinto(memoryview(buffer)[:7])  # type: ignore[arg-type]

    member = gzip.compress(warc_record(http_response(PAGE)))
    found = list(read_records(Pipe(member + member[:60] + member)))  # type: ignore[arg-type]
    assert [record.body for record in found] == [PAGE, None, PAGE]
