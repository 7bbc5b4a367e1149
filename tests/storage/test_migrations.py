"""Tables made, and brought up to date, when a database is opened."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

import newsextract
from newsextract.article import Article
from newsextract.storage import migrations, schema, word_index
from newsextract.storage.articles import ArticleStore
from newsextract.storage.database import StorageError, open_engine, writing
from newsextract.storage.migrations import REVISIONS, revision_of
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory
    from sqlalchemy import Engine

PACKAGE = Path(newsextract.__file__).parent

NEXT = '''"""A rating."""

from alembic import op
from sqlalchemy import Column, Integer, inspect

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    if "rating" not in {column["name"] for column in inspect(op.get_bind()).get_columns("articles")}:
        op.add_column("articles", Column("rating", Integer))
'''


def differences(engine: Engine) -> list[Any]:
    known: Any = [schema.metadata, *([word_index.article_words.metadata] if engine.dialect.name != "sqlite" else [])]
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": _ours})
        found: list[Any] = compare_metadata(context, known)
    return found


def _ours(found: Any, name: str | None, kind: str, *_: Any) -> bool:
    if kind == "index":
        return not str(name).endswith("_newest")  # of expressions, which not every database has
    # SQLite's index is a table of FTS5 and those that it is kept in.
    return not (kind == "table" and str(name).startswith("article_words") and "article_id" not in found.columns)


def test_many_may_open_an_empty_database_at_once(database_url: str) -> None:
    script = "import sys; from newsextract.storage.database import open_engine as o; o(sys.argv[1]).dispose()"
    starts = [subprocess.Popen([sys.executable, "-c", script, database_url], stderr=subprocess.PIPE) for _ in range(2)]
    with ThreadPoolExecutor(3) as pool:
        engines = list(pool.map(open_engine, [database_url] * 3))
    errors = [start.communicate(timeout=100)[1].decode() for start in starts]
    assert [start.returncode for start in starts] == [0] * 2, errors
    assert differences(engines[0]) == []
    for engine in engines:
        engine.dispose()


def test_the_next_revision_is_applied_once_and_keeps_the_articles(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArticleStore.open(database_url)
    store.put(Article(url="https://a.example/1", headline="Bridge open", articleBody="It opens."))
    store.close()
    of_the_package = migrations.script_directory

    def with_the_next(folder: Path) -> ScriptDirectory:
        (folder / "revision_0006.py").write_text(NEXT)
        return of_the_package(folder)

    monkeypatch.setattr(migrations, "REVISIONS", ("0001", "0002", "0003", "0004", "0005", "0006"))
    monkeypatch.setattr(migrations, "script_directory", with_the_next)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(open_engine, [database_url] * 2)
    with first.connect() as connection:
        assert revision_of(connection) == "0006"
        assert "rating" in {column["name"] for column in inspect(connection).get_columns("articles")}
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


def test_the_revisions_are_those_of_the_files(tmp_path: Path) -> None:
    found = [script.revision for script in migrations.script_directory(tmp_path).walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS


def test_works_from_a_zip_file_without_alembic_and_says_nothing_in_the_log(tmp_path: Path) -> None:
    egg = tmp_path / "newsextract.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.json"), *PACKAGE.rglob("*.npz")]:
            archive.write(path, path.relative_to(PACKAGE.parent))
    script = (
        "import sys; sys.path[:] = [sys.argv[1], *(p for p in sys.path if p)]; import logging;"
        "logging.basicConfig(level=logging.INFO);"
        "from newsextract.storage import database; assert sys.argv[1] in database.__file__, database.__file__;"
        "from newsextract.storage.articles import ArticleStore as Store;"
        "print(Store.open(sys.argv[2]).count(), 'alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(egg), f"sqlite:///{tmp_path}/a.db"],
        capture_output=True, check=False, timeout=100, cwd=tmp_path, env={"PATH": ""},
    )  # fmt: skip
    assert (done.stdout.decode(), done.stderr.decode()) == ("0 False\n", "")
    engine = create_engine(f"sqlite:///{tmp_path}/a.db")
    assert differences(engine) == []
    engine.dispose()
