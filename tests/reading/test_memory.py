"""Site memories: what they find on pages, what they forget, and how they are kept between runs and workers."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading import memory as memory_module
from newsextract.reading import page_groups as groups_module
from newsextract.reading.extraction.contract import Extraction, create_extractor
from newsextract.reading.memory import (
    FIRST_PAGES,
    MAX_GROUPS,
    SAVED_EVERY,
    Memories,
    MemoryStoreError,
    SiteMemory,
    StoredMemory,
    pack,
    unpack,
)
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.page_groups import Observation, observe, page_print_of, text_key

SITE = "plain.example"
NOTICE = "The views expressed here are the authors' own, and no part may be copied without our written consent."


def story(number: int, notice: str = NOTICE, layout: str = "story", url: str | None = None) -> Page:
    """Return a page with two paragraphs of its own, and a notice that every page has."""
    words = " ".join(
        f"word{chr(97 + number % 26)}{chr(97 + (number * 7 + n) % 26)}{chr(97 + n % 26)}" for n in range(40)
    )
    inner = (
        f"<div class={layout}><h1>Story {words[:9]}</h1><p class={layout}-date>{1 + number % 27} May 2026</p>"
        f"<div class={layout}-body><p>First {words}.</p><p>Then {words[::-1]}.</p></div></div>"
        f"<div class={layout}-foot><p>{notice}</p></div>"
    )
    html = f"<title>Story {words[:9]} | The Plain</title><body class={layout}-page>{inner}"
    return Page(html, url or f"https://plain.example/news/2026/story-{number}")


def observed(page: Page) -> Observation:
    """Return the page's observation, with its own paragraphs and half of the notice taken for the body."""
    outline = page.outline
    is_body = np.array([text.startswith(("First ", "Then ")) for text in outline.table.texts])
    likelihoods = np.where(is_body, 0.97, 0.02)
    blocks = outline.blocks_at(is_body.nonzero()[0].tolist())
    return observe(page, page_print_of(page), Extraction("auto", blocks, likelihoods=likelihoods))


@pytest.mark.parametrize(
    ("one", "other"),
    [("3 comments", "128 comments"), ("Updated May 1 at 10:00", "Updated May 24 at 8:30"), ("第1页", "第１２页")],
)
def test_look_past_digits(one: str, other: str) -> None:
    assert text_key(one) == text_key(other)


def unpacked(packed: bytes | None) -> SiteMemory:
    memory = unpack(packed or b"")
    assert memory is not None
    return memory


def repeated(memory: SiteMemory, page: Page) -> list[str]:
    evidence = memory.look_up(page_print_of(page)).evidence
    if evidence is None:
        return []
    return [text for text, is_repeated in zip(page.outline.table.texts, evidence.repeated, strict=True) if is_repeated]


def memory_of(count: int, **options: str) -> SiteMemory:
    memory = SiteMemory("plain.example")
    for number in range(count):
        memory.learn(observed(story(number, **options)))
    return memory


def test_a_block_that_other_pages_have_is_repeated() -> None:
    memory = memory_of(4)
    found = repeated(memory, story(9))
    assert any("written consent" in text for text in found)
    assert not any(text.startswith(("First", "Then", "Story")) for text in found)


def test_the_same_text_elsewhere_is_not_repeated() -> None:
    memory = memory_of(6)
    page = story(9, notice="Another notice.")
    quoted = Page(
        str(page.html).replace("</p></div>", "</p><p>" + story(1).outline.table.texts[-1] + "</p></div>", 1), page.url
    )
    assert not any("written consent" in text for text in repeated(memory, quoted))


def test_a_page_seen_again_counts_once() -> None:
    memory = SiteMemory("plain.example")
    for _ in range(6):
        memory.learn(observed(story(1)))
        memory.learn(observed(story(1, url="http://www.plain.example/news/2026/story-1/?utm_source=feed")))
    assert memory.pages == 1
    assert repeated(memory, story(2)) == []


def test_a_place_where_bodies_vary_speaks_for_a_block() -> None:
    page = story(9)
    evidence = memory_of(25).look_up(page_print_of(page)).evidence
    assert evidence is not None
    odds = dict(zip(page.outline.table.texts, evidence.odds.tolist(), strict=True))
    assert {odds[text] > 1 for text in odds if text.startswith(("First", "Then"))} == {True}
    assert {odds[text] < -1 for text in odds if "consent" in text} == {True}


def test_a_new_layout_makes_a_new_group_and_is_told() -> None:
    memory = memory_of(12)
    assert memory.look_up(page_print_of(story(20, layout="modern"))).group is None
    told = []
    for number in range(20, 32):
        page = story(number, layout="modern")
        told.append(memory.look_up(page_print_of(page)).warnings)
        memory.learn(observed(page))
    assert told[:2] == [(), ()]  # one page may be odd, or two
    assert set(told[2:10]) == {("site memory: the layout of pages at /news/0 has changed",)}
    assert len(memory.groups) == 2
    assert memory.look_up(page_print_of(story(40, layout="modern"))).warnings == ()
    assert any("consent" in text for text in repeated(memory, story(40, layout="modern")))


