"""An annotated page, from the fields that its corpus has; and the marks of CleanEval in its text.

`<p>` opens a paragraph, `<h>` a heading, `<l>` an item of a list: after Baroni, Chantree, Kilgarriff & Sharoff,
"Cleaneval: a competition for cleaning web pages" (LREC 2008). A file of that competition may start with a line
`URL: …`, which is not part of the text.
"""

from __future__ import annotations

import json
import lzma
import re
import zlib
from dataclasses import dataclass, field
from gzip import BadGzipFile
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields: TypeAlias = Mapping[str, object]


MARK = re.compile(r"</?[phl]\s*>", re.IGNORECASE)

_WRAPPERS = "html|head|body|text|doc|document"
_OPENINGS = re.compile(rf"(?is)\A(?:\s*(?:<head\b.*?</head>|<!doctype[^>]*>|<(?:{_WRAPPERS})\b[^>]*>)\s*)+")
_CLOSINGS = re.compile(rf"(?:</(?:{_WRAPPERS})\s*>\s*)+\Z", re.IGNORECASE)
_SEGMENT_END = re.compile(r"</[phl]\s*>", re.IGNORECASE)

_URL_LINE = re.compile(r"\s*URL:[^\S\n]*(\S*)[^\n]*(?:\n|$)", re.IGNORECASE)


def split_url(gold: str) -> tuple[str | None, str]:
    r"""Return the URL in the first line, if it has one, and the rest.

    >>> split_url("URL: http://a.example/1\n<p>Text")
    ('http://a.example/1', '<p>Text')
    >>> split_url("<p>Text")
    (None, '<p>Text')
    """
    found = _URL_LINE.match(gold)
    return (found[1] or None, gold[found.end() :]) if found else (None, gold)


def without_wrapper(text: str) -> str:
    r"""Return a text without the document around it and without end tags of segments: neither is text of the page.

    >>> without_wrapper("<html><head><title>a</title></head>\n<body>\n<p>One.\n</p></body></html>")
    '<p>One.\n'
    >>> without_wrapper('<text id="a">\n<p>1 < 2</p>\n</text>')
    '<p>1 < 2\n'
    """
    return _SEGMENT_END.sub("", _CLOSINGS.sub("", _OPENINGS.sub("", text)))


def has_marks(text: str) -> bool:
    """Tell whether a gold text is marked.

    >>> has_marks("<h>Title"), has_marks("1 < 2")
    (True, False)
    """
    return MARK.search(text) is not None


def without_marks(marked: str) -> str:
    r"""Return the plain text of a marked one: marks become line breaks, empty lines are dropped.

    >>> without_marks("<h>Title\n\n<p> One.<p>Two,\nstill two.")
    'Title\nOne.\nTwo,\nstill two.'
    """
    lines = (line.strip() for line in MARK.sub("\n", marked).split("\n"))
    return "\n".join(line for line in lines if line)


READ_ERRORS = (OSError, EOFError, ValueError, RecursionError, lzma.LZMAError, zlib.error)
"""The errors that a broken file, archive or JSON object raises."""

_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (json.JSONDecodeError, "not JSON"),
    (UnicodeDecodeError, "not UTF-8"),
    (EOFError, "the archive is cut short"),
    (BadGzipFile, "not a readable archive"),
    (lzma.LZMAError, "not a readable archive"),
    (zlib.error, "not a readable archive"),
    (RecursionError, "JSON nested too deeply"),
)

_NAMES = {
    "text": ("text", "articleBody", "main_content"),
    "headline": ("headline", "title"),
    "date": ("date", "datePublished", "publish_date"),
    "language": ("language", "inLanguage"),
    "authors": ("authors", "author"),
    "page_type": ("page_type", "pageType"),
}
"""Other names of fields in corpora; the first one present counts."""


