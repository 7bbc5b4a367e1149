"""The memory of each site: its page groups, what its titles share, and how it is kept between runs."""

from __future__ import annotations

import io
import json
import logging
import zlib
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from zipfile import BadZipFile

import numpy as np

from newsextract.reading.metadata.titles import split_title
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.page_groups import KNOWN_PAGES, USUAL, PageGroup, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from newsextract.page.page import SiteEvidence
    from newsextract.reading.page_groups import Observation, PagePrint


# The memory of one site: its groups of pages, the pages already counted, and what its titles share.
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

ALIKE = 0.3
"""From this likeness on, a page belongs to a group."""
MAX_GROUPS = 8
"""Groups of a site; beyond that, the one without a page for the longest time is forgotten."""
MAX_BLOCKS = 20_000
"""Blocks remembered for a site: 20 bytes each, so that its memory stays well below 1 MB."""
MAX_PAGE_BLOCKS = 4_000
"""A page with more is a dump, which would push all others out of the memory."""
MAX_COUNTED = 4_096
"""Newest pages remembered as counted."""
MISFITS = 3
"""Pages of one URL shape in a row that must not fit before it is a change of layout: a single one is an odd page."""


@dataclass(slots=True)
class TitleMemory:
    """Counts the first and last parts of the titles of one site."""

    titles: dict[bytes, None] = field(default_factory=dict)
    """A hash of each title that counts, in order of arrival."""
    ends: Counter[str] = field(default_factory=Counter)

    def learn(self, title: str) -> None:
        """Count a title; a repeated title is ignored."""
        mark = blake2b(title.encode("utf-8", "replace"), digest_size=8).digest()
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


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a site's memory says about a page."""

    page_print: PagePrint
    group: PageGroup | None
    """The group that it belongs to, or `None`."""
    is_counted: bool = False
    """Whether the page is among those that the memory has learned from."""
    warnings: tuple[Notice, ...] = ()

    @property
    def evidence(self) -> SiteEvidence | None:
        """What the group's other pages say about this one, by what has been learned so far; `None` without a group."""
        prints, group = self.page_print.prints, self.group
        return group.evidence(prints, is_counted=self.is_counted) if group else None


@dataclass
class SiteMemory:
    """What is known of one site."""

    site: str
    pages: int = 0
    """Pages counted since the site was first met."""
    groups: list[PageGroup] = field(default_factory=list)
    counted: dict[int, None] = field(default_factory=dict)
    """The keys of the newest pages that were counted."""
    titles: TitleMemory = field(default_factory=TitleMemory)
    misfits: Counter[str] = field(default_factory=Counter)
    """By URL shape, the newest pages in a row that did not fit; counted in this run only."""

    def look_up(self, page_print: PagePrint) -> Lookup:
        """Return the group of a page, and what the group's other pages say about it."""
        group = self._group_of(page_print)
        warnings: tuple[Notice, ...] = ()
        if self.misfits[page_print.shape] >= MISFITS - 1 and self._is_misfit(page_print, group):
            warnings = (Notice(NoticeCode.LAYOUT_CHANGED, shape=page_print.shape),)
        return Lookup(page_print, group, page_print.page_key in self.counted, warnings)

    def learn(self, observation: Observation) -> PageGroup | None:
        """Count a page and return its group; `None` if it is counted already, is a copy of a page, or is too large."""
        if observation.title:
            self.titles.learn(observation.title)
        key, group = observation.page_print.page_key, self._group_of(observation.page_print)
        if key in self.counted or len(observation.kept) > MAX_PAGE_BLOCKS:
            return None
        self.counted[key] = None
        if len(self.counted) > MAX_COUNTED:
            del self.counted[next(iter(self.counted))]
        if group is not None and group.is_copy(observation):
            return None
        shape = observation.page_print.shape
        if self._is_misfit(observation.page_print, group):
            self.misfits[shape] += 1
        else:
            self.misfits.pop(shape, None)
        self.pages += 1
        if group is None:
            group = PageGroup(self.pages)
            self.groups.append(group)
        group.learn(observation, self.pages)
        self._forget()
        return group

    def misses(self, observation: Observation, group: PageGroup | None) -> tuple[Notice, ...]:
        """Return notices of what is not at its usual place on pages of this group."""
        if group is None or group.pages < KNOWN_PAGES:
            return ()
        warnings = []
        for name in ("body", "date", "author"):
            place, share = group.usual(name)
            found = observation.places.get(name)
            held = sum(group.names.get(name, {}).values())
            if share >= USUAL and held >= USUAL * group.pages and found != place:
                warnings.append(Notice(NoticeCode.MISPLACED, part=name, place=place))
        return tuple(warnings)

    def _group_of(self, page_print: PagePrint) -> PageGroup | None:
        places, _ = page_print.prints.distinct
        likeness, best = max(((group.likeness(places), -n) for n, group in enumerate(self.groups)), default=(0.0, 0))
        return self.groups[-best] if likeness >= ALIKE else None

    def _is_misfit(self, page_print: PagePrint, group: PageGroup | None) -> bool:
        """Return whether a page has the URL shape of a known group, but another layout."""
        if not page_print.shape or (group is not None and group.pages >= KNOWN_PAGES):
            return False
        known = [other.usual("shape") for other in self.groups if other is not group and other.pages >= KNOWN_PAGES]
        return any(shape == page_print.shape and share >= USUAL for shape, share in known)

    def _forget(self) -> None:
        """Drop the groups, and the least useful blocks, beyond the limits."""
        while len(self.groups) > MAX_GROUPS:
            self.groups.remove(min(self.groups, key=lambda group: group.newest))
        while sum(len(group.blocks) for group in self.groups) > MAX_BLOCKS:
            largest = max(self.groups, key=lambda group: len(group.blocks))
            # Drop a quarter at a time: sorting for every page would cost more than everything else.
            largest.blocks.keep_best(len(largest.blocks) * 3 // 4)


# Pack the memory of a site into bytes: numpy arrays and JSON, compressed; never pickled code.

VERSION = 2
"""Version of the fingerprints and arrays: what another version wrote cannot be compared, and is learned anew."""

_OF_GROUPS = ("number", "pages", "newest", "names")
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error)


