"""What a site's memory sees of a page, and the groups of pages with the same layout."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from newsextract.page.blocks import Inherited
from newsextract.page.lazy import cached_property
from newsextract.page.page import SiteEvidence
from newsextract.page.urls import split_url, url_key
from newsextract.reading.metadata.comparing import fold
from newsextract.reading.metadata.precedence import path_of, place_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Outline
    from newsextract.page.outline import Booleans, Integers
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata.clues import Metadata

    Floats = NDArray[np.float32]
    Values = NDArray[np.float32]


# Fingerprint a page's blocks: 64 bits for the text, 64 bits for the place, the same in every process and run.
#
# Texts are compared without digits, so that counters and dates do not make a standing line a new one; those that are
# mostly digits, the cells of a table, are compared with them. A place is the tags
# and classes from the root to the element around the block; ids are left out, and digits too, as they number items.

Keys: TypeAlias = NDArray[np.uint64]

_BITS = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
"""An odd number: what is multiplied by it keeps all its bits, and the order of what is added up counts."""
_DIGITS = re.compile("[0-9０-９]+")


@dataclass(frozen=True)
class Fingerprints:
    """The blocks of a page, as keys of their texts and places; `lengths` are in characters."""

    texts: Keys
    places: Keys
    lengths: Integers

    @cached_property
    def keys(self) -> Keys:
        """Text and place as one key for each block."""
        return self.texts + self.places * np.uint64(_STEP)

    @cached_property
    def distinct(self) -> tuple[Keys, Integers]:
        """The distinct places in order, and for each block the index of its place among them."""
        keys, numbers = np.unique(self.places, return_inverse=True)
        return keys, numbers


def fingerprint(outline: Outline) -> Fingerprints:
    """Return the fingerprints of a page's blocks."""
    texts = outline.table.texts
    keys, lengths = ([form(text) for text in texts] for form in (text_key, len))
    return Fingerprints(np.array(keys, np.uint64), place_keys(outline), np.array(lengths, np.intp))


def text_key(text: str) -> int:
    """Return a key of a text without its digits, unless these are most of it.

    >>> text_key("12 comments") == text_key("7 comments"), text_key("12.5") == text_key("17.5")
    (True, False)
    """
    plain = _DIGITS.sub("", text)
    return key_of(text if 2 * len(plain) < len(text) else plain)


def place_keys(outline: Outline) -> Keys:
    """Return a key for the place of each block."""
    elements, tags = outline.elements, outline.tags
    key = Inherited(
        outline,
        0,
        lambda around, number: (around * _STEP + _name_key(tags[number], elements[number].get("class"))) & _BITS,
    )
    return np.array([key.of(owner) for owner in outline.table.owners.tolist()], np.uint64)


def key_of(text: str) -> int:
    """Return a key of one text, digits included."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@lru_cache(maxsize=1 << 14)
def _name_key(tag: str, classes: str | None) -> int:
    return key_of(place_name(tag, classes))


# What one page shows of its site: small enough to be kept until the memory is saved, and learned again.

_SECTIONS = 2
"""Parts of a URL's path that make its shape; the last part is always left out."""
_MAX_TITLE_CHARS = 500


@dataclass(frozen=True, slots=True)
class PagePrint:
    """A page as its site's memory sees it, before anything is extracted."""

    page_key: int
    shape: str
    """The URL without what varies from article to article: pages of one shape tend to have one layout."""
    prints: Fingerprints


@dataclass(frozen=True, slots=True)
class Observation:
    """A page after it has been read."""

    page_print: PagePrint
    kept: Floats
    """For each block the probability that it is the article's, judged by the page alone; NaN where not judged."""
    is_judged: bool
    """Whether a classifier gave these; otherwise 1 marks what an extractor kept and 0 the rest."""
    title: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """The places of the `body`, the `date` and the `author`, of those that were found."""


def page_print_of(page: Page) -> PagePrint:
    """Return what a site's memory recognises a page by."""
    known_by = url_key(page.url) if page.url else "\n".join(page.outline.table.texts)
    return PagePrint(key_of(known_by), shape_of(page.url), fingerprint(page.outline))


