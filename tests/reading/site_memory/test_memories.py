"""Memories of a crawl: kept between runs, and written by several workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from newsextract.reading.site_memory.memory_packing import pack, unpack
from newsextract.reading.site_memory.site_memories import SAVED_EVERY, Memories, ShelfError
from newsextract.reading.site_memory.site_memory import SiteMemory

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.page.page import Page
    from newsextract.reading.site_memory.page_lesson import Lesson

    Make = Callable[..., Page]
    Learn = Callable[[Page], Lesson]

SITE = "plain.example"


class Drawer:
    """A shelf in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[int, bytes]] = {}
        self.refused = 0

    def load(self, site: str) -> tuple[int, bytes] | None:
        return self.kept.get(site)

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        if self.kept.get(site, (0, b""))[0] != revision:
            self.refused += 1
            return False
        self.kept[site] = (revision + 1, packed)
        return True


def test_are_there_in_the_next_run(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    first = Memories(drawer)
    for number in range(5):
        first.learn(SITE, lesson(make(number)))
    first.save()
    assert pack(Memories(drawer).of(SITE)) == pack(first.of(SITE))


def test_are_saved_in_batches(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    for number in range(SAVED_EVERY):
        assert not drawer.kept
        memories.learn(SITE, lesson(make(number % 26, url=f"https://{SITE}/{number}", notice=f"n{chr(97 + number)}")))
        if memories.of(SITE).pages < number + 1:  # a copy teaches nothing
            break
    memories.save()
    assert drawer.kept[SITE][0] == 1


def test_nothing_learned_is_nothing_saved(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    memories.learn(SITE, lesson(make(1)))
    memories.save()
    memories.learn(SITE, lesson(make(1)))
    memories.save()
    assert drawer.kept[SITE][0] == 1


def test_two_workers_lose_nothing(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    one, other = Memories(drawer), Memories(drawer)
    assert one.of(SITE).pages == other.of(SITE).pages == 0
    for number in range(0, 20, 2):
        one.learn(SITE, lesson(make(number)))
        other.learn(SITE, lesson(make(number + 1)))
    one.learn(SITE, lesson(make(1)))  # which the other has, too
    one.save()
    other.save()
    assert drawer.refused == 1
    alone = SiteMemory(SITE)
    for number in (*range(0, 20, 2), *range(1, 20, 2)):
        alone.learn(lesson(make(number)))
    kept = unpack(drawer.kept[SITE][1])
    assert kept.pages == alone.pages == 20
    assert [group.pages for group in kept.groups] == [20.0]


def test_what_cannot_be_read_is_learned_anew(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    drawer.kept[SITE] = (7, b"of another version")
    memories = Memories(drawer)
    assert memories.of(SITE).pages == 0
    memories.learn(SITE, lesson(make(1)))
    memories.save()
    assert drawer.kept[SITE][0] == 8
    assert Memories(drawer).of(SITE).pages == 1


def test_many_workers_at_once(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    lessons = [lesson(make(number)) for number in range(24)]

    def work(start: int) -> None:
        memories = Memories(drawer)
        for number in range(start, 24, 4):
            memories.learn(SITE, lessons[number])
            memories.save()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert unpack(drawer.kept[SITE][1]).pages == 24


class Unreachable:
    """A shelf whose database is down until it is mended."""

    def __init__(self) -> None:
        self.is_down = True
        self.kept: dict[str, tuple[int, bytes]] = {}

    def load(self, site: str) -> tuple[int, bytes] | None:
        if self.is_down:
            raise ShelfError("connection refused")
        return self.kept.get(site)

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        if self.is_down:
            raise ShelfError("connection refused")
        self.kept[site] = (revision + 1, packed)
        return True


def test_a_database_that_is_down_costs_no_page_and_no_lesson(make: Make, lesson: Learn) -> None:
    shelf = Unreachable()
    memories = Memories(shelf)
    for number in range(SAVED_EVERY + 5):
        memories.learn("plain.example", lesson(make(number)))
    memories.save()
    shelf.is_down = False
    memories.save()
    assert Memories(shelf).of("plain.example").pages == memories.of("plain.example").pages > 0
