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
