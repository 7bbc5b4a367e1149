"""Miniature pages for tests that show their HTML, and databases of their own."""

from __future__ import annotations

import importlib.util
import os
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

import hypothesis
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from newsextract.page.page import Page
from newsextract.storage import word_index
from newsextract.storage.schema import metadata
from tests.article_store import ArticleStore
from tests.scrapy_runs import crawl, scrapy, tiny_web

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["crawl", "scrapy", "tiny_web"]

POSTGRES = os.environ.get("NEWSEXTRACT_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1/test")
MARIADB = os.environ.get("NEWSEXTRACT_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1/test")
DATABASES = ("sqlite", "postgresql", "mariadb")

_numbers = count()


# Not by time, of which a busy machine takes more, and the same examples in each run.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")

SERVERS = {"postgresql", "mariadb", "redis", "rabbitmq"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that have a server as their parameter."""
    for item in items:
        if isinstance(item, pytest.Function) and SERVERS & set(item.name.rstrip("]").partition("[")[2].split("-")):
            item.add_marker(pytest.mark.server)


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Make a page from some markup, with a URL of its own."""

    def make_page(html: str, url: str = "https://news.example/a/b.html") -> Page:
        return Page(html, url)

    return make_page


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database for one test, on each available server."""
    with own_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def store(shared_store: ArticleStore) -> Iterator[ArticleStore]:
    """A database with all tables, which are empty, on each available server."""
    yield shared_store
    _empty(shared_store)


@pytest.fixture(scope="session", params=DATABASES)
def shared_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArticleStore]:
    """One database of each kind for all tests of this process, as making the tables takes up to two seconds."""
    with own_database(request.param, tmp_path_factory.mktemp(request.param)) as url:
        opened = ArticleStore.open(url)
        yield opened
        opened.close()


def _empty(store: ArticleStore) -> None:
    with store.engine.begin() as connection:
        for table in (word_index.article_words, *metadata.sorted_tables):
            connection.execute(table.delete())


@contextmanager
def own_database(kind: str, folder: Path) -> Iterator[str]:
    """Make an empty database, or a schema on PostgreSQL, and drop it at the end."""
    name = f"newsextract_{os.getpid()}_{next(_numbers)}"
    if kind == "sqlite":
        yield f"sqlite:///{folder}/new/folder/{name}.db"
    elif kind == "postgresql":
        url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={name}"})
        with _made(kind, "psycopg", f"create schema {name}", f"drop schema {name} cascade"):
            yield url.render_as_string(hide_password=False)
    else:
        url = make_url(MARIADB).set(database=name)
        with _made(kind, "pymysql", f"create database {name}", f"drop database {name}"):
            yield url.render_as_string(hide_password=False)


@contextmanager
def _made(kind: str, driver: str, make: str, drop: str) -> Iterator[None]:
    if importlib.util.find_spec(driver) is None:
        pytest.skip(f"{driver} is not installed: pip install 'newsextract[postgres,mysql]'")
    owner = create_engine(POSTGRES if kind == "postgresql" else MARIADB, isolation_level="AUTOCOMMIT")
    try:
        with owner.connect() as connection:
            connection.execute(text(make))
    except (SQLAlchemyError, OSError) as error:
        owner.dispose()
        pytest.skip(f"no {kind} to test with: {str(error).partition(chr(10))[0]}")
    try:
        yield
    finally:
        with owner.connect() as connection:
            connection.execute(text(drop))
        owner.dispose()
