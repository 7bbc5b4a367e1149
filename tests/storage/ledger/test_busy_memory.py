"""What workers learn of sites while another writer holds the database: no page waits for it, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.memory import SAVED_EVERY, Memories, StoredMemory, unpack
from newsextract.storage.articles import ArticleStore
from newsextract.storage.database import open_engine, writing
from newsextract.storage.site_memory_table import SiteMemoryStore
from tests.reading.test_memory import observed, story

if TYPE_CHECKING:
    from pathlib import Path

SITE = "plain.example"


def test_what_is_learned_while_sqlite_is_locked_is_saved_later(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/articles.db"
    store = ArticleStore.open(url)
    memories = Memories(SiteMemoryStore(open_engine(url, busy_seconds=0.01)))
    with writing(store.engine):
        for number in range(SAVED_EVERY):
            memories.learn(SITE, observed(story(number, url=f"https://{SITE}/{number}")))
        assert not memories.save()
    assert SiteMemoryStore(store.engine).load(SITE) is None
    assert memories.save()
    _, packed, _ = SiteMemoryStore(store.engine).load(SITE) or StoredMemory(0, b"")
    store.close()
    memory = unpack(packed)
    assert memory is not None
    assert memory.pages == memories.of(SITE).pages > 0
