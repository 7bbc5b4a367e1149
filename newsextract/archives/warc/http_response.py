"""The HTTP response in a record: its status, its headers, and the page if it holds one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsextract.archives.warc.content_decoding import BadBody, decode_body
from newsextract.archives.warc.header_lines import HeaderFields, read_fields

_MAX_HEAD_BYTES = 256 * 1024
_STATUS_LINE = re.compile(rb"(?:HTTP/\d(?:\.\d)?|ICY)[ \t]+(\d{3})(?!\d)")
_FIELD_LINE = re.compile(rb":?[A-Za-z][\w-]*:[^\n]*\n")
_HEAD_END = re.compile(rb"\r?\n\r*\n")
_INFORMATIONAL = range(100, 200)

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_UNCLEAR_TYPES = frozenset(
    {"", "*/*", "unknown/unknown", "application/unknown", "text/xml", "application/xml", "application/octet-stream"}
)
"""Types of which the first bytes decide, by WHATWG's MIME sniffing, and XML, as which XHTML may be sent."""
_PAGE_START = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta)\b", re.IGNORECASE)
_SNIFFED_BYTES = 1024


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response; `body` is what follows the header, as stored."""

    status: int | None
    fields: HeaderFields
    body: bytes


def read_response(block: bytes) -> HttpResponse:
    """Return the parts of a response; interim ones, such as 100 Continue, are passed over.

    Raises:
        BadBody: no response begins the block.
    """
    while True:
        response = _one_response(block)
        if response.status not in _INFORMATIONAL or not response.body.startswith(b"HTTP/"):
            return response
        block = response.body


def _one_response(block: bytes) -> HttpResponse:
    line = _STATUS_LINE.match(block)
    if line is None and not _FIELD_LINE.match(block):
        if not block.lstrip().startswith(b"<"):
            raise BadBody("no HTTP response begins the record" if block else "the record is empty")
        return HttpResponse(None, HeaderFields(), block)  # HTTP/0.9, or only the page was kept
    end = _HEAD_END.search(block, 0, _MAX_HEAD_BYTES)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block[:_MAX_HEAD_BYTES], b"")
    fields = read_fields(head, has_start_line=line is not None)
    pseudo = fields.get(":status")
    status = int(line[1]) if line else int(pseudo) if re.fullmatch(r"\d{3}", pseudo, re.ASCII) else None
    return HttpResponse(status, fields, body)


def page_of(response: HttpResponse, content_type: str, max_bytes: int, *, is_cut: bool) -> bytes | None:
    """Return the decoded page, None if the response holds none.

    Raises:
        BadBody: there is one, but it cannot be decoded, or is too large.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in _PAGE_TYPES and kind not in _UNCLEAR_TYPES:
        return None
    fields = response.fields
    encodings = fields.get("transfer-encoding"), fields.get("content-encoding")
    if kind in _PAGE_TYPES:
        return decode_body(response.body, *encodings, max_bytes, is_cut=is_cut)
    try:
        page = decode_body(response.body, *encodings, max_bytes, is_cut=is_cut)
    except BadBody:
        return None  # of unclear type, and no page that anybody could see
    return page if _PAGE_START.search(page[:_SNIFFED_BYTES]) else None
