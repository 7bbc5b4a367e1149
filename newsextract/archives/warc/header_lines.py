"""Header lines, as WARC records and HTTP responses have them.

FastWARC's reader of headers takes no more than 32 KiB, no lines that end with LF alone, and no pseudo headers.
"""

from __future__ import annotations

import re

_FOLD = re.compile(r"\s*\n[ \t]+")


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
    """Return the fields of a header; lines may end with LF alone, and bytes that are not UTF-8 are Latin-1.

    A line that begins with white space goes on with the one before it (RFC 9112, section 5.2), one without a colon is
    passed over, and the name of a pseudo header of HTTP/2 keeps its colon: `:status` (RFC 9113, section 8.3).
    """
    lines = _FOLD.sub(" ", _decoded(head)).split("\n")
    start_line = lines.pop(0).strip() if has_start_line else ""
    pairs = []
    for line in lines:
        pseudo = ":" if line.startswith(":") else ""
        name, colon, value = line[len(pseudo) :].partition(":")
        if colon and (name := name.strip()):
            pairs.append((pseudo + name, value.strip()))
    return HeaderFields(start_line, tuple(pairs))


def _decoded(head: bytes) -> str:
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("iso-8859-1")
