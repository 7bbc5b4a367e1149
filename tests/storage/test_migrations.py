"""Tables made, and brought up to date, when a database is opened."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect, text

import newsextract
from newsextract.article import Article
from newsextract.storage.database import StorageError, open_engine, writing
from newsextract.storage.migrations import REVISIONS, revision_of
from newsextract.storage.schema import metadata
from newsextract.storage.search.article_search import search
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from sqlalchemy import Engine

PACKAGE = Path(newsextract.__file__).parent


def columns(engine: Engine) -> dict[str, set[str]]:
    """Return the columns of each table of the schema that is there."""
    there = inspect(engine)
    return {
        name: {column["name"] for column in there.get_columns(name)}
        for name in there.get_table_names()
        if name in metadata.tables
    }


OURS = {table.name: set(table.columns.keys()) for table in metadata.sorted_tables}


def test_many_may_open_an_empty_database_at_once(database_url: str) -> None:
    script = "import sys; from newsextract.storage.database import open_engine as o; o(sys.argv[1]).dispose()"
    starts = [subprocess.Popen([sys.executable, "-c", script, database_url], stderr=subprocess.PIPE) for _ in range(2)]
    with ThreadPoolExecutor(3) as pool:
        engines = list(pool.map(open_engine, [database_url] * 3))
    errors = [start.communicate(timeout=100)[1].decode() for start in starts]
    assert [start.returncode for start in starts] == [0] * 2, errors
    assert columns(engines[0]) == OURS
    for engine in engines:
        engine.dispose()


def test_an_older_database_gets_the_tables_and_columns_that_it_lacks(database_url: str) -> None:
    store = ArticleStore.open(database_url)
    store.put(Article(url="https://a.example/1", headline="Bridge open", articleBody="It opens."))
    with writing(store.engine) as connection:
        connection.execute(text("drop table front_places"))
        connection.execute(text("alter table articles drop column word_count"))
        connection.execute(text("update alembic_version set version_num = '0002'"))
    store.close()
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(open_engine, [database_url] * 2)
    with first.connect() as connection:
        assert revision_of(connection) == REVISIONS[-1]
    assert columns(first) == OURS
    assert [hit.headline for hit in search(first, "bridge")] == ["Bridge open"]
    first.dispose()
    second.dispose()


def test_tables_of_another_version_are_left_alone_with_one_clear_error(database_url: str) -> None:
    engine = open_engine(database_url)
    with writing(engine) as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(StorageError, match=f"revision 9999, and this version of newsextract knows .*{REVISIONS[-1]}"):
        open_engine(database_url)
    with writing(engine) as connection:
        connection.execute(text("drop table alembic_version"))
        connection.execute(text("alter table articles rename column headline to title"))
    with pytest.raises(StorageError, match="made by something else: there is no column headline"):
        open_engine(database_url)
    engine.dispose()


def test_works_from_a_zip_file_and_says_nothing_in_the_log(tmp_path: Path) -> None:
    egg = tmp_path / "newsextract.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.json"), *PACKAGE.rglob("*.npz")]:
            archive.write(path, path.relative_to(PACKAGE.parent))
    script = (
        "import sys; sys.path[:] = [sys.argv[1], *(p for p in sys.path if p)]; import logging;"
        "logging.basicConfig(level=logging.INFO);"
        "from newsextract.storage import database; assert sys.argv[1] in database.__file__, database.__file__;"
        "print(database.open_engine(sys.argv[2]).dispose())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(egg), f"sqlite:///{tmp_path}/a.db"],
        capture_output=True, check=False, timeout=100, cwd=tmp_path, env={"PATH": ""},
    )  # fmt: skip
    assert (done.stdout.decode(), done.stderr.decode()) == ("None\n", "")
    engine = create_engine(f"sqlite:///{tmp_path}/a.db")
    assert columns(engine) == OURS
    engine.dispose()