def shape_of(url: str | None) -> str:
    """Return the part of a URL that articles of one kind share.

    >>> shape_of("https://a.example/news/2024/05/rain-in-spain.html"), shape_of("https://a.example/news/2031/12/sun.html")
    ('/news/0', '/news/0')
    >>> shape_of("https://a.example/rain"), shape_of(None)
    ('/', '')
    """
    if not url:
        return ""
    parts = [part for part in split_url(url).path.split("/")[:-1] if part]
    return "/" + "/".join("0" if part.isdecimal() else part[:40] for part in parts[:_SECTIONS])


def observe(page: Page, page_print: PagePrint, extraction: Extraction, metadata: Metadata | None = None) -> Observation:
    """Return what a page shows of its site, given what was found on it."""
    outline, is_judged = page.outline, extraction.likelihoods is not None
    # The page's own blocks, masked or not, rather than those made from its JSON-LD.
    starts = [block.start for block in extraction.blocks if block.outline.elements is outline.elements]
    kept = np.isin(outline.table.starts, starts) if extraction.likelihoods is None else extraction.likelihoods
    title = fold(page.tree.findtext(".//title") or "")[:_MAX_TITLE_CHARS]
    return Observation(page_print, kept.astype(np.float32), is_judged, title, _places(outline, starts, metadata))


def _places(outline: Outline, starts: list[int], metadata: Metadata | None) -> dict[str, str]:
    """Return the places of the date, the author and the body, the element that directly holds the most of it."""
    places = {}
    if starts:
        numbers = np.minimum(outline.table.starts.searchsorted(starts), len(outline.table.starts) - 1)
        parents = outline.arrays.parents[outline.table.owners[numbers]]
        sizes = [len(outline.table.texts[number]) for number in numbers.tolist()]
        places["body"] = path_of(outline, int(np.bincount(np.maximum(parents, 0), sizes).argmax()))
    if metadata is not None:
        author = metadata.authors[0].nameRaw or metadata.authors[0].name if metadata.authors else None
        for name, text in (("date", metadata.datePublishedRaw), ("author", author)):
            holders = (number for number, known in enumerate(outline.table.texts) if text and text in known)
            if (number := next(holders, None)) is not None:
                places[name] = path_of(outline, int(outline.table.owners[number]))
    return places


# Counts by key, as sorted arrays: the keys of a whole page are looked up and counted at once.

PAGES, SEEN = 0, 1
"""Columns of every tally: the pages that hold a key, and the number of the newest of them."""


@dataclass
class Tally:
    """A row of numbers for each key, in the order of the keys."""

    values: Values
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))

    @classmethod
    def empty(cls, width: int) -> Self:
        """Return one without keys."""
        return cls(np.zeros((0, width), np.float32))

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Keys) -> tuple[Integers, Booleans]:
        """Return the row of each key, and whether the key is there; the row of an absent key is arbitrary."""
        if not len(self.keys):
            return np.zeros(len(keys), np.intp), np.zeros(len(keys), np.bool_)
        rows = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        return rows, self.keys[rows] == keys

    def column(self, keys: Keys, number: int) -> Values:
        """Return one column for these keys, 0 for absent keys."""
        rows, is_known = self.find(keys)
        found = np.zeros(len(keys), np.float32)
        found[is_known] = self.values[rows[is_known], number]
        return found

    def rows(self, keys: Keys) -> tuple[Integers, Booleans]:
        """Return the row of each of these sorted, distinct keys, adding absent ones; also tell which are new."""
        before = self.keys.searchsorted(keys)
        is_new = ~self.find(keys)[1]
        if is_new.any():
            self.keys = np.insert(self.keys, before[is_new], keys[is_new])
            self.values = np.insert(self.values, before[is_new], 0, axis=0)
        return before + is_new.cumsum() - is_new, is_new

    def keep_best(self, count: int) -> None:
        """Drop all but this many rows: first those that one page held, and of these the oldest."""
        if len(self.keys) > count:
            order = np.lexsort((self.values[:, SEEN], self.values[:, PAGES] > 1))
            rows = np.sort(order[len(order) - count :])
            self.keys, self.values = self.keys[rows], self.values[rows]


# A group of a site's pages with the same layout: how to tell its members, their template and their usual places.

