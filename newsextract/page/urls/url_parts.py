"""The parts of a URL that tell what kind of page it leads to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from posixpath import splitext
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, unquote, urlsplit

from newsextract.page.urls.path_words import ARTICLE_WORDS, ENDLESS_WORDS, HOUSE_WORDS, LISTING_WORDS, without_accents

Kind: TypeAlias = Literal["article", "listing", "house", "endless"]

_WORDS: dict[Kind, frozenset[str]] = {
    "article": ARTICLE_WORDS,
    "listing": LISTING_WORDS,
    "house": HOUSE_WORDS,
    "endless": ENDLESS_WORDS,
}

CHARS_PER_WORD = 2
"""In scripts without spaces (Chinese, Japanese, Thai), about this many characters make a word."""

MAX_LABEL_WORDS = 3
"""A segment of more words is a headline, where a word such as `jobs` or `people` tells nothing."""

_MONTH = r"(?:0?[1-9]|1[0-2]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    rf"(?<!\d)(?:19|20)\d\d[/._-]{_MONTH}(?=[/._-]|$)|(?<!\d)20\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{5,}")
_HEX_ID = re.compile(r"(?<![a-z0-9])(?=[a-f-]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,})*(?![a-z0-9])", re.IGNORECASE)
# `p` is a page up to three digits, beyond that WordPress means a post by it.
_PAGED = re.compile(r"(?:^|[/&])(?:(?:page|pagina|pag|seite|paged|start|offset)[=/-]?\d{1,4}|p[=/-]?\d{1,3})(?=[/&]|$)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_DOCUMENT_EXTENSIONS = frozenset({".html", ".htm", ".shtml", ".cms", ".phtml", ".xhtml", ".aspx", ".ece", ".story"})
_EXTENSIONS = _DOCUMENT_EXTENSIONS | {".php", ".asp", ".jsp", ".do"}
_FOLDER_PAGES = frozenset({"index", "default", "home"})


@dataclass(frozen=True, slots=True)
class Address:
    """What a URL tells about its page."""

    segments: tuple[str, ...]
    """The parts of the path, decoded, lower-cased, without accents and extension."""

    is_document: bool
    """Whether the path ends like a file rather than a folder."""

    path: str
    query: str

    @property
    def slug_words(self) -> int:
        """Words in the longest of the last two segments, as the last may be only a number."""
        return max(map(count_words, self.segments[-2:]), default=0)

    @property
    def has_date(self) -> bool:
        """Whether a year and a month, or a whole date, are in the path."""
        return bool(_DATE.search(self.path))

    @property
    def has_id(self) -> bool:
        """Whether the end of the path or the query has a number or identifier as a database gives them."""
        last = self.segments[-1] if self.segments else ""
        values = (pair.partition("=")[2] for pair in self.query.split("&"))
        return any(_NUMBER.search(text) or _HEX_ID.search(text) for text in (last, *values))

    @property
    def has_query(self) -> bool:
        """Whether there is a query."""
        return bool(self.query)

    @property
    def is_paged(self) -> bool:
        """Whether it is the second page or a later one."""
        return bool(_PAGED.search(self.path.lower()) or _PAGED.search(self.query.lower()))

    def names(self, kind: Kind) -> bool:
        """Return whether a segment, or a word of a short one, names that kind of page."""
        return any(_names(segment, _WORDS[kind]) for segment in self.segments)

    def is_below(self, kind: Kind) -> bool:
        """Return whether the page stands in a folder named for that kind."""
        return not _WORDS[kind].isdisjoint(self.segments[:-1])


def _names(segment: str, words: frozenset[str]) -> bool:
    return segment in words or _first_of_label(segment) in words


@lru_cache(maxsize=4096)  # asked for each kind of page
def _first_of_label(segment: str) -> str | None:
    """Return the first word of a segment of a few words, else `None`."""
    parts = list(filter(None, re.split(r"[-_+ ]", segment)))
    return parts[0] if 1 < len(parts) <= MAX_LABEL_WORDS else None


def split_url(url: str) -> SplitResult:
    """Return the parts of an address; all are empty where it cannot be parsed.

    >>> split_url("https://example.com/a").path, split_url("http://[::1/%zz").path
    ('/a', '')
    """
    try:
        return urlsplit(url)
    except ValueError:  # brackets that are no IPv6 address, letters that look like the marks of an address
        return _NO_PARTS


_NO_PARTS = urlsplit("")


@lru_cache(maxsize=4096)  # a candidate is judged several times: as a link, when sorted, when filtered
def read_address(url: str) -> Address:
    """Return the parts of a URL; one that cannot be parsed looks like a home page.

    >>> read_address("https://example.com/D%C3%A9bats/Une-id%C3%A9e.html").segments
    ('debats', 'une-idee')
    """
    parts = split_url(url)
    stem, extension = splitext(parts.path)
    path = stem if extension.lower() in _EXTENSIONS else parts.path
    segments = [without_accents(unquote(segment)) for segment in path.split("/") if segment]
    is_folder_page = bool(segments) and segments[-1] in _FOLDER_PAGES
    is_document = extension.lower() in _DOCUMENT_EXTENSIONS and not is_folder_page
    return Address(tuple(segments[:-1] if is_folder_page else segments), is_document, path, parts.query)


@lru_cache(maxsize=4096)  # asked for several signs
def count_words(segment: str) -> int:
    """Return the number of words in a path segment, numbers aside.

    >>> count_words("n600344-floods-close-pass"), count_words("東京で大雨の恐れ")
    (3, 4)
    """
    unspaced = len(_UNSPACED.findall(segment))
    words = [word for word in re.split(r"[-_+ .,~]+", segment) if word and not any(map(str.isdigit, word))]
    return unspaced // CHARS_PER_WORD if unspaced else len(words)


def title_units(text: str) -> int:
    """Return the length of a link's text in words; in scripts without spaces, two characters are a word.

    >>> title_units("Floods close three Alpine passes"), title_units("洪水封锁阿尔卑斯山三处山口")
    (5, 6)
    """
    unspaced = len(_UNSPACED.findall(text))
    return unspaced // CHARS_PER_WORD + len(_UNSPACED.sub("", text).split())
