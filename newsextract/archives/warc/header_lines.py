"""Header lines, as WARC records and HTTP responses have them, read by FastWARC."""

from __future__ import annotations

import io
import re

from newsextract.archives.warc.fastwarc_parts import HeaderMap

_LINE_END = re.compile(rb"\r*\n")
_PSEUDO = re.compile(rb"^:([a-z-]+):[ \t]*(.*?)\r?$", re.MULTILINE)
"""A pseudo header of HTTP/2, such as `:status: 200` (RFC 9113, section 8.3)."""


class HeaderFields:
    """Names and values in order; names are looked up whatever their case, and the first value counts."""

    __slots__ = ("_first", "pairs", "start_line")

    def __init__(self, start_line: str = "", pairs: tuple[tuple[str, str], ...] = ()) -> None:
        self.start_line = start_line
        """The version, or the status line; empty if there is none."""
        self.pairs = pairs
        self._first: dict[str, str] = {}
        for name, value in pairs:
            self._first.setdefault(name.lower(), value)

    def get(self, name: str) -> str:
        """Return the value of a header by its lower-case name; an empty string if it is not there."""
        return self._first.get(name, "")


def read_fields(head: bytes, *, has_start_line: bool = True) -> HeaderFields:
    """Return the fields of a header; lines may end with LF alone, and bytes that are not UTF-8 are Latin-1."""
    pairs: list[tuple[str, str]] = []
    if b"\n:" in head or head.startswith(b":"):
        pairs = [(f":{_text(name)}", _text(value)) for name, value in _PSEUDO.findall(head)]
        head = _PSEUDO.sub(b"X-Pseudo-Header: \r", head)
    if not _is_utf8(head):
        head = head.decode("iso-8859-1").encode()
    fields = HeaderMap("utf-8")
    fields.parse(io.BytesIO(_LINE_END.sub(b"\r\n", head.rstrip(b"\r\n")) + b"\r\n\r\n"), has_start_line)
    pairs += [pair for pair in fields.to_tuples() if pair[0] and pair[0] != "X-Pseudo-Header"]
    return HeaderFields(fields.status_line or "", tuple(pairs))


def _is_utf8(head: bytes) -> bool:
    if head.isascii():
        return True
    try:
        head.decode()
    except UnicodeDecodeError:
        return False
    return True


def _text(value: bytes) -> str:
    return value.decode("utf-8" if _is_utf8(value) else "iso-8859-1").strip()