def test_what_is_no_longer_on_the_pages_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "FADE_PAGES", 8)
    memory = memory_of(8, notice="Our old notice, gone with the new year and never seen again.")
    for number in range(8, 26):
        memory.learn(observed(story(number)))
    old = story(30, notice="Our old notice, gone with the new year and never seen again.")
    assert not any("old notice" in text for text in repeated(memory, old))
    assert any("consent" in text for text in repeated(memory, story(31)))


def test_stays_small_whatever_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_module, "MAX_BLOCKS", 2_000)
    memory = SiteMemory("plain.example")
    for number in range(60):
        lines = "".join(f"<p class=c{chr(97 + number % 20)}>{hash_words(number, n)}</p>" for n in range(100))
        memory.learn(
            observed(Page(f"<div class=l{chr(97 + number % 20)}>{lines}</div>", f"https://plain.example/{number}"))
        )
    assert sum(len(group.blocks) for group in memory.groups) <= 2_000
    assert len(memory.groups) <= MAX_GROUPS


def hash_words(*numbers: int) -> str:
    return " ".join(chr(97 + value) * 3 for number in numbers for value in divmod(number, 26))


def test_is_the_same_after_packing() -> None:
    memory = memory_of(6)
    again = unpacked(pack(memory))
    assert pack(again) == pack(memory)
    assert repeated(again, story(9)) == repeated(memory, story(9))
    assert again.titles.shared() == memory.titles.shared() == {"theplain"}
    again.learn(observed(story(1)))
    assert again.pages == memory.pages


def test_tells_when_the_body_is_not_where_it_usually_is() -> None:
    memory = memory_of(12)
    page = story(20)
    odd = observed(Page(str(page.html).replace("<p>First", "<section><p>First").replace("<p>Then", "<p>And"), page.url))
    group = memory.learn(odd)
    assert memory.misses(odd, group)[0].startswith("site memory: the body is not at its usual place, ")
    usual = observed(story(21))
    assert memory.misses(usual, memory.learn(usual)) == ()


def test_after_ten_pages_it_knows_where_the_date_is() -> None:
    memory = SiteMemory("plain.example")
    known = []
    for number in range(12):
        page = story(number)
        metadata = Metadata(datePublished="2026-05-01", datePublishedRaw=page.outline.table.texts[1])
        evidence = memory.look_up(page_print_of(page)).evidence
        known.append(evidence is not None and "date" in evidence.places)
        memory.learn(observe(page, page_print_of(page), create_extractor("everything").extract(page), metadata))
    assert known == [False] * 10 + [True] * 2
    page = story(20)
    page.evidence = memory.look_up(page_print_of(page)).evidence
    assert page.evidence is not None
    assert page.evidence.places["date"].endswith("p.story-date")
    found = read_metadata(page, {"datePublished": ("site_places",)})
    assert found.datePublished == "2026-05-21"


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

    def save(self, site: str, revision: int, packed: bytes, known: bytes | None = None) -> bool:
        if self.is_down:
            raise MemoryStoreError("connection refused")
        before = self.kept.get(site, StoredMemory(0, b""))
        if before.revision != revision:
            self.refused += 1
            return False
        self.kept[site] = StoredMemory(revision + 1, packed, known or before.known)
        return True


def test_pages_are_read_with_what_earlier_runs_have_left() -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    memories.learn(SITE, observed(story(0)))
    memories.save()
    assert memories.known(SITE) is Memories(drawer).known(SITE) is None
    drawer.kept[SITE] = drawer.kept[SITE]._replace(known=drawer.kept[SITE].packed)
    following = Memories(drawer)
    for number in range(5):
        following.learn(SITE, observed(story(number)))
    known = following.known(SITE)
    assert known is not None
    assert (known.pages, following.of(SITE).pages) == (1, 5)


def test_a_site_s_first_pages_make_known_what_its_further_ones_are_read_with() -> None:
    drawer = Drawer()
    memories = Memories(drawer)
    for number in range(FIRST_PAGES):
        assert memories.known(SITE) is None
        memories.learn(SITE, observed(story(number)))
    known = memories.known(SITE)
    assert known is not None
    for number in range(FIRST_PAGES, FIRST_PAGES + 4):
        memories.learn(SITE, observed(story(number)))
        assert memories.known(SITE) is known
    assert known.pages == FIRST_PAGES
    # It is stored at once: who goes on after a crash reads the rest in the same way.
    after_a_crash = Memories(drawer).known(SITE)
    assert after_a_crash is not None
    assert pack(after_a_crash) == pack(known)
    memories.save()
    assert unpacked(drawer.kept[SITE].known or b"").pages == FIRST_PAGES


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
    alone = SiteMemory(SITE)
    for number in (*range(0, 20, 2), *range(1, 20, 2)):
        alone.learn(observed(story(number)))
    kept = unpacked(drawer.kept[SITE][1])
    assert kept.pages == alone.pages == 20
    assert [group.pages for group in kept.groups] == [20.0]


def test_what_cannot_be_read_is_learned_anew() -> None:
    drawer = Drawer()
    drawer.kept[SITE] = StoredMemory(7, b"of another version", b"and what was known")
    memories = Memories(drawer)
    assert memories.of(SITE).pages == 0
    assert memories.known(SITE) is None
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
