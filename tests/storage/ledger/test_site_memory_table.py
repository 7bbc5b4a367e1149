"""Memories of sites in databases: the same behaviour on each of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from newsextract.reading.memory import StoredMemory
from newsextract.storage.site_memory_table import SiteMemoryStore

if TYPE_CHECKING:
    from newsextract.storage.articles import ArticleStore


@pytest.fixture
def shelf(store: ArticleStore) -> SiteMemoryStore:
    return SiteMemoryStore(store.engine)


def test_what_is_saved_is_there(shelf: SiteMemoryStore) -> None:
    assert shelf.load("plain.example") is None
    assert shelf.save("plain.example", 0, b"\x00one\xff")
    assert shelf.load("plain.example") == (1, b"\x00one\xff")
    assert shelf.save("plain.example", 1, b"two" * 300_000)
    assert shelf.load("plain.example") == (2, b"two" * 300_000)


def test_nobody_overwrites_what_another_has_written(shelf: SiteMemoryStore) -> None:
    assert shelf.save("plain.example", 0, b"one")
    assert not shelf.save("plain.example", 0, b"two")
    assert not shelf.save("plain.example", 2, b"two")
    assert shelf.load("plain.example") == (1, b"one")


def test_many_write_at_once(shelf: SiteMemoryStore) -> None:
    def work(name: int) -> int:
        done = 0
        while done < 5:
            revision, known = shelf.load("plain.example") or StoredMemory(0, b"")
            done += shelf.save("plain.example", revision, known + bytes([name]))
        return done

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 20
    revision, known = shelf.load("plain.example") or StoredMemory(0, b"")
    assert revision == len(known) == 20
    assert sorted(known) == sorted(list(range(4)) * 5)
