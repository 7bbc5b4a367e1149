"""Site memories: what they notice on pages, what they forget, and how they are kept between runs and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.page.page import Page
from newsextract.reading import memory as memory_module
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.memory import (
    KNOWN_PAGES,
    MAX_GROUPS,
    SAVED_EVERY,
    Memories,
    MemoryStoreError,
    Observation,
    SiteMemory,
    StoredMemory,
    observe,
    pack,
    unpack,
)

if TYPE_CHECKING:
    import pytest

SITE = "plain.example"


def story(number: int, layout: str = "story", url: str | None = None) -> Page:
    """Return a page with two paragraphs of its own."""
    words = " ".join(
        f"word{chr(97 + number % 26)}{chr(97 + (number * 7 + n) % 26)}{chr(97 + n % 26)}" for n in range(40)
    )
    inner = (
        f"<div class={layout}><h1>Story {words[:9]}</h1><p class={layout}-date>{1 + number % 27} May 2026</p>"
        f"<div class={layout}-body><p>First {words}.</p><p>Then {words[::-1]}.</p></div></div>"
        f"<div class={layout}-foot><p>The views expressed here are the authors' own.</p></div>"
    )
    html = f"<title>Story {words[:9]} | The Plain</title><body class={layout}-page>{inner}"
    return Page(html, url or f"https://plain.example/news/2026/story-{number}")


def observed(page: Page) -> Observation:
    """Return the page's observation, with its own paragraphs taken for the body."""
    blocks = tuple(block for block in page.blocks if block.text.startswith(("First ", "Then ")))
    return observe(page, Extraction("auto", blocks))


def unpacked(packed: bytes | None) -> SiteMemory:
    memory = unpack(packed or b"")
    assert memory is not None
    return memory


def memory_of(count: int) -> SiteMemory:
    memory = SiteMemory()
    for number in range(count):
        assert memory.learn(observed(story(number)))
    return memory


def noticed(memory: SiteMemory, page: Page) -> list[str]:
    return [str(notice) for notice in memory.notices(observed(page))]


def test_a_page_seen_again_counts_once() -> None:
    memory = SiteMemory()
    for _ in range(6):
        memory.learn(observed(story(1)))
        memory.learn(observed(story(1, url="http://www.plain.example/news/2026/story-1/?utm_source=feed")))
    assert memory.pages == 1


def test_a_new_layout_makes_a_new_group_and_is_told() -> None:
    memory = memory_of(12)
    assert memory.group_of(observed(story(20, layout="modern"))) is None
    told = []
    for number in range(20, 32):
        page = story(number, layout="modern")
        told.append(noticed(memory, page))
        memory.learn(observed(page))
    assert told[:2] == [[], []]  # one page may be odd, or two
    assert all(notices == ["site memory: the layout of pages at /news/0 has changed"] for notices in told[2:10])
    assert len(memory.groups) == 2
    assert noticed(memory, story(40, layout="modern")) == []


def test_a_layout_that_is_no_longer_used_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "FADE_PAGES", 8)
    (group,) = memory_of(26).groups
    assert group.pages <= 8
    assert max(group.layout.values()) <= 8


def test_stays_small_whatever_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "_MOST_PLACES", 100)
    memory = SiteMemory()
    for number in range(60):
        names = [f"{chr(97 + number % 26)}{chr(97 + each % 26)}{chr(97 + each // 26)}" for each in range(150)]
        lines = "".join(f"<p class=c{name}>{name}</p>" for name in names)
        memory.learn(observed(Page(f"<div>{lines}</div>", f"https://plain.example/{number}")))
    assert all(len(group.layout) <= 100 for group in memory.groups)
    assert len(memory.groups) == MAX_GROUPS


def test_is_the_same_after_packing() -> None:
    memory = memory_of(6)
    again = unpacked(pack(memory))
    assert again == memory
    assert again.titles.shared() == {"theplain"}
    assert not again.learn(observed(story(1)))


def test_tells_when_the_body_is_not_where_it_usually_is() -> None:
    page = story(20)
    odd = Page(str(page.html).replace("<p>First", "<section><p>First").replace("<p>Then", "<p>And"), page.url)
    assert noticed(memory_of(KNOWN_PAGES - 1), odd) == []
    memory = memory_of(KNOWN_PAGES)
    assert noticed(memory, odd)[0].startswith("site memory: the body is not at its usual place, ")
    assert noticed(memory, page) == []


class Drawer:
    """A store in memory, which cannot be reached while it is down."""

    def __init__(self, *, is_down: bool = False) -> None:
        self.is_down = is_down
        self.kept: dict[str, StoredMemory] = {}
        self.refused = 0

    def load(self, site: str) -> StoredMemory | None:
        if self.is_down:
            raise MemoryStoreError("connection refused")
        return self.kept.get(site)

    def save(self, site: str, revision: int, packed: bytes) -> bool:
        if self.is_down:
            raise MemoryStoreError("connection refused")
        if (self.kept[site].revision if site in self.kept else 0) != revision:
            self.refused += 1
            return False
        self.kept[site] = StoredMemory(revision + 1, packed)
        return True


def test_two_workers_lose_nothing() -> None:
    drawer = Drawer()
    one, other = Memories(drawer), Memories(drawer)
    assert one.of(SITE).pages == other.of(SITE).pages == 0
    for number in range(0, 20, 2):
        one.learn(SITE, observed(story(number)))
        other.learn(SITE, observed(story(number + 1)))
    one.learn(SITE, observed(story(1)))  # which the other has, too
    one.save()
    other.save()
    assert drawer.refused
    alone = SiteMemory()
    for number in (*range(0, 20, 2), *range(1, 20, 2)):
        alone.learn(observed(story(number)))
    kept = unpacked(drawer.kept[SITE][1])
    assert kept.pages == alone.pages == 20
    assert [group.pages for group in kept.groups] == [20.0]


def test_what_cannot_be_read_is_learned_anew() -> None:
    drawer = Drawer()
    drawer.kept[SITE] = StoredMemory(7, b"of another version")
    memories = Memories(drawer)
    assert memories.of(SITE).pages == 0
    memories.learn(SITE, observed(story(1)))
    memories.save()
    assert drawer.kept[SITE][0] == 8
    assert Memories(drawer).of(SITE).pages == 1


def test_a_database_that_is_down_costs_no_page_and_no_lesson() -> None:
    store = Drawer(is_down=True)
    memories = Memories(store)
    for number in range(SAVED_EVERY + 5):
        memories.learn("plain.example", observed(story(number)))
    memories.save()
    store.is_down = False
    memories.save()
    assert Memories(store).of("plain.example").pages == memories.of("plain.example").pages > 0