def pack(memory: SiteMemory) -> bytes:
    """Return the memory as bytes."""
    titles = memory.titles
    head = {
        "version": VERSION,
        "site": memory.site,
        "pages": memory.pages,
        "ends": titles.ends,
        "groups": [{name: getattr(group, name) for name in _OF_GROUPS} for group in memory.groups],
    }
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "counted": np.array(list(memory.counted), np.uint64),
        "titles": np.frombuffer(b"".join(titles.titles), np.uint8),
    }
    for number, group in enumerate(memory.groups):
        for name, tally in (("blocks", group.blocks), ("places", group.places)):
            arrays |= {f"{name}_keys_{number}": tally.keys, f"{name}_values_{number}": tally.values}
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def unpack(packed: bytes) -> SiteMemory | None:
    """Return the memory that these bytes hold; `None` if they hold none, or one of another version."""
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            held = {name: arrays[name] for name in arrays.files}
        head = json.loads(held["head"].tobytes())
        return _memory(head, held) if head["version"] == VERSION else None
    except _UNREADABLE:
        return None


def _memory(head: dict[str, Any], held: dict[str, NDArray[Any]]) -> SiteMemory:
    marks = held["titles"].tobytes()
    titles = TitleMemory(dict.fromkeys(marks[n : n + 8] for n in range(0, len(marks), 8)), Counter(head["ends"]))
    memory = SiteMemory(head["site"], head["pages"], [], dict.fromkeys(held["counted"].tolist()), titles)
    for number, told in enumerate(head["groups"]):
        group = PageGroup(**told | {"names": {name: Counter(counts) for name, counts in told["names"].items()}})
        for name in ("blocks", "places"):
            setattr(group, name, Tally(held[f"{name}_values_{number}"], held[f"{name}_keys_{number}"]))
        memory.groups.append(group)
    return memory


# The memories of all sites of a crawl: loaded when first needed, saved now and then, safe with several workers.
#
# Pages are read with what was known when the last run finished, not with what the present run learns: so neither the
# order of the pages nor an interruption changes what a page yields. Of a site of which nothing is known, the first
# pages are read without a memory; what they have shown is then known, stored at once, and the same until a run
# finishes.
#
# Observations since the last save are kept. A worker that finds the stored memory changed by another loads that one and
# learns its own observations again on top, so that nothing is lost and no page counts twice.

