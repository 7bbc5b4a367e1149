"""Decode a page's bytes: by byte-order mark, HTTP header, `meta`, then detection.

The order is the browsers' (HTML Standard, "Determining the character encoding"), with one correction: a declaration
that the bytes contradict is not believed. Pages in UTF-8 labelled Latin-1, and the reverse, are common on news sites.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

DETECTION_BYTES = 64 * 1024
"""Enough text to recognise a charset; more only costs time."""

MAX_WRONG_SHARE = 0.01
"""The share of undecodable characters, of those outside ASCII, up to which a declaration is still believed."""

MAX_WRONG_UTF8_SHARE = 0.3
"""The same for UTF-8. Text in another charset hardly ever looks like it, so one pasted quote is forgiven."""

_CODECS = frozenset(
    """
    big5 big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 euc_jp
    gb18030 hz iso2022_jp iso2022_kr iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10
    iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-cyrillic mac-roman utf-8
    utf-16 utf-16-be utf-16-le utf-32 utf-32-be utf-32-le
    """.split()
)
"""Python's names of the charsets that pages may be written in (Encoding Standard, 4.2), with three of old mail and of
databases. Python has codecs for much else: for host names, for compressed data, for mainframes, for its own strings."""

_ASCII_LINE = re.compile(rb"^[\x00-\x7f]*$", re.MULTILINE)
_TAG = re.compile(rb"<[^<>]*>")
_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a page, the charset it was decoded with, and what named that charset."""

    text: str
    charset: str
    source: str
    """One of `bom`, `http`, `meta`, `content` (valid UTF-8), `detection`, `default`."""
    utf8: bytes | None = field(default=None, repr=False, compare=False)
    """The text in UTF-8 if the page came in it, else `None`."""


def decode(body: bytes, http_charset: str | None = None) -> Decoded:
    """Return the text of `body`; never raises, undecodable bytes become U+FFFD.

    >>> decode("<p>état</p>".encode("cp1252"), "iso-8859-1").text
    '<p>état</p>'
    """
    by_mark, mark = read_bom(body)
    if by_mark and mark:
        return Decoded(body[len(mark) :].decode(by_mark, "replace"), by_mark, "bom")
    for source in ("http", "meta"):
        charset = _usable(http_charset if source == "http" else html_body_declared_encoding(body))
        if charset and (decoded := _as_declared(body, charset, source)):
            return decoded
    return _undeclared(body)


def _usable(name: str | None) -> str | None:
    """Return the codec that browsers use for a declared name, or `None`.

    >>> _usable("Latin-1"), _usable("rot13"), _usable(None)
    ('cp1252', None, None)
    """
    resolved = resolve_encoding(name) if name else None
    return resolved if resolved in _CODECS else None


def _as_declared(body: bytes, charset: str, source: str) -> Decoded | None:
    """Decode as declared, or return `None` if the bytes contradict the declaration."""
    if charset == "utf-8":
        with suppress(UnicodeDecodeError):
            return Decoded(body.decode(), "utf-8", source, body)
    if charset.startswith(_WIDE):
        # A meta written in ASCII cannot declare a charset in which it would be unreadable.
        if source == "meta":
            return None
        if charset[-2:] not in ("le", "be"):
            charset += "-be" if body.startswith(b"\x00") else "-le"
    elif charset != "utf-8" and _is_multibyte_utf8(body):
        return Decoded(body.decode("utf-8", "replace"), "utf-8", "content")
    text = body.decode(charset, "replace")
    # A download cut off inside a character does not speak against the charset.
    wrong = text.count("\ufffd") - text.endswith("\ufffd")
    allowed = MAX_WRONG_UTF8_SHARE if charset == "utf-8" else MAX_WRONG_SHARE
    if wrong and wrong > allowed * (len(text) - len(text.encode("ascii", "ignore"))):
        return None
    return Decoded(text, charset, source)


def _is_multibyte_utf8(body: bytes) -> bool:
    """Tell whether the bytes go beyond ASCII and are valid UTF-8, which other charsets are not by chance.

    The last character may be cut short.
    """
    if body.isascii():
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and not body[: error.start].isascii()
    return True


def _undeclared(body: bytes) -> Decoded:
    if body.isascii() or _is_multibyte_utf8(body):
        return Decoded(body.decode("utf-8", "replace"), "utf-8", "content")
    from charset_normalizer import from_bytes  # noqa: PLC0415 - few pages need it, and no program only to start

    # Markup and scripts are ASCII in every charset and tell the detector nothing.
    sample = _TAG.sub(b" ", _ASCII_LINE.sub(b"", body))[:DETECTION_BYTES]
    best = from_bytes(sample).best()
    if best is None:
        return Decoded(body.decode("utf-8", "replace"), "utf-8", "default")
    return Decoded(body.decode(best.encoding, "replace"), best.encoding, "detection")
