"""The forms in which a text may be written in HTML, scripts, URLs and headers.

A character other than a letter or digit of ASCII may be written as itself in UTF-8 or Latin-1, in percent-encoding, as
an HTML entity, or as an escape of JSON and JavaScript, each of them also twice: `%2540`, `&amp;#64;`. A whole text may
be in UTF-16 or Base64. All are looked for in lower case: servers put e-mail addresses and percent-encoding into it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BITS_PER_BASE64, _BITS_PER_BYTE = 6, 8
_FIRST_OWN = (0, 2, 3)
"""The first character of Base64 that is of a text alone, after so many bytes of another text."""


@dataclass(frozen=True)
class WrittenForm:
    """One form of a text."""

    core: bytes = field(repr=False)
    """What all its spellings have in them, in lower case; it is found much faster than they are."""
    pattern: re.Pattern[bytes] = field(repr=False)

    def spans_in(self, lowered: bytes) -> Iterator[tuple[int, int]]:
        """Yield where the text is in bytes in lower case."""
        if self.core in lowered:
            for match in self.pattern.finditer(lowered):
                yield match.span()


def forms_of(text: str) -> Iterator[WrittenForm]:
    """Yield the forms of a text."""
    runs = re.findall("[a-z0-9]+", text.lower())
    core = max(runs, key=len, default="").encode()
    yield WrittenForm(core, re.compile(b"".join(map(_spellings, text))))
    raw = text.encode()
    whole = {text.encode("utf-16-le"), text.encode("utf-16-be")}
    whole |= {each for shift in range(3) for each in _in_base64(raw, shift)}
    for form in sorted(whole):
        yield WrittenForm(form.lower(), re.compile(re.escape(form.lower())))


def _in_base64(raw: bytes, shift: int) -> Iterator[bytes]:
    """Yield what Base64 has of bytes after `shift` others, where it depends on them alone, in both alphabets."""
    coded = b64encode(bytes(shift) + raw)
    own = coded[_FIRST_OWN[shift] : (shift + len(raw)) * _BITS_PER_BYTE // _BITS_PER_BASE64]
    for form in (own,) if shift else (own, coded, coded.rstrip(b"=")):
        yield form
        yield form.replace(b"+", b"-").replace(b"/", b"_")


@cache
def _spellings(char: str) -> bytes:
    """Return a pattern of the spellings of a character, in lower case."""
    if char.isascii() and char.isalnum():
        return char.lower().encode()
    raws = {char.encode(), char.encode("latin-1", "ignore"), *([b"+"] if char == " " else [])} - {b""}
    number = ord(char)
    found = [b"".join(rb"%%(?:25){0,3}%02x" % byte for byte in raw) for raw in raws]
    names = sorted({name.rstrip(";").lower() for name, value in html5.items() if value == char})
    entities = "|".join((f"#0{{0,6}}{number}", f"#x0{{0,6}}{number:x}", *names)).encode()
    found.append(rb"&(?:amp;){0,3}(?:%s);?" % entities)
    units = char.encode("utf-16-be")
    found.append(b"".join(rb"\\{1,4}u%s" % units[at : at + 2].hex().encode() for at in range(0, len(units), 2)))
    found.append(rb"\\{1,4}x%02x" % number)
    if char in "\"'/":
        found.append(rb"\\{1,4}" + char.encode())
    if char == "\\":
        found.append(rb"(?:\\\\){1,2}")
    # As itself comes last: `&`, `%` and `\` begin what else may stand for them.
    found += [re.escape(raw.lower()) for raw in raws]
    return rb"(?:%s)" % b"|".join(found)
