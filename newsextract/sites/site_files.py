"""The files a site publishes about itself, opened safely: unpacked, limited, decoded, piece by piece.

SiteFileError
├── TooLarge         more bytes than allowed, before or after unpacking
├── Malformed        not what it says it is, or broken from some point on
└── ForbiddenEntity  declares a document type or entities, which no honest sitemap or feed needs
"""

from __future__ import annotations

import codecs
import gzip
import html
import re
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING

from w3lib.encoding import resolve_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO


# Dates as sites write them in sitemaps and feeds, and as people write them on a command line.
#
# Every date returned has a time zone: one without an offset is read as UTC, which is wrong by half a day at most.

FIRST_YEAR = 1605
"""The first printed newspaper; anything earlier is a placeholder such as 0001-01-01."""

LAST_YEAR = 9998
"""A year later, converting to another offset could exceed Python's last date."""

MAX_DATE_CHARS = 64
"""The longest spelling, in characters, is a third of this: longer text is not a date, and not parsed."""

_ZONES = {
    "Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00", "WET": "+00:00", "BST": "+01:00", "CET": "+01:00",
    "CEST": "+02:00", "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00", "KST": "+09:00",
}  # fmt: skip
"""Zone names outside ISO 8601 and RFC 822 whose meaning is undisputed."""

_ZONE = re.compile(rf"\s*\b(?:{'|'.join(_ZONES)})$")
_OFFSET = re.compile(r"(?:[A-Za-z]|[+-]\d\d:?\d\d)$")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2}))?")
_SPACE_BEFORE_OFFSET = re.compile(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)")

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_date(raw: str | None) -> datetime | None:
    """Return the date in a W3C, ISO 8601 or RFC 822 text, with a time zone; `None` if it is none of these.

    >>> parse_date("2024-05").isoformat(), parse_date("Tue, 14 May 2024 08:00:00 CEST").isoformat()
    ('2024-05-01T00:00:00+00:00', '2024-05-14T08:00:00+02:00')
    >>> parse_date("yesterday") is None
    True
    """
    if not raw or len(raw) > MAX_DATE_CHARS:
        return None
    text = _with_offset(raw.strip())
    attempts = (_attempt(read, text) for read in (_read_year_or_month, datetime.fromisoformat, parsedate_to_datetime))
    date = next(filter(None, attempts), None)
    return date if date and FIRST_YEAR <= date.year <= LAST_YEAR else None


def stated_date(raw: str | None) -> str | None:
    """Return the date in a text as ISO 8601, with time and offset only where stated; `None` if it has no day.

    >>> stated_date("2024-05-14"), stated_date("2024-05-14T08:00"), stated_date("Tue, 14 May 2024 08:00:00 CEST")
    ('2024-05-14', '2024-05-14T08:00:00', '2024-05-14T08:00:00+02:00')
    """
    text = (raw or "").strip()
    date = parse_date(text)
    if date is None or _YEAR_OR_MONTH.fullmatch(text):
        return None
    if ":" not in text:
        return date.date().isoformat()
    return (date if _OFFSET.search(text) else date.replace(tzinfo=None)).isoformat()


def _attempt(read: Callable[[str], datetime | None], text: str) -> datetime | None:
    # The email parser unpacks what it could not split, hence the last two exceptions.
    try:
        date = read(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return date.replace(tzinfo=UTC) if date and date.tzinfo is None else date


def _with_offset(text: str) -> str:
    named = _ZONE.sub(lambda match: _ZONES[match[0].strip()], text)
    # RFC 822 wants the space before the offset and no colon in it, ISO 8601 the contrary.
    return (
        _SPACE_BEFORE_OFFSET.sub("", named)
        if named[:4].isdigit()
        else re.sub(r"\s*([+-]\d\d):(\d\d)$", r" \1\2", named)
    )


def _read_year_or_month(text: str) -> datetime | None:
    match = _YEAR_OR_MONTH.fullmatch(text)
    return datetime(int(match[1]), int(match[2] or 1), 1, tzinfo=UTC) if match else None


def parse_since(text: str, now: datetime) -> datetime:
    """Return the time that an age ("2d", "36h") or an ISO date means; raises `ValueError` for anything else.

    >>> parse_since("36h", datetime(2024, 5, 14, tzinfo=UTC)).isoformat()
    '2024-05-12T12:00:00+00:00'
    """
    age = parse_age(text)
    try:
        moment = parse_date(text) if age is None else now - age
    except OverflowError:
        moment = None
    if moment is None:
        raise ValueError(
            f"cannot read {text!r}: write an age (90m, 36h, 2d, 1w), a date (2024-05-14) "
            "or a date and time (2024-05-14T08:00+02:00)"
        )
    return moment


def parse_age(text: str) -> timedelta | None:
    """Return the time that an age such as `36h` means; `None` if it is none."""
    age = _AGE.fullmatch(text.strip())
    return timedelta(**{_UNITS[age[2].lower()]: int(age[1])}) if age else None


PIECE_BYTES = 64 * 1024
"""Bytes read at a time: large enough to be fast, small enough not to matter in memory."""

_GZIP_MAGIC = b"\x1f\x8b"

_SIGNATURES = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"<\0": "utf-16-le",
    b"\0<\0": "utf-16-be",
}
"""First bytes that reveal the encoding."""