class CorpusError(ValueError):
    """No readable corpus; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A part of a corpus that cannot be read: where it is, and what is wrong."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and its annotations; a field that the corpus does not give is `None` or empty."""

    corpus: str
    id: str
    html: str | bytes = field(repr=False)
    """Text, or the stored bytes if the corpus keeps its pages as files."""
    place: str
    """`file:line`, or the file."""
    text: str | None = field(default=None, repr=False)
    """The annotated body, a paragraph per line; `""` if the page has none."""
    marked: str | None = field(default=None, repr=False)
    """The body with the marks of CleanEval, without its `URL:` line."""
    url: str | None = None
    site: str | None = None
    """The site named in the corpus, else the URL's host without `www.`."""
    language: str | None = None
    headline: str | None = None
    date: str | None = None
    page_type: str | None = None
    authors: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    """Snippets that must be in the extracted text."""
    excludes: tuple[str, ...] = ()
    """Snippets that must not be in it."""


def gold_page(fields: Fields, html: object, *, corpus: str, page_id: str, place: str) -> GoldPage | BadRecord:
    """Return the page with these fields, or a bad record if the page or its body is not text.

    Other fields are read leniently: one of an unexpected type counts as absent, and the page is kept.
    """
    fields = _flat(fields)
    body, marked = _value(fields, "text"), fields.get("marked")
    if not isinstance(html, str | bytes):
        return BadRecord(place, "html is missing" if html is None else f"html is {_kind(html)}, not text")
    for name, value in (("text", body), ("marked", marked)):
        if not isinstance(value, str | None):
            return BadRecord(place, f"{name} is {_kind(value)}, not text")
    if body is None and isinstance(marked, str):
        body = without_marks(marked)
    facts = {name: _phrase(_value(fields, name)) for name in ("url", "language", "headline", "date", "page_type")}
    lists = {name: _phrases(_value(fields, name)) for name in ("authors", "includes", "excludes")}
    site = _phrase(fields.get("site")) or _host(facts["url"])
    texts = {"text": body, "marked": marked}
    return GoldPage(corpus, page_id, html, place, site=site, **texts, **facts, **lists)  # type: ignore[arg-type]


def _flat(fields: Fields) -> Fields:
    """Return the fields on one level; WCXB has two.

    >>> _flat({"url": "u", "ground_truth": {"title": "t"}, "_internal": {"page_type": {"primary": "article"}}})
    {'url': 'u', 'title': 't', 'page_type': 'article'}
    """
    truth, internal = fields.get("ground_truth"), fields.get("_internal")
    if not isinstance(truth, dict):
        return fields
    kind = internal.get("page_type") if isinstance(internal, dict) else None
    kept = {name: value for name, value in fields.items() if name not in ("ground_truth", "_internal")}
    return {**kept, **truth, "page_type": kind.get("primary") if isinstance(kind, dict) else None}


def as_fields(value: object) -> Fields:
    """Return a decoded JSON value if it is an object.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{_kind(value)}, not an object with fields")  # noqa: TRY004 - the file is wrong, not the call
    return value


def reason_of(error: BaseException) -> str:
    """Return a phrase for one of `READ_ERRORS`.

    >>> reason_of(EOFError("Compressed file ended before the end-of-stream marker was reached"))
    'the archive is cut short'
    >>> reason_of(ValueError("a list, not an object with fields"))
    'a list, not an object with fields'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), str(error))


def _value(fields: Fields, name: str) -> object:
    values = (fields.get(known) for known in _NAMES.get(name, (name,)))
    return next((value for value in values if value is not None), None)


def _phrase(value: object) -> str | None:
    """Return a text or number as text; `None` for anything else and for an empty text."""
    return str(value).strip() or None if isinstance(value, str | int | float) else None


def _phrases(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or the single text; for objects, such as schema.org's authors, their names.

    >>> _phrases(["Ann", {"name": "Bo"}, None]), _phrases("Ann")
    (('Ann', 'Bo'), ('Ann',))
    """
    several = value if isinstance(value, list) else [value]
    named = (item.get("name") if isinstance(item, dict) else item for item in several)
    return tuple(phrase for item in named if (phrase := _phrase(item)))


def _host(url: str | None) -> str | None:
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.") or None
    except ValueError:
        return None


def _kind(value: object) -> str:
    kinds = {type(None): "null", dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return kinds.get(type(value), "a number")
