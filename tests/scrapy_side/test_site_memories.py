"""Memories of sites in databases: the same behaviour on each of them."""

from __future__ import annotations

import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from newsextract.storage.articles import ArticleStore, StorageError
from newsextract.storage.site_memories import SiteMemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSTGRES = os.environ.get("NEWSEXTRACT_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1/test")
SCHEMA = f"newsextract_memory_{os.getpid()}"


@pytest.fixture(params=["sqlite", "postgresql"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SiteMemoryStore]:
    if request.param == "sqlite":
        opened = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
        yield SiteMemoryStore(opened.engine)
        opened.close()
    else:
        yield from postgres()


def postgres() -> Iterator[SiteMemoryStore]:
    """Open a schema of its own, so that nobody's memories are touched."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'newsextract[postgres]'")
    try:
        owner = ArticleStore.open(own_schema(SCHEMA, "public"))
    except StorageError as error:
        pytest.skip(f"no PostgreSQL to test with: {error}")
    with owner.engine.begin() as connection:
        connection.execute(text(f"create schema {SCHEMA}"))
    opened = ArticleStore.open(own_schema(SCHEMA))
    yield SiteMemoryStore(opened.engine)
    opened.close()
    with owner.engine.begin() as connection:
        connection.execute(text(f"drop schema {SCHEMA} cascade"))
    owner.close()


def own_schema(*names: str) -> str:
    url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={','.join(names)}"})
    return url.render_as_string(hide_password=False)


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
            revision, known = shelf.load("plain.example") or (0, b"")
            done += shelf.save("plain.example", revision, known + bytes([name]))
        return done

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 20
    revision, known = shelf.load("plain.example") or (0, b"")
    assert revision == len(known) == 20
    assert sorted(known) == sorted(list(range(4)) * 5)