MIN_HOLDERS = 3
"""Other pages that must have a block for it to be template: two may quote each other, or tell the same news."""
MIN_SHARE = 0.1
"""Share of the group's pages that must have it: an agency's sentence is on many pages, but on a small share."""
MIN_SHARE_IN_BODY = 0.25
"""The same at a place that mostly holds the article: recurring headings of tables and columns stand there too."""
MIN_SHARE_WHILE_NEW = 0.6
"""The same in a group of fewer than `TELLING_PAGES`: who came first, and who passes a lower share, is chance."""
MIN_PLACE_PAGES = 5
"""Pages of the group that must have a place before the place counts."""
SURE = 0.6
"""Mean probability of a place's blocks from which on it speaks for a block; below 1 - SURE it speaks against."""
_DOUBT_BLOCKS, _DOUBT_MEAN = 3.0, 0.3
"""The prior mean of a place before its blocks are known, and how many blocks that prior weighs."""
_MOST_ODDS = 4.0
_ROUNDING = 0.01

KNOWN_PAGES = 10
"""Pages from which on a group can tell where a date belongs, and that a page does not fit."""
TELLING_PAGES = 6
"""Pages from which on its places and rarer repetitions count."""
_NO_PART = -20.0
"""The log-odds of a block that most pages have, so many that it counts in a new group: it is no part of an article,
however likely it looks."""
USUAL = 0.8
"""Share of a group's pages that makes a place the usual one."""

FADE_PAGES = 256
"""Pages of a group after which its counts are halved."""
_FORGOTTEN = 0.6
"""Rows below this count are dropped on halving: a row of one page goes, a row of two stays."""
_MOST_PLACES = 2_000
_MOST_NAMES = 20

_FIRST = 2
_BLOCKS, _LIKELY = 2, 3

_COPY_NEW = 0.2
"""Share of a page's kept text that may be new on a copy of an earlier page: a correction, another headline."""
_COPY_SAME = 0.5
"""Share of it that must have come first on one and the same page."""


