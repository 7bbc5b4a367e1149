"""The memory of each site: what its titles share, its layouts and their usual places, and how it is kept between runs.

It names the site in headlines and tells of what is unusual. No text, date or author depends on it: so a page that has
not changed is read alike in every run, in whatever order pages come.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from newsextract.page.blocks import Inherited
from newsextract.page.urls import split_url, url_key
from newsextract.reading.metadata.comparing import fold
from newsextract.reading.metadata.titles import split_title
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata.clues import Metadata


# What one page shows of its site: small enough to be kept until the memory is saved, and learned again.
#
# A place is the tags and classes from the root to an element; ids are left out, and digits too, as they number items.

_BITS = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
"""An odd number: what is multiplied by it keeps all its bits, and the order of what is added up counts."""
_DIGITS = re.compile(r"\d+")
_SECTIONS = 2
"""Parts of a URL's path that make its shape; the last part is always left out."""
_STEPS = 4
"""Elements of a place that is shown, the innermost ones."""
_MAX_PATH_CHARS = 120
_MAX_TITLE_CHARS = 500
_MOST_PLACES = 2_000
"""Places remembered of a page, and of a group of pages."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A page after it has been read."""

    page_key: int
    shape: str
    """The URL without what varies from article to article: pages of one shape tend to have one layout."""
    layout: frozenset[int]
    """Keys of the places of its blocks."""
    title: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """The places of the `body`, the `date` and the `author`, of those that were found."""


def observe(page: Page, extraction: Extraction, metadata: Metadata | None = None) -> Observation:
    """Return what a page shows of its site, given what was found on it."""
    # Its own blocks, masked or not, rather than those made from its JSON-LD.
    starts = [block.start for block in extraction.blocks if block.outline.elements is page.outline.elements]
    return Observation(
        _key_of(url_key(page.url or "")),
        shape_of(page.url),
        _layout_of(page.outline),
        fold(page.tree.findtext(".//title") or "")[:_MAX_TITLE_CHARS],
        _places(page.outline, starts, metadata),
    )


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


def _layout_of(outline: Outline) -> frozenset[int]:
    elements, tags = outline.elements, outline.tags
    key = Inherited(
        outline,
        0,
        lambda around, number: (around * _STEP + _name_key(tags[number], elements[number].get("class"))) & _BITS,
    )
    places = dict.fromkeys(key.of(owner) for owner in outline.table.owners.tolist())
    return frozenset(list(places)[:_MOST_PLACES])


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


def path_of(outline: Outline, element: int) -> str:
    """Return the last steps of the path to an element, with classes."""
    steps: list[str] = []
    while element >= 0 and len(steps) < _STEPS:
        steps.append(place_name(outline.tags[element], outline.elements[element].get("class")))
        element = int(outline.arrays.parents[element])
    return " > ".join(reversed(steps))[-_MAX_PATH_CHARS:]


def place_name(tag: str, classes: str | None) -> str:
    """Return an element as a step of a place: its tag and its classes, sorted and without digits.

    >>> place_name("div", "story post-1234 a")
    'div.a.post-.story'
    """
    return ".".join([tag, *sorted(set(_DIGITS.sub("", classes).split()))]) if classes else tag


