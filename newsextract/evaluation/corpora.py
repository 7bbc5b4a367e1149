"""An annotated page, from the fields that its corpus has; and the marks of CleanEval in its text.

`<p>` opens a paragraph, `<h>` a heading, `<l>` an item of a list: after Baroni, Chantree, Kilgarriff & Sharoff,
"Cleaneval: a competition for cleaning web pages" (LREC 2008). A file of that competition may start with a line
`URL: …`, which is not part of the text.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from newsextract.page.charset import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    Fields: TypeAlias = Mapping[str, object]
    from contextlib import AbstractContextManager


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


# Read annotated corpora in the formats that the field uses, as one stream of pages or site by site.

_OPENERS: dict[str, Callable[[Path], AbstractContextManager[Iterable[bytes]]]] = {
    ".jsonl": lambda path: path.open("rb"),
    ".jsonl.gz": gzip.open,
    ".jsonl.xz": lzma.open,
}


def _read_lines(path: Path, ending: str) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages line by line; a wrong line is skipped, a broken archive ends the pages; each is a bad record."""
    corpus, number = path.name[: -len(ending)], 0
    try:
        with _OPENERS[ending](path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _page_of(line, corpus, number, f"{path}:{number}")
    except READ_ERRORS as error:
        yield BadRecord(f"{path}:{number + 1}", str(error))


def _page_of(line: bytes, corpus: str, number: int, place: str) -> GoldPage | BadRecord:
    try:
        fields = as_fields(json.loads(line))
    except READ_ERRORS as error:
        return BadRecord(place, str(error))
    page_id = str(fields.get("id") or number)
    return gold_page(fields, fields.get("html"), corpus=corpus, page_id=page_id, place=place)


# Read corpora with one file per page: two folders, a pair of files per page, or one file for all gold.
#
# The pages are in one folder and the gold in another (`FOLDERS`), or both are side by side (`NAME.html.gz`,
# `NAME.json`), or all gold is in one file beside `html/` (`TRUTHS`). Files with the same stem belong together. These
# are the layouts of public corpora as they are checked out: article-extraction-benchmark, newspaper4k's, WCXB,
# dragnet's, DAnIEL's.
#
# A language is that of the page's fields, else what a file `doc_lg.json` or `languages.json` has for its stem, else the
# name of the sub-folder that the page is in, as in `html/el/1.html`.

_HTML = (".html.gz", ".htm.gz", ".html", ".htm")
_ANY_HTML = (*_HTML, ".gz", "")
_ANY_GOLD = (".html.corrected.txt", "-cleaned.txt", ".txt", ".json", *_HTML, "")
"""Gold may have the page's file name; endings not in these tables are part of the stem, dots included."""

FOLDERS = (("html", "gold"), ("html", "ground-truth"), ("html", "reference"), ("HTML", "Corrected"))
"""Folders of pages and of their gold."""
TRUTHS = ("ground-truth.json", "articles.json")
"""Files with the gold of all pages in `html/`."""
_LANGUAGE_FILES = ("doc_lg.json", "languages.json")
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")  # a folder of three letters may be a site
_NAMED = {"chinese": "zh", "english": "en", "greek": "el", "polish": "pl", "russian": "ru"}
"""The languages that DAnIEL's file gives by name."""
_COMMENTS = "!@#$%^&*()  COMMENTS"
"""What separates an article from the readers' comments in dragnet's gold."""

_Golds: TypeAlias = "dict[str, tuple[str, Callable[[], Fields]]]"
"""By stem, the file with a page's gold, and what reads its fields."""

_ACCEPTED = (
    "a corpus is a file .jsonl, .jsonl.gz or .jsonl.xz; a folder with html/ and gold/, ground-truth/ or reference/, or "
    "HTML/ and Corrected/; one with ground-truth.json or articles.json and html/; or one of NAME.json with NAME.html.gz"
)


def read_corpus(path: Path) -> Iterator[GoldPage | BadRecord]:
    """Return the pages of a corpus, with a bad record in place of each that cannot be read.

    Raises:
        CorpusError: there is nothing at the path, or nothing that looks like a corpus.
    """
    if not path.exists():
        raise CorpusError(f"there is no {path}; {_ACCEPTED}")
    ending = next((ending for ending in _OPENERS if path.name.lower().endswith(ending)), None)
    if path.is_file() and ending is not None:
        return _read_lines(path, ending)
    for name in TRUTHS:
        if (path / name).is_file():
            return _read_truth(path, path / name)
    for pages, gold in FOLDERS:
        if (path / pages).is_dir() and (path / gold).is_dir():
            return _paired(path, _files(path / pages, _ANY_HTML), _golds(_files(path / gold, _ANY_GOLD)))
    # A folder that is no corpus may hold half a disk: only it and those of languages in it are looked into.
    which = ["*", *(f"{each.name}/*" for each in path.glob("*") if _LANGUAGE.fullmatch(each.name))]
    htmls = {stem: file for each in which for stem, file in _files(path, _HTML, each).items()}
    golds = {stem: file for each in which for stem, file in _files(path, (".json",), each).items()}
    if htmls.keys().isdisjoint(golds):
        raise CorpusError(f"{path} has no known format; {_ACCEPTED}")
    return _paired(path, htmls, _golds(golds))


def _read_truth(path: Path, truth: Path) -> Iterator[GoldPage | BadRecord]:
    """Yield the pages of `html/`, with their gold from one file."""
    try:
        entries = as_fields(json.loads(truth.read_bytes()))
    except READ_ERRORS as error:
        yield _bad(truth, error)
        return
    golds: _Golds = {stem: (str(truth), partial(as_fields, entry)) for stem, entry in entries.items()}
    yield from _paired(path, _files(path / "html", _ANY_HTML), golds)


def _golds(files: Mapping[str, Path]) -> _Golds:
    return {stem: (str(file), partial(_read_gold, file)) for stem, file in files.items()}


def _paired(path: Path, htmls: Mapping[str, Path], golds: _Golds) -> Iterator[GoldPage | BadRecord]:
    languages = _languages(path)
    for stem in sorted(htmls.keys() | golds.keys()):
        if stem not in htmls:
            yield BadRecord(golds[stem][0], f"the gold of {stem!r} has no page")
        elif stem not in golds:
            yield BadRecord(str(htmls[stem]), f"the page {stem!r} has no gold")
        else:
            yield _page(path, stem, htmls[stem], *golds[stem], languages)


def _languages(path: Path) -> Mapping[str, object]:
    """Return the languages by stem; none if no file tells them, or it cannot be read."""
    file = next((path / name for name in _LANGUAGE_FILES if (path / name).is_file()), None)
    try:
        return {} if file is None else as_fields(json.loads(file.read_bytes()))
    except READ_ERRORS:
        return {}


def _language(stem: str, languages: Mapping[str, object]) -> str | None:
    told, folder = languages.get(stem), stem.partition("/")[0]
    if isinstance(told, str):
        return _NAMED.get(told.lower(), told)
    return folder if folder != stem and _LANGUAGE.fullmatch(folder) else None


def _page(
    path: Path, stem: str, html: Path, place: str, read: Callable[[], Fields], languages: Mapping[str, object]
) -> GoldPage | BadRecord:
    try:
        fields = {"language": _language(stem, languages), **read()}
    except READ_ERRORS as error:
        return _bad(place, error, of=stem)
    try:
        body = gzip.decompress(html.read_bytes()) if html.suffix.lower() == ".gz" else html.read_bytes()
    except READ_ERRORS as error:
        return _bad(html, error)
    return gold_page(fields, body, corpus=path.resolve().name, page_id=stem, place=str(html))


def _read_gold(file: Path) -> Fields:
    """Return the fields of a JSON file, or of a plain or marked text."""
    content = file.read_bytes()
    if file.suffix.lower() == ".json":
        return as_fields(json.loads(content))
    url, text = split_url(decode(content).text)
    text = without_wrapper(text.partition(_COMMENTS)[0])
    return {"url": url, "marked" if has_marks(text) else "text": text}


def _bad(place: Path | str, error: BaseException, of: str | None = None) -> BadRecord:
    line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
    return BadRecord(f"{place}{line}", f"the gold of {of!r}: {error!s}" if of else str(error))


def _files(folder: Path, endings: Iterable[str], which: str = "**/*") -> dict[str, Path]:
    """Return the files of a folder by their stem; of two with the same, the last."""
    found = {}
    for file in sorted(folder.glob(which)):
        name = file.relative_to(folder).as_posix()
        ending = next((ending for ending in endings if name.lower().endswith(ending)), None)
        is_hidden = name.startswith(".") or "/." in name
        if ending is not None and not is_hidden and file.is_file():
            found[name[: len(name) - len(ending)]] = file
    return found


def read_sites(path: Path, only: str | None = None) -> dict[str, list[GoldPage]]:
    """Return the pages by site, or of one site only, as named in the corpus; a folder without gold is one site.

    Raises:
        CorpusError: there is nothing of the kind at the path.
    """
    sites: dict[str, list[GoldPage]] = defaultdict(list)
    files = [] if not path.is_dir() or any(path.glob("*.json")) else [*path.glob("*.html"), *path.glob("*.htm")]
    plain = (GoldPage(path.name, file.name, file.read_bytes(), str(file), site=path.name) for file in sorted(files))
    for page in plain if files else read_corpus(path):
        if isinstance(page, GoldPage) and page.site is not None and only in (None, page.site):
            sites[page.site].append(page)
    if not sites:
        raise CorpusError(f"{path} has no page of {only}" if only else f"{path} has no page whose site is known")
    return sites