@dataclass
class PageGroup:
    """Counts over the pages of one group; old pages fade by repeated halving."""

    number: int
    """Number of the site's page that founded the group; tells the groups of a site apart."""
    pages: float = 0.0
    newest: int = 0
    """Number of its newest page."""
    blocks: Tally = field(default_factory=lambda: Tally.empty(3))
    """Counts by text and place; the third column is the number of the first page that had the block."""
    places: Tally = field(default_factory=lambda: Tally.empty(4))
    """Counts by place; also how many blocks have been judged there, and the sum of their probabilities."""
    names: dict[str, Counter[str]] = field(default_factory=dict)
    """How often the body, the date and the author were found at which place; also the shapes of the URLs."""

    def likeness(self, places: Keys) -> float:
        """Return how similar a page with these distinct places is to the group, from 0 to 1 (weighted Jaccard)."""
        if not self.pages:
            return 0.0
        shared = float(self.places.column(places, PAGES).sum()) / self.pages
        expected = float(self.places.values[:, PAGES].sum()) / self.pages
        return shared / max(len(places) + expected - shared, 1e-9)

    def evidence(self, prints: Fingerprints, *, is_counted: bool) -> SiteEvidence:
        """Return what the group's other pages say about a page; `is_counted`: the page itself is in the counts.

        While the group is new, only blocks that most of its pages have count, and no places: so it hardly matters which
        pages came first.
        """
        pages, others = self.pages - is_counted, self.blocks.column(prints.keys, PAGES) - is_counted
        is_of_most = others > max(MIN_HOLDERS, MIN_SHARE_WHILE_NEW * pages) - _ROUNDING
        if pages < TELLING_PAGES:
            return SiteEvidence(is_of_most, np.where(is_of_most, _NO_PART, 0.0), dict(self._known_places()))
        means = self._means(prints.places)
        least = np.maximum(MIN_HOLDERS, np.where(means >= 0.5, MIN_SHARE_IN_BODY, MIN_SHARE) * pages)
        is_sure = (means >= SURE) | (means <= 1 - SURE)
        odds = np.where(is_sure, np.clip(np.log(means / (1 - means)), -_MOST_ODDS, _MOST_ODDS), 0.0)
        odds[is_of_most] = _NO_PART
        return SiteEvidence(others > least - _ROUNDING, odds, dict(self._known_places()))

    def _means(self, places: Keys) -> NDArray[np.float64]:
        """Return the mean probability of the blocks at each place, NaN where too little is known."""
        means = np.full(len(places), np.nan)
        rows, is_known = self.places.find(places)
        if is_known.any():
            counts = self.places.values[rows].astype(np.float64)
            is_known &= (counts[:, PAGES] >= MIN_PLACE_PAGES) & (counts[:, _BLOCKS] > 0)
            likely = counts[:, _LIKELY] + _DOUBT_MEAN * _DOUBT_BLOCKS
            means[is_known] = (likely / (counts[:, _BLOCKS] + _DOUBT_BLOCKS))[is_known]
        return means

    def is_copy(self, observation: Observation) -> bool:
        """Return whether nearly all that was kept of a page comes from one earlier page."""
        is_kept = observation.kept >= 0.5
        prints = observation.page_print.prints
        sizes = prints.lengths[is_kept]
        if not len(sizes):
            return False
        rows, is_known = self.blocks.find(prints.keys[is_kept])
        known = sizes[is_known]
        if known.sum() < (1 - _COPY_NEW) * sizes.sum():
            return False
        firsts = self.blocks.values[rows[is_known], _FIRST].astype(np.intp)
        _, numbers = np.unique(firsts, return_inverse=True)
        return bool(np.bincount(numbers, known).max() >= _COPY_SAME * sizes.sum())

    def learn(self, observation: Observation, number: int) -> None:
        """Count a page; `number` is its number in the site."""
        self.pages += 1
        self.newest = number
        prints = observation.page_print.prints
        rows, is_new = self.blocks.rows(np.unique(prints.keys))
        self.blocks.values[rows, PAGES] += 1
        self.blocks.values[rows, SEEN] = number
        self.blocks.values[rows[is_new], _FIRST] = number
        self._learn_places(observation, number)
        for name, value in (*observation.places.items(), ("shape", observation.page_print.shape)):
            counter = self.names.setdefault(name, Counter())
            counter[value] += 1
            if len(counter) > _MOST_NAMES:
                del counter[min(counter, key=counter.__getitem__)]
        if self.pages > FADE_PAGES:
            self.fade()

    def _learn_places(self, observation: Observation, number: int) -> None:
        keys, numbers = observation.page_print.prints.distinct
        rows, _ = self.places.rows(keys)
        self.places.values[rows, PAGES] += 1
        self.places.values[rows, SEEN] = number
        if observation.is_judged:
            is_judged: Booleans = ~np.isnan(observation.kept)
            judged = numbers[is_judged]
            self.places.values[rows, _BLOCKS] += np.bincount(judged, minlength=len(keys)).astype(np.float32)
            likely = np.bincount(judged, observation.kept[is_judged], minlength=len(keys))
            self.places.values[rows, _LIKELY] += likely.astype(np.float32)
        self.places.keep_best(_MOST_PLACES)

    def fade(self) -> None:
        """Halve all counts, and drop the rows that become too small."""
        self.pages /= 2
        self.blocks.values[:, PAGES] /= 2
        self.places.values[:, [PAGES, _BLOCKS, _LIKELY]] /= 2
        for tally in (self.blocks, self.places):
            rows = tally.values[:, PAGES] >= _FORGOTTEN
            tally.keys, tally.values = tally.keys[rows], tally.values[rows]
        for counter in self.names.values():
            for name in counter:
                counter[name] = (counter[name] + 1) // 2

    def _known_places(self) -> Iterator[tuple[str, str]]:
        """Yield the places of the date and the author, if most pages have them at one place."""
        for name in ("date", "author"):
            place, share = self.usual(name)
            if share >= USUAL and sum(self.names[name].values()) >= max(KNOWN_PAGES, USUAL * self.pages):
                yield name, place

    def usual(self, name: str) -> tuple[str, float]:
        """Return the most frequent place of the body, the date or the author, and its share of the pages."""
        counter = self.names.get(name, Counter())
        place, count = max(counter.items(), key=lambda item: item[1], default=("", 0))
        return place, count / max(counter.total(), 1)
