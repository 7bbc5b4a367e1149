"""What an object of a page's data says it is about: a headline, addresses, dates and authors.

The names of keys are hints only: that a headline is the page's, its agreement with the page's titles tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from newsextract.page.words import count_words
from newsextract.reading.metadata.page_urls import absolute, is_home
from newsextract.reading.metadata.text_folding import agreement, fold, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.reading.metadata.page_clues import Clues

_LEAST_TITLE_WORDS = 3
_LEAST_TITLE_CHARS, _MAX_TITLE_CHARS = 5, 300
_MAX_SCALARS = 400
"""Strings of one object that are looked at."""
_LEAST_AGREEMENT = 0.75
"""Share of the words of a headline and of a URL's slug that must be common."""
_LEAST_SLUG_WORDS = 3
_SLUG_CHARS, _ID_CHARS = 8, 4
"""Shorter last parts of a URL's path are sections, or numbers that occur anywhere."""
TITLE_KEY = re.compile(r"title|headline|heading|^name$|^label$", re.IGNORECASE)
_ADDRESS_KEY = re.compile(r"url|href|link|slug|path|permalink|uri|guid|^_?id$|canonical", re.IGNORECASE)
_TITLE_DEPTH = 2
"""Objects inside one another to a headline or a date: `seo.og.title`."""
_DATE = re.compile(r"\s*(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?")
_DATE_KEY = re.compile(r"date|publi|time|created|updated|at$", re.IGNORECASE)
_LEAST_STAMP = 600_000_000
"""Seconds since 1970: before news was on the web."""
_EXTENSION = re.compile(r"\.\w{2,5}$")


@dataclass
class Subject:
    """What a page is about, by its titles and its URLs."""

    clues: Clues
    _known: dict[str, bool] = field(default_factory=dict)
    """The texts that were compared with the titles: the same ones come again and again."""

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The page's titles without the name of the site."""
        bare = (self.clues.bare(title) for title in self.clues.titles)
        return tuple(title for title in bare if is_title(title))

    @cached_property
    def segments(self) -> frozenset[str]:
        """The last parts of the page's URLs that can only be its own, with and without an extension."""
        paths = (unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2].lower() for url in self.clues.addresses)
        named = {part for path in paths for part in (path, _EXTENSION.sub("", path))}
        return frozenset(part for part in named if _is_telling(part))

    def is_title(self, text: str) -> bool:
        """Tell whether a text is the page's headline, by its titles, or else by the slug of its URL."""
        if not _LEAST_TITLE_CHARS <= len(text) <= _MAX_TITLE_CHARS:
            return False
        if text not in self._known:
            self._known[text] = self._is_title(fold(text))
        return self._known[text]

    def _is_title(self, folded: str) -> bool:
        if not is_title(folded):
            return False
        return any(min(agreement(folded, title), agreement(title, folded)) >= 0.5 and
                   max(agreement(folded, title), agreement(title, folded)) >= _LEAST_AGREEMENT
                   for title in self.titles) or self._is_slug(folded)  # fmt: skip

    def _is_slug(self, title: str) -> bool:
        wanted = vocabulary(title)
        for segment in self.segments:
            said = frozenset(word for word in re.split(r"[^\w]+|_", segment) if len(word) > 2 and not word.isdecimal())
            if len(said) >= _LEAST_SLUG_WORDS and len(said & wanted) >= _LEAST_AGREEMENT * len(said):
                return True
        return False

    def is_here(self, key: str, value: object) -> bool:
        """Tell whether the value of a key is the page's own URL, slug or number."""
        if not _ADDRESS_KEY.search(key) or isinstance(value, bool) or not isinstance(value, (str, int)):
            return False
        text = str(value)
        if text.strip("/").rpartition("/")[2].lower() in self.segments:
            return not text.startswith("http") or self._is_own(text)
        return "/" in text and len(text) > 1 and self._is_own(text)

    def _is_own(self, text: str) -> bool:
        url = absolute(text, self.clues.page.base_url)
        return url is not None and not is_home(url) and self.clues.is_own_address(url)


@dataclass(frozen=True, slots=True)
class Signs:
    """What says that an object is the page's article."""

    is_titled: bool
    """It has the page's headline itself."""
    is_around: bool
    """An object inside it has the headline."""
    is_here: bool
    """It has the page's URL."""
    is_dated: bool

    @property
    def weight(self) -> int:
        """How much the signs say: the headline more than the URL; a date alone says nothing."""
        return 4 * self.is_titled + 2 * self.is_around + self.is_here


def signs_of(node: Mapping[str, object], subject: Subject) -> Signs:
    """Return what says that an object is the page's article."""
    around = any(isinstance(text, str) and subject.is_title(text) for _, text in scalars(node, _TITLE_DEPTH))
    here = any(subject.is_here(key, value) for key, value in scalars(node, 0))
    if not around and not here:
        return Signs(is_titled=False, is_around=False, is_here=False, is_dated=False)
    titled = around and any(map(subject.is_title, _own_titles(node)))
    dated = any(_is_date(key, value) for key, value in scalars(node, _TITLE_DEPTH))
    return Signs(titled, around, here, dated)


def _own_titles(node: Mapping[str, object]) -> Iterator[str]:
    """Yield an object's titles; some are objects of their own, as in `{"title": {"rendered": "Rain"}}`."""
    for key, value in node.items():
        if TITLE_KEY.search(key):
            held = [value] if isinstance(value, str) else value.values() if isinstance(value, dict) else ()
            yield from (text for text in held if isinstance(text, str))


def _is_date(key: str, value: object) -> bool:
    if isinstance(value, str):
        return _DATE.match(value) is not None
    return isinstance(value, (int, float)) and value > _LEAST_STAMP and _DATE_KEY.search(key) is not None


def is_title(text: str) -> bool:
    """Tell whether a text has as many words as a headline at least."""
    return count_words(text) >= _LEAST_TITLE_WORDS


def _is_telling(segment: str) -> bool:
    if segment.isdecimal():
        return len(segment) >= _ID_CHARS
    return len(segment) >= _SLUG_CHARS and (segment.count("-") + segment.count("_") >= 1 or _has_digits(segment))


def _has_digits(segment: str) -> bool:
    return sum(sign.isdecimal() for sign in segment) >= _ID_CHARS


def scalars(node: Mapping[str, object], depth: int) -> Iterator[tuple[str, object]]:
    """Yield the keys and plain values of an object, and of those inside it, lists left out, as deep as `depth`."""
    inner: list[Mapping[str, object]] = []
    count = 0
    for key, value in node.items():
        if isinstance(value, dict):
            inner.append(value)
        elif not isinstance(value, list) and count < _MAX_SCALARS:
            count += 1
            yield key, value
    if depth:
        for each in inner[:50]:
            yield from scalars(each, depth - 1)