SAVED_EVERY = 50
"""A site's memory is saved after so many observations, once something is known of the site."""
FIRST_PAGES = 8
"""Pages of a site that nothing is known of, after which what they have shown is known."""
MAX_SITES = 256
"""Sites whose memory is held at once, some hundred kB each; the least recently used is saved and dropped."""
_MOST_ATTEMPTS = 20
_MOST_OBSERVATIONS = 500
"""Observations kept while a memory cannot be saved."""

logger = logging.getLogger(__name__)


class MemoryStoreError(RuntimeError):
    """The store of memories cannot be reached for now."""


class StoredMemory(NamedTuple):
    """The stored memory of a site."""

    revision: int
    packed: bytes
    known: bytes | None = None
    """What pages are read with: the memory as it was when the last run finished, or after the site's first pages."""


class MemoryStore(Protocol):
    """Where memories are kept between runs; see `newsextract.storage.site_memory_table`.

    It raises `MemoryStoreError` when it cannot be reached.
    """

    def load(self, site: str) -> StoredMemory | None:
        """Return the memory of a site, or `None`."""
        ...

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        """Store the memory that was made from a revision; return `False` if the stored revision is another by now.

        `known` is stored too where it is given.
        """
        ...


@dataclass
class _Held:
    memory: SiteMemory
    revision: int = 0
    observations: list[Observation] = field(default_factory=list)
    known: SiteMemory | None = None
    is_known_news: bool = False
    """Whether what is known has not been stored yet."""


class Memories:
    """The memory of each site, from a store if one is given."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def of(self, site: str) -> SiteMemory:
        """Return the memory of a site, with what this run has learned so far."""
        return self._hold(site).memory

    def known(self, site: str) -> SiteMemory | None:
        """Return the memory that the site's pages are read with, or `None` for the first pages of a site."""
        return self._hold(site).known

    def learn(self, site: str, observation: Observation) -> tuple[Notice, ...]:
        """Learn from a page, and return notices of what was not at its usual place."""
        held = self._hold(site)
        group = held.memory.learn(observation)
        if group is not None and held.known is None and held.memory.pages >= FIRST_PAGES:
            held.known, held.is_known_news = unpack(pack(held.memory)), True
        if self.store is not None and group is not None:
            held.observations.append(observation)
            # The first ones at once: who goes on after a crash shall not begin to count anew.
            if held.known is None or held.is_known_news or len(held.observations) % SAVED_EVERY == 0:
                self._save(site, held)
        return held.memory.misses(observation, group)

    def save(self) -> bool:
        """Save the memories of all sites; return whether nothing is left to be saved."""
        for site, held in self._held.items():
            self._save(site, held)
        return not any(held.observations for held in self._held.values())

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
            logger.warning("the memory of %s cannot be read, its pages do without in this run: %s", site, error)
            found = None
        if found is None:
            return _Held(SiteMemory(site))
        # A memory from another version is learned anew and overwritten.
        return _Held(unpack(found.packed) or SiteMemory(site), found.revision, known=unpack(found.known or b""))

    def _save(self, site: str, held: _Held) -> None:
        """Save a site's memory; if that fails, the observations are kept for the next time."""
        try:
            if self.store is not None and held.observations:
                self._write(site, held, self.store)
        except MemoryStoreError as error:
            logger.warning("the memory of %s is not saved for now: %s", site, error)
            del held.observations[:-_MOST_OBSERVATIONS]

    def _write(self, site: str, held: _Held, store: MemoryStore) -> None:
        for _ in range(_MOST_ATTEMPTS):
            known = pack(held.known) if held.known is not None and held.is_known_news else None
            if store.save(site, held.revision, pack(held.memory), known):
                held.revision += 1
                held.is_known_news = False
                held.observations.clear()
                return
            newer = self._load(site)
            held.memory, held.revision = newer.memory, newer.revision
            if newer.known is not None:  # another worker has met the site's first pages
                held.known, held.is_known_news = newer.known, False
            for observation in held.observations:
                held.memory.learn(observation)
        raise MemoryStoreError(f"others wrote it {_MOST_ATTEMPTS} times in a row")
