"""The memories of all sites of a crawl: loaded when first needed, saved now and then, safe with several workers.

Pages are read with what was known when the last run finished, not with what the present run learns: so neither the
order of the pages nor an interruption changes what a page yields. Of a site of which nothing is known, the first pages
are read without a memory; what they have taught is then known, stored at once, and the same until a run finishes.

Lessons since the last save are kept. A worker that finds the stored memory changed by another loads that one and learns
its own lessons again on top, so that nothing is lost and no page counts twice.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from newsextract.reading.site_memory.memory_packing import BadMemory, pack, unpack
from newsextract.reading.site_memory.site_memory import SiteMemory

if TYPE_CHECKING:
    from collections.abc import Collection

    from newsextract.reading.notices import Notice
    from newsextract.reading.site_memory.page_lesson import Lesson

SAVED_EVERY = 50
"""A site's memory is saved after so many lessons, once something is known of the site."""
FIRST_PAGES = 8
"""Pages of a site that nothing is known of, after which what they have taught is known."""
MAX_SITES = 256
"""Sites whose memory is held at once, some hundred kB each; the least recently used is saved and dropped."""
_MOST_ATTEMPTS = 20
_MOST_LESSONS = 500
"""Lessons kept while a memory cannot be saved."""

logger = logging.getLogger(__name__)


class ShelfError(RuntimeError):
    """The store of memories cannot be reached for now."""


class ShelfBroken(ShelfError):  # noqa: N818 - the name says that it is an error
    """The store of memories cannot be used, and trying again will not help."""


class KeptMemory(NamedTuple):
    """The stored memory of a site."""

    revision: int
    packed: bytes
    known: bytes | None = None
    """What pages are read with: the memory as it was when the last run finished, or after the site's first pages."""


class Shelf(Protocol):
    """Where memories are kept between runs; see `newsextract.storage.ledger.site_memory_table`.

    It raises `ShelfError` when it cannot be reached.
    """

    def load(self, site: str) -> KeptMemory | None:
        """Return the memory of a site, or `None`."""
        ...

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        """Store the memory that was made from a revision; return `False` if the stored revision is another by now.

        `known` is stored too where it is given.
        """
        ...


class MemoryConflict(RuntimeError):  # noqa: N818 - the name says that it is an error
    """A memory could not be saved, because other workers kept writing it."""


@dataclass
class _Held:
    memory: SiteMemory
    revision: int = 0
    lessons: list[Lesson] = field(default_factory=list)
    known: SiteMemory | None = None
    is_known_news: bool = False
    """Whether what is known has not been stored yet."""
    is_read: bool = True
    """Whether the store could be reached."""


class Memories:
    """The memory of each site, from a shelf if one is given."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def of(self, site: str) -> SiteMemory:
        """Return the memory of a site, with what this run has learned so far."""
        return self._hold(site).memory

    def known(self, site: str) -> SiteMemory | None:
        """Return the memory that the site's pages are read with, or `None` for the first pages of a site."""
        return self._hold(site).known

    def learn(self, site: str, lesson: Lesson) -> tuple[Notice, ...]:
        """Learn from a page, and return notices of what was not at its usual place."""
        held = self._hold(site)
        group = held.memory.learn(lesson)
        if group is not None and held.known is None and held.is_read and held.memory.pages >= FIRST_PAGES:
            held.known, held.is_known_news = unpack(pack(held.memory)), True
        if self.shelf is not None and group is not None:
            held.lessons.append(lesson)
            # The first ones at once: who goes on after a crash shall not begin to count anew.
            if held.known is None or held.is_known_news or len(held.lessons) % SAVED_EVERY == 0:
                self._save(site, held, self.shelf)
        return held.memory.misses(lesson, group)

    def save(self) -> bool:
        """Save the memories of all sites; return whether nothing is left to be saved."""
        if self.shelf is not None:
            for site, held in self._held.items():
                self._save(site, held, self.shelf)
        return self.shelf is None or not any(held.lessons for held in self._held.values())

    def let_go(self, sites: Collection[str]) -> bool:
        """Save and forget the memories of sites that others go on with; return whether nothing is left to be saved."""
        for site in sites:
            held = self._held.get(site)
            if held is not None and self.shelf is not None:
                self._save(site, held, self.shelf)
            if held is not None and not held.lessons:
                del self._held[site]
        return not any(self._held[site].lessons for site in sites if site in self._held)

    def _hold(self, site: str) -> _Held:
        held = self._held.get(site)
        if held is None:
            held = self._held[site] = self._load(site)
            if len(self._held) > MAX_SITES:
                oldest, let_go = self._held.popitem(last=False)
                if self.shelf is not None:
                    self._save(oldest, let_go, self.shelf)
        elif not held.is_read:
            # What was learned meanwhile joins the stored memory when it is saved.
            again = self._load(site, is_told=True)
            held.known, held.is_read = again.known, again.is_read
        self._held.move_to_end(site)
        return held

    def _load(self, site: str, *, is_told: bool = False) -> _Held:
        try:
            found = self.shelf.load(site) if self.shelf is not None else None
        except ShelfError as error:  # an article is worth more than its site's memory
            if not is_told:
                logger.warning("the memory of %s cannot be read, its pages do without for now: %s", site, error)
            return _Held(SiteMemory(site), is_read=isinstance(error, ShelfBroken))
        if found is None:
            return _Held(SiteMemory(site))
        # A memory from another version is learned anew and overwritten.
        return _Held(_unpacked(found.packed) or SiteMemory(site), found.revision, known=_unpacked(found.known))

    def _save(self, site: str, held: _Held, shelf: Shelf) -> None:
        """Save a site's memory; if that fails, the lessons are kept for the next time."""
        if not held.lessons:
            return
        try:
            self._write(site, held, shelf)
        except (ShelfError, MemoryConflict) as error:
            logger.warning("the memory of %s is not saved for now: %s", site, error)
            del held.lessons[: None if isinstance(error, ShelfBroken) else -_MOST_LESSONS]

    def _write(self, site: str, held: _Held, shelf: Shelf) -> None:
        for _ in range(_MOST_ATTEMPTS):
            known = pack(held.known) if held.known is not None and held.is_known_news else None
            if shelf.save(site, held.revision, pack(held.memory), known):
                held.revision += 1
                held.is_known_news = False
                held.lessons.clear()
                return
            newer = self._load(site)
            held.memory, held.revision = newer.memory, newer.revision
            if newer.known is not None:  # another worker has met the site's first pages
                held.known, held.is_known_news = newer.known, False
            for lesson in held.lessons:
                held.memory.learn(lesson)
        raise MemoryConflict(f"the memory of {site} was written by others {_MOST_ATTEMPTS} times in a row")


def _unpacked(packed: bytes | None) -> SiteMemory | None:
    if packed is not None:
        with suppress(BadMemory):
            return unpack(packed)
    return None
