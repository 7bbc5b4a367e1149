"""Whether a page may be in certain languages, as far as its bytes tell before they are parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.charset import decode
from newsextract.reading.metadata.language import detect
from newsextract.sites.site_list.language_names import speaks

if TYPE_CHECKING:
    from collections.abc import Collection

    from newsextract.archives.warc.record import WarcRecord

_READ_BYTES = 256 * 1024
"""The text of nearly all pages begins within it."""

_DECLARED_BYTES = 4 * 1024
_LANG = re.compile(rb"<html\b[^>]{0,2000}?\s(?:xml:)?lang\s*=\s*[\"']?([A-Za-z_-]{2,20})", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HIDDEN = re.compile(
    r"<(script|style|noscript|template|svg)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_LINK = re.compile(r"<a\b.*?(?:</a\s*>|\Z)", re.IGNORECASE | re.DOTALL)

_MAX_RUNS = 6
_MAX_CHARS = 2_000
_RUN_CHARS = 1_000
"""As much as is read of a parsed page."""


def may_be_in(record: WarcRecord, languages: Collection[str]) -> bool:
    """Return whether the page of a record may be in one of the languages.

    What it declares in `Content-Language` or `lang` is believed if that is wanted. If not, its text decides, as
    templates declare English for all; where that is unclear, a page that declares another language is not wanted.
    """
    declared = [speaks(languages, tag) for tag in _declared(record)]
    if True in declared:
        return True
    found = detect(_running_text(record)) if record.body else None
    return speaks(languages, found[0]) is True if found else False not in declared


def charset_of(content_type: str | None) -> str | None:
    """Return the charset that a `Content-Type` names, as `Page` takes it.

    >>> charset_of('text/html; Charset="Windows-1251"'), charset_of("text/html")
    ('Windows-1251', None)
    """
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def _declared(record: WarcRecord) -> list[str]:
    stated = next((value for name, value in record.headers if name.lower() == "content-language"), "")
    tags = [tag.strip() for tag in stated.split(",") if tag.strip()]
    if found := _LANG.search((record.body or b"")[:_DECLARED_BYTES]):
        tags.append(found[1].decode("ascii"))
    return tags


def _running_text(record: WarcRecord) -> str:
    text = decode((record.body or b"")[:_READ_BYTES], charset_of(record.content_type)).text
    runs = _TAG.split(_LINK.sub("<a>", _HIDDEN.sub("<s>", text)))
    longest = sorted(runs, key=len, reverse=True)[:_MAX_RUNS]
    return " ".join(" ".join(run.split())[:_RUN_CHARS] for run in longest)[:_MAX_CHARS]
