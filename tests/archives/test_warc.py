"""What the reader makes of records, as crawlers write them and damaged in any way."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import tracemalloc
import zlib
from collections import Counter
from hashlib import sha256
from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.archives.http_response import brotli, zstd
from newsextract.archives.warc import DAMAGED, TYPES, WarcRecord, read_records, utc_date
from tests.archives.damaging import (
    FORMATS,
    WRONG_LENGTHS,
    chunked,
    http_response,
    made_records,
    packed,
    warc_record,
    write_archive,
)

pytest.importorskip("brotli", reason="wants the extra `archive`")

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(("headers", "body"), [
    ("Content-Encoding: gzip", gzip.compress(PAGE * 500)),
    ("Content-Encoding: deflate", zlib.compress(PAGE * 500)),
    ("Transfer-Encoding: chunked", chunked(PAGE * 500)),
])  # fmt: skip
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


_draw = random.Random(1)  # noqa: S311 - the same every time
PAGES = [f"<html><body>{_draw.randbytes(150).hex()}</body></html>".encode() for _ in range(3)]
URLS = [f"https://a.example/{number}" for number in range(3)]
RECORDS = [warc_record(http_response(page), url) for page, url in zip(PAGES, URLS, strict=True)]
PACKED = {ending: [packed(record, ending) for record in RECORDS] for ending in FORMATS}
KNOWN = {*TYPES, "unknown", DAMAGED}


def read_checked(data: bytes, **options: int) -> list[WarcRecord]:
    """Read a file, and check what holds of every file."""
    found = list(read_records(io.BytesIO(data), **options))
    for record in found:
        assert record.type in KNOWN
        assert (record.type == DAMAGED) == (record.fault is not None)
        assert record.fault is None or record.body is None
        assert record.date is None or utc_date(record.date) == record.date
        assert 0 <= record.offset < len(data)
    assert [record.offset for record in found] == sorted(record.offset for record in found)
    return found


def pages(found: list[WarcRecord]) -> list[bytes | None]:
    return [record.body for record in found if record.body is not None]


def faults(found: list[WarcRecord]) -> list[tuple[int, str]]:
    return [(record.offset, record.fault) for record in found if record.fault]


@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_cut_at_any_byte_keeps_its_whole_records_and_counts_the_cut_one(ending: str) -> None:
    parts = PACKED[ending]
    data = b"".join(parts)
    ends = [sum(map(len, parts[: number + 1])) for number in range(len(parts))]
    for size in range(len(data)):
        found = read_checked(data[:size])
        whole = sum(end <= size for end in ends)
        # The line ends behind a record of a plain file are no part of it.
        spare = 4 if ending == ".warc" else 0
        assert whole <= len(pages(found)) <= sum(end - spare <= size for end in ends), size
        is_cut = size not in (0, *ends) and len(pages(found)) == whole
        assert len(faults(found)) == is_cut, size
        assert pages(found) == PAGES[: len(pages(found))]


@pytest.mark.parametrize("ending", [".warc.gz", ".warc.zst"])
def test_a_flipped_bit_costs_one_record_of_a_compressed_file(ending: str) -> None:
    data = b"".join(PACKED[ending])
    for position in range(len(data)):
        torn = bytearray(data)
        torn[position] ^= 1 << (position % 8)
        found = read_checked(bytes(torn))
        # Nothing that was damaged passes for a page; bits of a time or a name in a gzip header damage nothing.
        assert set(pages(found)) <= set(PAGES)
        assert len(pages(found)) >= 2, position
        assert len(pages(found)) == 3 or faults(found), position


def test_a_flipped_bit_in_a_header_of_a_plain_file_costs_no_other_record() -> None:
    start, size = len(RECORDS[0]), RECORDS[1].index(b"\r\n\r\n") + 4
    for position in range(start, start + size):
        for bit in range(8):
            torn = bytearray(b"".join(RECORDS))
            torn[position] ^= 1 << bit
            found = read_checked(bytes(torn))
            bodies = pages(found)
            assert bodies[0] == PAGES[0], (position, bit)
            assert bodies[-1] == PAGES[2], (position, bit)
            assert len(found) >= 3, (position, bit)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("done", WRONG_LENGTHS)
def test_a_wrong_length_costs_one_record(done: str, ending: str) -> None:
    response = http_response(PAGES[1])
    wrong = packed(warc_record(response, URLS[1], length=WRONG_LENGTHS[done](len(response))), ending)
    found = read_checked(PACKED[ending][0] + wrong + PACKED[ending][2])
    assert pages(found) == [PAGES[0], PAGES[2]]
    assert [record.url for record in found] == URLS
    ((offset, fault),) = faults(found)
    assert offset == len(PACKED[ending][0])
    assert "Content-Length" in fault


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "between", [b"between" * 100, bytes(5000), b"\x1f\x8b\x08\x00" * 9, b"WARC/", b"\x28\xb5\x2f\xfd"]
)
def test_bytes_between_records_are_one_damaged_stretch(between: bytes, ending: str) -> None:
    found = read_checked(PACKED[ending][0] + between + PACKED[ending][1])
    assert pages(found) == PAGES[:2]
    assert faults(found)[0][0] == len(PACKED[ending][0])


def test_a_file_of_another_kind_is_one_damaged_stretch() -> None:
    for data in (b"%PDF-1.7 " + bytes(range(256)) * 500, b"x", bytes(1_000_000), gzip.compress(b"no archive " * 1000)):
        found = read_checked(data)
        assert [record.type for record in found] == [DAMAGED]


def test_a_page_larger_than_wanted_is_damaged_and_others_are_read() -> None:
    large = warc_record(http_response(b"<html>" + b"x" * 300_000), URLS[1])
    packed_page = gzip.compress(b"<html>" + b"x" * 300_000)
    small_bomb = warc_record(http_response(packed_page, "Content-Encoding: gzip"), URLS[1])
    for record in (large, small_bomb):
        for ending in FORMATS:
            found = read_checked(packed(record, ending) + PACKED[ending][2], max_bytes=100_000)
            assert pages(found) == [PAGES[2]]
            ((_, fault),) = faults(found)
            assert "100,000" in fault


def test_a_bomb_is_left_behind_without_being_unpacked() -> None:
    bomb = gzip.compress(b"WARC/1.0\r\nX: " + bytes(100_000_000), 9)
    tracemalloc.start()
    found = read_checked(PACKED[".warc.gz"][0] + bomb + PACKED[".warc.gz"][1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pages(found) == PAGES[:2]
    assert any("bomb" in fault for _, fault in faults(found))
    assert peak < 40_000_000


def test_memory_does_not_grow_with_the_file_or_its_lengths() -> None:
    record = warc_record(http_response(b"<html>" + b"y" * 50_000))
    liar = warc_record(http_response(PAGES[0]), length=10**12)

    class Endless(io.RawIOBase):
        parts = islice(cycle([record, liar, record]), 3000)
        rest = b""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            view = memoryview(buffer)  # type: ignore[arg-type]
            self.rest = self.rest or next(self.parts, b"")
            size = min(len(view), len(self.rest))
            view[:size], self.rest = self.rest[:size], self.rest[size:]
            return size

    tracemalloc.start()
    kinds = Counter(found.type for found in read_records(Endless(), max_bytes=1_000_000))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert kinds == {"response": 2000, DAMAGED: 1000}
    assert peak < 12_000_000


@pytest.mark.parametrize("ending", FORMATS)
def test_a_made_archive_is_read_as_its_manifest_says(ending: str, tmp_path: Path) -> None:
    rng = random.Random(ending)  # noqa: S311 - the same every time
    stories = [(f"https://a.example/{number}", PAGES[number % 3] * 20 + b"%d" % number) for number in range(120)]
    made = write_archive(tmp_path / f"x{ending}", ending, made_records(stories, 0.5, rng), rng)
    assert json.loads(json.dumps(made)) == made
    with (tmp_path / f"x{ending}").open("rb") as file:
        found = list(read_records(file))
    by_id = {record.record_id: record for record in found if record.record_id}
    by_offset = {record.offset: record for record in found}
    for line in made:
        record = by_id.get(str(line["record_id"])) or by_offset[int(str(line["offset"]))]
        if line["expected"] == "page":
            assert sha256(record.body or b"").hexdigest() == line["page_sha256"], line
        else:
            assert (record.type, record.body) == (line["expected"], None), (line, record.fault)
    between = sum(line["done"] == "bytes between" for line in made)
    assert len(found) == 1 + len(made) + between


_TORN = st.tuples(
    st.integers(0, 10**6), st.sampled_from(["cut", "flip", "drop", "insert", "double"]), st.binary(max_size=40)
)


def tear(data: bytes, how: tuple[int, str, bytes]) -> bytes:
    place, done, more = how
    at = place % (len(data) + 1)
    if done == "cut":
        return data[:at]
    if done == "flip":
        return data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + len(more)]) + data[at + len(more) :]
    if done == "drop":
        return data[:at] + data[at + len(more) :]
    return data[:at] + more + data[at:] if done == "insert" else data[:at] + data[at // 2 :]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FORMATS), st.lists(_TORN, max_size=4))
def test_no_damage_raises_and_what_lies_before_it_is_read(ending: str, damage: list[tuple[int, str, bytes]]) -> None:
    data = b"".join(PACKED[ending])
    torn = data
    for how in damage:
        torn = tear(torn, how)
    found = read_checked(torn)
    same = next((at for at, pair in enumerate(zip(data, torn, strict=False)) if pair[0] != pair[1]), len(torn))
    whole = [page for page, end in zip(PAGES, _ends(ending), strict=True) if end <= same]
    assert pages(found)[: len(whole)] == whole


def _ends(ending: str) -> list[int]:
    return [sum(map(len, PACKED[ending][: number + 1])) for number in range(3)]


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=30)
    | st.from_regex(re.compile(r"\d{0,4}-?\d{0,2}-?\d{0,2}T?\d\d:?\d\d(\+\d\d:\d\d|Z)?"), fullmatch=True)
)
def test_dates_are_utc_or_none(written: str) -> None:
    found = utc_date(written)
    assert found is None or (utc_date(found) == found and found.endswith("Z"))


def test_a_dictionary_of_a_zstandard_file_is_used() -> None:
    samples = [warc_record(http_response(PAGES[number % 3]), f"https://a.example/{number}") for number in range(300)]
    dictionary = zstd.train_dict(samples, 4096)
    frames = [zstd.compress(record, zstd_dict=dictionary) for record in samples[:3]]
    for kept in (dictionary.dict_content, zstd.compress(dictionary.dict_content)):
        start = b"\x5d\x2a\x4d\x18" + len(kept).to_bytes(4, "little") + kept
        assert pages(read_checked(start + b"".join(frames))) == PAGES