def _key_of(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@lru_cache(maxsize=1 << 14)
def _name_key(tag: str, classes: str | None) -> int:
    return _key_of(place_name(tag, classes))


# A group of a site's pages with the same layout: how to tell its members, and their usual places.

KNOWN_PAGES = 10
"""Pages from which on a group can tell where a date belongs, and that a page does not fit."""
USUAL = 0.8
"""Share of a group's pages that makes a place the usual one."""
FADE_PAGES = 256
"""Pages of a group after which its counts are halved."""
_FORGOTTEN = 0.6
"""Places below this count are dropped on halving: one of a single page goes, one of two stays."""
_MOST_NAMES = 20


@dataclass
class PageGroup:
    """Counts over the pages of one group; old pages fade by repeated halving."""

    pages: float = 0.0
    newest: int = 0
    """Number of its newest page in the site."""
    layout: dict[int, float] = field(default_factory=dict)
    """How many pages have a place, those seen last at the end."""
    names: dict[str, Counter[str]] = field(default_factory=dict)
    """How often the body, the date and the author were found at which place; also the shapes of the URLs."""

    def likeness(self, layout: frozenset[int]) -> float:
        """Return how similar a page with these places is to the group, from 0 to 1 (weighted Jaccard)."""
        if not self.pages:
            return 0.0
        shared = sum(self.layout.get(place, 0.0) for place in layout) / self.pages
        expected = sum(self.layout.values()) / self.pages
        return shared / max(len(layout) + expected - shared, 1e-9)

    def learn(self, observation: Observation, number: int) -> None:
        """Count a page; `number` is its number in the site."""
        self.pages += 1
        self.newest = number
        for place in observation.layout:
            self.layout[place] = self.layout.pop(place, 0.0) + 1
        if len(self.layout) > _MOST_PLACES:  # first those that one page had go, and of these the oldest
            self.layout = dict(sorted(self.layout.items(), key=lambda item: item[1] > 1)[-_MOST_PLACES:])
        for name, value in (*observation.places.items(), ("shape", observation.shape)):
            counter = self.names.setdefault(name, Counter())
            counter[value] += 1
            if len(counter) > _MOST_NAMES:
                del counter[min(counter, key=counter.__getitem__)]
        if self.pages > FADE_PAGES:
            self.fade()

    def fade(self) -> None:
        """Halve all counts, and drop those that become too small."""
        self.pages /= 2
        self.layout = {place: count / 2 for place, count in self.layout.items() if count / 2 >= _FORGOTTEN}
        for counter in self.names.values():
            for name in counter:
                counter[name] = (counter[name] + 1) // 2

    def usual(self, name: str) -> tuple[str, float]:
        """Return the most frequent place of the body, the date or the author, and its share of the pages."""
        counter = self.names.get(name, Counter())
        place, count = max(counter.items(), key=lambda item: item[1], default=("", 0))
        return place, count / max(counter.total(), 1)


# What the titles of a site share.
#
# A page's title often has the site's name in a spelling found nowhere else on the page ("新华网" on xinhuanet.com); the
# titles of three pages together show it.

MIN_TITLES = 3
"""Titles that must share a part: two may by chance, as articles on one subject."""
MIN_TITLE_SHARE = 0.3
"""Share of the site's titles: a section's name reaches it, the name of a person in the news does not."""
_MAX_TITLES = 500
"""Titles after which the counts are halved: a site may change its name."""
_MAX_END_CHARS = 80
"""A longer part is not the name of a site."""


@dataclass(slots=True)
class TitleMemory:
    """Counts the first and last parts of the titles of one site."""

    titles: dict[int, None] = field(default_factory=dict)
    """A hash of each title that counts, in order of arrival."""
    ends: Counter[str] = field(default_factory=Counter)

    def learn(self, title: str) -> None:
        """Count a title; a repeated title is ignored."""
        mark = _key_of(title)
        if mark in self.titles:
            return
        self.titles[mark] = None
        self.ends.update(end for end in _ends(title) if len(end) <= _MAX_END_CHARS)
        if len(self.titles) > _MAX_TITLES:
            self.titles = dict.fromkeys(list(self.titles)[_MAX_TITLES // 2 :])
            self.ends = Counter({end: count // 2 for end, count in self.ends.items() if count > 1})

    def shared(self) -> frozenset[str]:
        """Return the parts that titles of the site share, in the form of `titles.site_keys`."""
        least = max(MIN_TITLES, MIN_TITLE_SHARE * len(self.titles))
        return frozenset(end for end, count in self.ends.items() if count >= least)


def _ends(title: str) -> Iterator[str]:
    """Yield the first and the last part of a title that has several.

    >>> list(_ends("Rain in Spain | Weather - The Plain"))
    ['raininspain', 'theplain']
    """
    parts = split_title(title)
    if len(parts) > 1:
        keys = parts.keys
        # A word before a colon is more likely a label than a name.
        yield from (keys[-1],) if parts.behind_colon[1] else (keys[0], keys[-1])


# The memory of one site: its groups of pages, the pages already counted, and what its titles share.

ALIKE = 0.3
"""From this likeness on, a page belongs to a group."""
MAX_GROUPS = 8
"""Groups of a site; beyond that, the one without a page for the longest time is forgotten."""
MAX_COUNTED = 4_096
"""Newest pages remembered as counted."""
MISFITS = 3
"""Pages of one URL shape in a row that must not fit before it is a change of layout: a single one is an odd page."""


@dataclass
class SiteMemory:
    """What is known of one site."""

    pages: int = 0
    """Pages counted since the site was first met."""
    groups: list[PageGroup] = field(default_factory=list)
    counted: dict[int, None] = field(default_factory=dict)
    """The keys of the newest pages that were counted."""
    titles: TitleMemory = field(default_factory=TitleMemory)
    misfits: Counter[str] = field(default_factory=Counter)
    """By URL shape, the newest pages in a row that did not fit; counted in this run only."""

    def learn(self, page: Observation) -> bool:
        """Count a page; return False if it is counted already."""
        if page.title:
            self.titles.learn(page.title)
        if page.page_key in self.counted:
            return False
        self.counted[page.page_key] = None
        if len(self.counted) > MAX_COUNTED:
            del self.counted[next(iter(self.counted))]
        group = self.group_of(page)
        if self._is_misfit(page, group):
            self.misfits[page.shape] += 1
        else:
            self.misfits.pop(page.shape, None)
        self.pages += 1
        if group is None:
            group = PageGroup()
            self.groups.append(group)
        group.learn(page, self.pages)
        if len(self.groups) > MAX_GROUPS:
            self.groups.remove(min(self.groups, key=lambda group: group.newest))
        return True

    def notices(self, page: Observation) -> Iterator[Notice]:
        """Yield what is unlike the pages known so far: another layout, a part that is not at its usual place."""
        group = self.group_of(page)
        if self.misfits[page.shape] >= MISFITS - 1 and self._is_misfit(page, group):
            yield Notice(NoticeCode.LAYOUT_CHANGED, shape=page.shape)
        if group is None or page.page_key in self.counted or group.pages < KNOWN_PAGES:
            return
        for name in ("body", "date", "author"):
            place, share = group.usual(name)
            held = sum(group.names.get(name, {}).values())
            if share >= USUAL and held >= USUAL * group.pages and page.places.get(name) != place:
                yield Notice(NoticeCode.MISPLACED, part=name, place=place)

    def group_of(self, page: Observation) -> PageGroup | None:
        """Return the group of a page, or `None`."""
        likeness, best = max(((group.likeness(page.layout), -n) for n, group in enumerate(self.groups)), default=(0, 0))
        return self.groups[-best] if likeness >= ALIKE else None

    def _is_misfit(self, page: Observation, group: PageGroup | None) -> bool:
        """Return whether a page has the URL shape of a known group, but another layout."""
        if not page.shape or (group is not None and group.pages >= KNOWN_PAGES):
            return False
        known = [other.usual("shape") for other in self.groups if other is not group and other.pages >= KNOWN_PAGES]
        return any(shape == page.shape and share >= USUAL for shape, share in known)


# Pack the memory of a site into bytes: JSON, compressed.

VERSION = 3
"""Version of the keys and counts: what another version wrote cannot be compared, and is learned anew."""


def pack(memory: SiteMemory) -> bytes:
    """Return the memory as bytes."""
    held = {
        "version": VERSION,
        "pages": memory.pages,
        "counted": list(memory.counted),
        "titles": list(memory.titles.titles),
        "ends": memory.titles.ends,
        "groups": [(group.pages, group.newest, list(group.layout.items()), group.names) for group in memory.groups],
    }
    return zlib.compress(json.dumps(held).encode())


def unpack(packed: bytes) -> SiteMemory | None:
    """Return the memory that these bytes hold; `None` if they hold none, or one of another version."""
    try:
        held = json.loads(zlib.decompress(packed))
        return _memory(held) if held["version"] == VERSION else None
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError):
        return None


def _memory(held: dict[str, Any]) -> SiteMemory:
    titles = TitleMemory(dict.fromkeys(held["titles"]), Counter(held["ends"]))
    groups = [
        PageGroup(pages, newest, dict(layout), {name: Counter(counts) for name, counts in names.items()})
        for pages, newest, layout, names in held["groups"]
    ]
    return SiteMemory(held["pages"], groups, dict.fromkeys(held["counted"]), titles)


# The memories of all sites of a crawl: loaded when first needed, saved now and then, safe with several workers.
#
# Observations since the last save are kept. A worker that finds the stored memory changed by another loads that one and
# learns its own observations again on top, so that nothing is lost and no page counts twice.

SAVED_EVERY = 50
"""A site's memory is saved after so many observations."""
MAX_SITES = 256
"""Sites whose memory is held at once, some hundred kB each; the least recently used is saved and dropped."""
_MOST_ATTEMPTS = 20
_MOST_OBSERVATIONS = 500
"""Observations kept while a memory cannot be saved."""


class MemoryStoreError(RuntimeError):
    """The store of memories cannot be reached for now."""


class StoredMemory(NamedTuple):
    """The stored memory of a site."""

    revision: int
    packed: bytes


class MemoryStore(Protocol):
    """Where memories are kept between runs; see `newsextract.storage.site_memory_table`.

    It raises `MemoryStoreError` when it cannot be reached.
    """

    def load(self, site: str) -> StoredMemory | None:
        """Return the memory of a site, or `None`."""
        ...

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        """Store the memory that was made from a revision; return `False` if the stored revision is another by now."""
        ...


@dataclass
class _Held:
    memory: SiteMemory
    revision: int = 0
    observations: list[Observation] = field(default_factory=list)


class Memories:
    """The memory of each site, from a store if one is given."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._told: set[str] = set()

    def of(self, site: str) -> SiteMemory:
        """Return the memory of a site, with what this run has learned so far."""
        return self._hold(site).memory

    def learn(self, site: str, page: Observation) -> tuple[Notice, ...]:
        """Learn from a page, and return notices of what is unusual on it."""
        held = self._hold(site)
        notices = tuple(held.memory.notices(page))
        if held.memory.learn(page) and self.store is not None:
            held.observations.append(page)
            if len(held.observations) % SAVED_EVERY == 0:
                self._save(site, held)
        return notices

    def save(self) -> bool:
        """Save the memories of all sites, unless the store fails; return whether nothing is left to be saved."""
        return all(self._save(site, held) for site, held in self._held.items())

    def _hold(self, site: str) -> _Held:
        held = self._held.get(site)
        if held is None:
            held = self._held[site] = self._load(site)
            if len(self._held) > MAX_SITES:
                self._save(*self._held.popitem(last=False))
        self._held.move_to_end(site)
        return held

    def _load(self, site: str) -> _Held:
        try:
            found = self.store.load(site) if self.store is not None else None
        except MemoryStoreError as error:  # an article is worth more than its site's memory
            self._tell("the memories of sites cannot be read, their pages do without in this run: %s", error)
            found = None
        if found is None:
            return _Held(SiteMemory())
        # A memory from another version is learned anew and overwritten.
        return _Held(unpack(found.packed) or SiteMemory(), found.revision)

    def _save(self, site: str, held: _Held) -> bool:
        """Save a site's memory; if that fails, the observations are kept for the next time."""
        try:
            if self.store is not None and held.observations:
                self._write(site, held, self.store)
        except MemoryStoreError as error:
            self._tell("the memories of sites are not saved for now: %s", error)
            del held.observations[:-_MOST_OBSERVATIONS]
            return False
        return True

    def _tell(self, what: str, error: MemoryStoreError) -> None:
        """Log an error once, not for each of a thousand sites."""
        import logging  # noqa: PLC0415 - only a crawl keeps memories

        if what not in self._told:
            self._told.add(what)
            logging.getLogger(__name__).warning(what, error)

    def _write(self, site: str, held: _Held, store: MemoryStore) -> None:
        for _ in range(_MOST_ATTEMPTS):
            if store.save(site, held.revision, pack(held.memory)):
                held.revision += 1
                held.observations.clear()
                return
            newer = self._load(site)
            held.memory, held.revision = newer.memory, newer.revision
            for observation in held.observations:
                held.memory.learn(observation)
        raise MemoryStoreError(f"others wrote it {_MOST_ATTEMPTS} times in a row")
