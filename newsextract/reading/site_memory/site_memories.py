"""The memories of all sites of a crawl: loaded when a site is first met, saved now and then, safe with several workers.

What was learned since the last saving is kept as lessons. A worker that finds the stored memory changed by another
takes the other's and learns its own lessons again on top of it, so that nothing is lost and no page counts twice.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from newsextract.reading.site_memory.memory_packing import BadMemory, pack, unpack
from newsextract.reading.site_memory.site_memory import SiteMemory

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice
    from newsextract.reading.site_memory.page_lesson import Lesson

SAVED_EVERY = 50
"""Lessons of a site after which its memory is saved."""
MAX_SITES = 256
"""Sites whose memory is held at once, some hundred kB each; the one met longest ago is saved and let go."""
_MOST_ATTEMPTS = 20
_MOST_LESSONS = 500
"""Lessons kept while a memory cannot be saved."""

logger = logging.getLogger(__name__)


class ShelfError(RuntimeError):
    """The place where memories are kept cannot be reached for now."""


class Shelf(Protocol):
    """Where memories are kept between runs; see `newsextract.storage.ledger.site_memory_table`.

    It raises `ShelfError` when it cannot be reached.
    """

    def load(self, site: str) -> tuple[int, bytes] | None:
        """Return the revision and the memory of a site, if there is one."""
        ...

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        """Write what was made from a revision; `False` if there is another one by now."""
        ...


class MemoryConflict(RuntimeError):  # noqa: N818 - the name says that it is an error
    """A memory could not be saved, as others wrote it again and again."""


@dataclass
class _Held:
    memory: SiteMemory
    revision: int = 0
    lessons: list[Lesson] = field(default_factory=list)


class Memories:
    """The memory of each site, from a shelf if there is one."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def of(self, site: str) -> SiteMemory:
        """Return what is known of a site."""
        return self._hold(site).memory

    def learn(self, site: str, lesson: Lesson) -> tuple[Notice, ...]:
        """Learn from a page, and return warnings for what was not at its usual place."""
        held = self._hold(site)
        group = held.memory.learn(lesson)
        if self.shelf is not None and group is not None:
            held.lessons.append(lesson)
            if len(held.lessons) % SAVED_EVERY == 0:
                self._save(site, held, self.shelf)
        return held.memory.misses(lesson, group)

    def save(self) -> None:
        """Save what has been learned of all sites."""
        if self.shelf is not None:
            for site, held in self._held.items():
                self._save(site, held, self.shelf)

    def _hold(self, site: str) -> _Held:
        held = self._held.get(site)
        if held is None:
            held = self._held[site] = self._load(site)
            if len(self._held) > MAX_SITES:
                oldest, let_go = self._held.popitem(last=False)
                if self.shelf is not None:
                    self._save(oldest, let_go, self.shelf)
        self._held.move_to_end(site)
        return held

    def _load(self, site: str) -> _Held:
        try:
            found = self.shelf.load(site) if self.shelf is not None else None
        except ShelfError as error:  # an article is worth more than what is known of its site
            logger.warning("the memory of %s cannot be read, its pages are learned anew: %s", site, error)
            found = None
        if found is None:
            return _Held(SiteMemory(site))
        revision, packed = found
        with suppress(BadMemory):
            return _Held(unpack(packed), revision)
        return _Held(SiteMemory(site), revision)  # of another version: learned anew and written over

    def _save(self, site: str, held: _Held, shelf: Shelf) -> None:
        """Save what was learned of a site; where that fails, it is kept for the next time."""
        if not held.lessons:
            return
        try:
            self._write(site, held, shelf)
        except (ShelfError, MemoryConflict) as error:
            logger.warning("the memory of %s is not saved for now: %s", site, error)
            del held.lessons[:-_MOST_LESSONS]

    def _write(self, site: str, held: _Held, shelf: Shelf) -> None:
        for _ in range(_MOST_ATTEMPTS):
            if shelf.save(site, held.revision, pack(held.memory)):
                held.revision += 1
                held.lessons.clear()
                return
            newer = self._load(site)
            held.memory, held.revision = newer.memory, newer.revision
            for lesson in held.lessons:
                held.memory.learn(lesson)
        raise MemoryConflict(f"the memory of {site} was written by others {_MOST_ATTEMPTS} times in a row")
