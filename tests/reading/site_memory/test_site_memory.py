"""The memory of one site: what it finds, what it forgets, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading import memory as site_memory
from newsextract.reading import page_groups as page_group
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.memory import MAX_GROUPS, VERSION, BadMemory, SiteMemory, pack, unpack
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.page_groups import sight, teach

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.page_groups import Lesson

    Make = Callable[..., Page]
    Learn = Callable[[Page], Lesson]


def repeated(memory: SiteMemory, page: Page) -> list[str]:
    evidence = memory.recall(sight(page)).evidence
    if evidence is None:
        return []
    return [text for text, is_repeated in zip(page.outline.table.texts, evidence.repeated, strict=True) if is_repeated]


def taught(count: int, make: Make, lesson: Learn, **options: str) -> SiteMemory:
    memory = SiteMemory("plain.example")
    for number in range(count):
        memory.learn(lesson(make(number, **options)))
    return memory


def test_a_block_that_other_pages_have_is_repeated(make: Make, lesson: Learn) -> None:
    memory = taught(4, make, lesson)
    found = repeated(memory, make(9))
    assert any("written consent" in text for text in found)
    assert not any(text.startswith(("First", "Then", "Story")) for text in found)


def test_two_pages_are_not_several(make: Make, lesson: Learn) -> None:
    assert repeated(taught(2, make, lesson), make(9)) == []


def test_the_same_text_elsewhere_is_not_repeated(make: Make, lesson: Learn) -> None:
    memory = taught(6, make, lesson)
    page = make(9, notice="Another notice.")
    quoted = Page(
        str(page.html).replace("</p></div>", "</p><p>" + make(1).outline.table.texts[-1] + "</p></div>", 1), page.url
    )
    assert not any("written consent" in text for text in repeated(memory, quoted))


def test_a_page_seen_again_counts_once(make: Make, lesson: Learn) -> None:
    memory = SiteMemory("plain.example")
    for _ in range(6):
        memory.learn(lesson(make(1)))
        memory.learn(lesson(make(1, url="http://www.plain.example/news/2026/story-1/?utm_source=feed")))
    assert memory.pages == 1
    assert repeated(memory, make(2)) == []


def test_a_copy_at_another_address_counts_once(make: Make, lesson: Learn) -> None:
    memory = SiteMemory("plain.example")
    for number in range(6):
        memory.learn(lesson(make(1, url=f"https://plain.example/sport/story-{number}")))
    assert memory.pages == 1


def test_a_page_is_not_its_own_witness(make: Make, lesson: Learn) -> None:
    memory = taught(3, make, lesson)
    assert repeated(memory, make(1)) == []  # two others have its notice
    assert repeated(memory, make(9)) != []


def test_a_place_where_bodies_vary_speaks_for_a_block(make: Make, lesson: Learn) -> None:
    page = make(9)
    evidence = taught(25, make, lesson).recall(sight(page)).evidence
    assert evidence is not None
    odds = dict(zip(page.outline.table.texts, evidence.odds.tolist(), strict=True))
    assert {odds[text] > 1 for text in odds if text.startswith(("First", "Then"))} == {True}
    assert {odds[text] < -1 for text in odds if "consent" in text} == {True}


def test_a_new_layout_makes_a_new_group_and_is_told(make: Make, lesson: Learn) -> None:
    memory = taught(12, make, lesson)
    assert memory.recall(sight(make(20, layout="modern"))).group is None
    told = []
    for number in range(20, 32):
        page = make(number, layout="modern")
        told.append(memory.recall(sight(page)).warnings)
        memory.learn(lesson(page))
    assert told[:2] == [(), ()]  # one page may be odd, or two
    assert set(told[2:10]) == {("site memory: the layout of pages at /news/0 has changed",)}
    assert len(memory.groups) == 2
    assert memory.recall(sight(make(40, layout="modern"))).warnings == ()
    assert any("consent" in text for text in repeated(memory, make(40, layout="modern")))


def test_an_odd_page_now_and_then_is_no_new_layout(make: Make, lesson: Learn) -> None:
    memory = taught(12, make, lesson)
    for number in range(12, 24):
        page = make(number, layout="odd" if number % 3 else "story")
        assert memory.recall(sight(page)).warnings == ()
        memory.learn(lesson(page))


def test_an_old_layout_fades(make: Make, lesson: Learn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_memory, "FORGOTTEN_PAGES", 10)
    memory = taught(5, make, lesson)
    for number in range(5, 20):
        memory.learn(lesson(make(number, layout="modern")))
    assert len(memory.groups) == 1
    assert repeated(memory, make(30)) == []


def test_what_is_no_longer_on_the_pages_is_forgotten(
    make: Make, lesson: Learn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_group, "FADE_PAGES", 8)
    memory = taught(8, make, lesson, notice="Our old notice, gone with the new year and never seen again.")
    for number in range(8, 26):
        memory.learn(lesson(make(number)))
    old = make(30, notice="Our old notice, gone with the new year and never seen again.")
    assert not any("old notice" in text for text in repeated(memory, old))
    assert any("consent" in text for text in repeated(memory, make(31)))


def test_stays_small_whatever_it_is_shown(lesson: Learn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_memory, "MAX_BLOCKS", 2_000)
    memory = SiteMemory("plain.example")
    for number in range(60):
        lines = "".join(f"<p class=c{chr(97 + number % 20)}>{hash_words(number, n)}</p>" for n in range(100))
        memory.learn(
            lesson(Page(f"<div class=l{chr(97 + number % 20)}>{lines}</div>", f"https://plain.example/{number}"))
        )
    assert sum(len(group.blocks) for group in memory.groups) <= 2_000
    assert len(memory.groups) <= MAX_GROUPS


def hash_words(*numbers: int) -> str:
    return " ".join(chr(97 + value) * 3 for number in numbers for value in divmod(number, 26))


def test_a_full_memory_takes_less_than_a_megabyte() -> None:
    memory = SiteMemory("plain.example")
    random = np.random.default_rng(1)
    group = page_group.PageGroup(1, 200.0)
    group.blocks.rows(np.unique(random.integers(0, 1 << 63, site_memory.MAX_BLOCKS, dtype=np.uint64)))
    group.blocks.values[:] = random.random(group.blocks.values.shape)
    memory.groups = [group]
    for _ in range(site_memory.MAX_GROUPS - 1):
        other = page_group.PageGroup(1, 200.0)
        other.places.rows(np.unique(random.integers(0, 1 << 63, 2_000, dtype=np.uint64)))
        other.places.values[:] = random.random(other.places.values.shape)
        memory.groups.append(other)
    memory.counted = dict.fromkeys(random.integers(0, 1 << 63, site_memory.MAX_COUNTED, dtype=np.uint64).tolist())
    assert len(pack(memory)) < 1_000_000


def test_is_the_same_after_packing(make: Make, lesson: Learn) -> None:
    memory = taught(6, make, lesson)
    again = unpack(pack(memory))
    assert pack(again) == pack(memory)
    assert repeated(again, make(9)) == repeated(memory, make(9))
    assert again.titles.shared() == memory.titles.shared() == {"theplain"}
    again.learn(lesson(make(1)))
    assert again.pages == memory.pages


def test_learning_the_same_again_makes_the_same_memory(make: Make, lesson: Learn) -> None:
    assert pack(taught(10, make, lesson)) == pack(taught(10, make, lesson))


@pytest.mark.parametrize("packed", [b"", b"no memory", b"PK\x03\x04 cut"])
def test_other_bytes_are_refused(packed: bytes) -> None:
    with pytest.raises(BadMemory):
        unpack(packed)


def test_a_memory_cut_short_is_refused(make: Make, lesson: Learn) -> None:
    packed = pack(taught(6, make, lesson))
    with pytest.raises(BadMemory):
        unpack(packed[: len(packed) // 2])


def test_another_version_is_refused(make: Make, lesson: Learn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.reading.memory.VERSION", VERSION + 1)
    packed = pack(taught(1, make, lesson))
    monkeypatch.undo()
    with pytest.raises(BadMemory, match="version"):
        unpack(packed)


def test_tells_when_the_body_is_not_where_it_usually_is(make: Make, lesson: Learn) -> None:
    memory = taught(12, make, lesson)
    page = make(20)
    odd = lesson(Page(str(page.html).replace("<p>First", "<section><p>First").replace("<p>Then", "<p>And"), page.url))
    group = memory.learn(odd)
    assert memory.misses(odd, group)[0].startswith("site memory: the body is not at its usual place, ")
    usual = lesson(make(21))
    assert memory.misses(usual, memory.learn(usual)) == ()


def test_a_dump_is_not_learned(make: Make, lesson: Learn) -> None:
    memory = taught(4, make, lesson)
    dump = Page("".join(f"<p>{hash_words(n // 600, n % 600)}</p>" for n in range(5_000)), "https://plain.example/dump")
    assert memory.learn(lesson(dump)) is None
    assert memory.pages == 4


def test_a_page_without_text_is_nothing_to_learn(lesson: Learn) -> None:
    memory = SiteMemory("plain.example")
    for number in range(3):
        page = Page("<img src=a>", f"https://plain.example/{number}")
        assert repeated(memory, page) == []
        memory.learn(lesson(page))


def test_after_ten_pages_it_knows_where_the_date_is(make: Make) -> None:
    memory = SiteMemory("plain.example")
    known = []
    for number in range(12):
        page = make(number)
        metadata = Metadata(datePublished="2026-05-01", datePublishedRaw=page.outline.table.texts[1])
        evidence = memory.recall(sight(page)).evidence
        known.append(evidence is not None and "date" in evidence.places)
        memory.learn(teach(page, sight(page), create_extractor("everything").extract(page), metadata))
    assert known == [False] * 10 + [True] * 2
    page = make(20)
    page.evidence = memory.recall(sight(page)).evidence
    assert page.evidence is not None
    assert page.evidence.places["date"].endswith("p.story-date")
    found = read_metadata(page, {"datePublished": ("site_places",)})
    assert found.datePublished == "2026-05-21"
