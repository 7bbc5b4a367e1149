"""One record of a WARC file, as the reader of archives hands it on.

A file is told whole: each record and each stretch of bytes that is no record comes as one of these, in the order of
the file, so that what became of them can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass

DAMAGED = "damaged"
"""The type of a stretch of a file that could not be read as a record, or whose page could not be decoded."""


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record of a WARC file, or a damaged stretch of one.

    `offset` is where it begins in the file as stored; of a compressed file, where its member begins, which it may
    share with others. `headers` are those of the HTTP response, with their names as sent; `body` is the page's bytes
    without chunks and content encodings, None unless the record holds a page. A damaged record has the type `damaged`
    and says in `fault`, for people, what is wrong with it; its body is None.
    """

    offset: int
    type: str
    """warcinfo, response, resource, request, metadata, revisit, conversion, continuation, unknown, or damaged."""
    record_id: str | None = None
    url: str | None = None
    date: str | None = None
    """ISO 8601, UTC."""
    digest: str | None = None
    ip: str | None = None
    status: int | None = None
    """Of the HTTP response."""
    content_type: str | None = None
    """Of the HTTP response, with its charset."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    fault: str | None = None
