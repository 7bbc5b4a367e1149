"""What workers learn of sites while another writer holds the database: no page waits for it, and nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from newsextract.crawl.reader_tasks import BUSY_SECONDS, ReaderTasks
from newsextract.crawl.readers import ReaderPlan
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
    assert unpack(packed).pages == memories.of(SITE).pages > 0


def test_a_worker_waits_less_for_another_writer_than_a_page_may_take(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/articles.db"
    ArticleStore.open(url).close()
    plan = ReaderPlan("mss", database=url)
    shelf = ReaderTasks(plan).reader.memories.store
    assert isinstance(shelf, SiteMemoryStore)
    with shelf.engine.connect() as connection:
        assert connection.execute(text("pragma busy_timeout")).scalar_one() == 1000 * BUSY_SECONDS
    shelf.engine.dispose()
