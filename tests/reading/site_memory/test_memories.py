"""Memories of a crawl: kept between runs, and written by several workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from newsextract.reading.memory import (
    FIRST_PAGES,
    SAVED_EVERY,
    KeptMemory,
    Memories,
    ShelfError,
    SiteMemory,
    pack,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.page.page import Page
    from newsextract.reading.page_groups import Lesson

    Make = Callable[..., Page]
    Learn = Callable[[Page], Lesson]

SITE = "plain.example"


class Drawer:
    """A shelf in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptMemory] = {}
        self.refused = 0

    def load(self, site: str) -> KeptMemory | None:
        return self.kept.get(site)

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        before = self.kept.get(site, KeptMemory(0, b""))
        if before.revision != revision:
            self.refused += 1
            return False
        self.kept[site] = KeptMemory(revision + 1, packed, known or before.known)
        return True


def test_are_there_in_the_next_run(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    first = Memories(drawer)
    for number in range(5):
        first.learn(SITE, lesson(make(number)))
    first.save()
    assert pack(Memories(drawer).of(SITE)) == pack(first.of(SITE))


def test_pages_are_read_with_what_earlier_runs_have_left(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    memories.learn(SITE, lesson(make(0)))
    memories.save()
    assert memories.known(SITE) is Memories(drawer).known(SITE) is None
    drawer.kept[SITE] = drawer.kept[SITE]._replace(known=drawer.kept[SITE].packed)
    following = Memories(drawer)
    for number in range(5):
        following.learn(SITE, lesson(make(number)))
    known = following.known(SITE)
    assert known is not None
    assert (known.pages, following.of(SITE).pages) == (1, 5)


def test_a_site_s_first_pages_make_known_what_its_further_ones_are_read_with(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    for number in range(FIRST_PAGES):
        assert memories.known(SITE) is None
        memories.learn(SITE, lesson(make(number)))
    known = memories.known(SITE)
    assert known is not None
    for number in range(FIRST_PAGES, FIRST_PAGES + 4):
        memories.learn(SITE, lesson(make(number)))
        assert memories.known(SITE) is known
    assert known.pages == FIRST_PAGES
    # It is stored at once: who goes on after a crash reads the rest in the same way.
    after_a_crash = Memories(drawer).known(SITE)
    assert after_a_crash is not None
    assert pack(after_a_crash) == pack(known)
    memories.save()
    assert unpack(drawer.kept[SITE].known or b"").pages == FIRST_PAGES


def test_of_two_workers_the_first_decides_what_is_known(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    one, other = Memories(drawer), Memories(drawer)
    for number in range(FIRST_PAGES):
        one.learn(SITE, lesson(make(number)))
        other.learn(SITE, lesson(make(number + FIRST_PAGES)))
    first, second = one.known(SITE), other.known(SITE)
    assert first is not None
    assert second is not None
    assert pack(first) == pack(second) == drawer.kept[SITE].known
    assert first.pages == FIRST_PAGES, "of both together"
    assert one.save()
    assert other.save()
    assert unpack(drawer.kept[SITE].packed).pages == 2 * FIRST_PAGES


def test_are_saved_in_batches(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    drawer.kept[SITE] = KeptMemory(1, pack(SiteMemory(SITE)), pack(SiteMemory(SITE)))
    memories = Memories(drawer)
    for number in range(SAVED_EVERY):
        assert drawer.kept[SITE].revision == 1
        memories.learn(SITE, lesson(make(number % 26, url=f"https://{SITE}/{number}", notice=f"n{chr(97 + number)}")))
        if memories.of(SITE).pages < number + 1:  # a copy teaches nothing
            break
    memories.save()
    assert drawer.kept[SITE].revision == 2


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
    assert drawer.refused
    alone = SiteMemory(SITE)
    for number in (*range(0, 20, 2), *range(1, 20, 2)):
        alone.learn(lesson(make(number)))
    kept = unpack(drawer.kept[SITE][1])
    assert kept.pages == alone.pages == 20
    assert [group.pages for group in kept.groups] == [20.0]


def test_what_cannot_be_read_is_learned_anew(make: Make, lesson: Learn) -> None:
    drawer = Drawer()
    drawer.kept[SITE] = KeptMemory(7, b"of another version", b"and what was known")
    memories = Memories(drawer)
    assert memories.of(SITE).pages == 0
    assert memories.known(SITE) is None
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
    """A shelf whose database is down until the test repairs it."""

    def __init__(self) -> None:
        self.is_down = True
        self.kept: dict[str, KeptMemory] = {}

    def load(self, site: str) -> KeptMemory | None:
        if self.is_down:
            raise ShelfError("connection refused")
        return self.kept.get(site)

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        if self.is_down:
            raise ShelfError("connection refused")
        before = self.kept.get(site, KeptMemory(0, b""))
        if before.revision != revision:
            return False
        self.kept[site] = KeptMemory(revision + 1, packed, known or before.known)
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


def test_what_is_known_is_read_as_soon_as_the_database_is_back(make: Make, lesson: Learn) -> None:
    shelf = Unreachable()
    before = SiteMemory(SITE)
    for number in range(3):
        before.learn(lesson(make(number)))
    shelf.kept[SITE] = KeptMemory(1, pack(before), pack(before))
    memories = Memories(shelf)
    assert memories.known(SITE) is None
    memories.learn(SITE, lesson(make(3)))
    shelf.is_down = False
    known = memories.known(SITE)
    assert known is not None
    assert known.pages == 3
    assert memories.save()
    assert unpack(shelf.kept[SITE].packed).pages == 4