_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,100}encoding\s*=\s*["']([\w.:-]{1,40})["']""")

# A declaration readable as ASCII cannot be UTF-16, and some of Python's codecs are no charset at all.
_CREDIBLE_ENCODING = re.compile(r"utf-8|iso|cp\d|gb|big5|euc|shift|koi8|mac|ascii|tis")

_UNWELCOME = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]+")
"""Characters that no XML document may contain, and at which a parser stops."""

_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*", re.DOTALL | re.IGNORECASE)

_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,31});")


class SiteFileError(Exception):
    """A sitemap or feed cannot be read, or not to its end."""

    reason = "malformed"
    """Short, and the same for every error of its kind, as it becomes part of a stat's name."""


class TooLarge(SiteFileError):  # noqa: N818 - the base class says that it is an error
    """The file has more bytes than allowed."""

    reason = "too large"


class Malformed(SiteFileError):  # noqa: N818 - the base class says that it is an error
    """The file is not what it says it is, or is broken from some point on."""


class ForbiddenEntity(SiteFileError):  # noqa: N818 - the base class says that it is an error
    """The file declares a document type or entities."""

    reason = "declares entities"


def unpack(body: bytes, max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes in pieces, unpacked if they are gzipped; raises `TooLarge` beyond the limit."""
    packed = body.startswith(_GZIP_MAGIC)
    stream: IO[bytes] = gzip.GzipFile(fileobj=BytesIO(body)) if packed else BytesIO(body)  # type: ignore[assignment]
    size = len(body)  # packed or not, this much is too much already
    done = 0
    while size <= max_bytes and (piece := _read_piece(stream)):
        yield piece
        done += len(piece)
        size = max(size, done)
    if size > max_bytes:
        raise TooLarge(f"more than the {max_bytes:,} bytes allowed")


def _read_piece(stream: IO[bytes]) -> bytes:
    try:
        return stream.read(PIECE_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise Malformed(f"broken gzip file: {error}") from error


def read_text(body: bytes, max_bytes: int) -> Iterator[str]:
    """Yield the text in pieces, without leading white space and without characters that XML forbids."""
    pieces = unpack(body, max_bytes)
    first = next(pieces, b"")
    decoder = codecs.getincrementaldecoder(detect_encoding(first))("replace")
    started = False
    for piece in chain([first], pieces):
        text = _UNWELCOME.sub("", decoder.decode(piece))
        text = text if started else text.lstrip("\ufeff \t\r\n")
        started = started or bool(text)
        if text:
            yield text


def detect_encoding(start: bytes) -> str:
    """Return the encoding that the first bytes announce, UTF-8 when they announce none or an impossible one.

    >>> detect_encoding(b'<?xml version="1.0" encoding="ISO-8859-1"?>'), detect_encoding(b"<urlset>")
    ('cp1252', 'utf-8')
    """
    for signature, encoding in _SIGNATURES.items():
        if start.startswith(signature):
            return encoding
    declared = _DECLARATION.match(start[:512])
    name = resolve_encoding(declared[1].decode("ascii")) if declared else None
    return name if name and _CREDIBLE_ENCODING.match(name) else "utf-8"


def skip_prolog(text: str) -> str:
    """Return the text from its first element on, without the XML prolog.

    >>> skip_prolog('<?xml version="1.0"?><!-- <a> --><!DOCTYPE rss><rss>')
    '<rss>'
    """
    prolog = _PROLOG.match(text)
    return text[prolog.end() :] if prolog else text


def unescape(text: str) -> str:
    """Return the text with its character references resolved, only those that end in a semicolon.

    >>> unescape("/?a=1&amp;copy=2&copy=3")
    '/?a=1&copy=2&copy=3'
    """
    return _REFERENCE.sub(lambda match: html.unescape(match[0]), text)


def fold(text: str | None) -> str | None:
    r"""Return the text on one line without outer space; `None` if nothing is left.

    >>> fold(" Floods in\n the Alps "), fold("  ")
    ('Floods in the Alps', None)
    """
    return " ".join(text.split()) or None if text else None
