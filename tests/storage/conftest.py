"""Databases of every kind, each test with empty tables that nobody else sees."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

POSTGRES = os.environ.get("NEWSEXTRACT_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1/test")
MARIADB = os.environ.get("NEWSEXTRACT_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1/test")

OWN_NAME = f"newsextract_ledger_{os.getpid()}"


@pytest.fixture(scope="session", params=["sqlite", "postgresql", "mariadb"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Open a database with the tables, shared by all tests of one kind of database."""
    if request.param == "sqlite":
        opened = create_engine(f"sqlite:///{tmp_path_factory.mktemp('ledger')}/ledger.db")
        event.listen(opened, "connect", _patient)
        metadata.create_all(opened)
        yield opened
        opened.dispose()
    else:
        yield from _postgres() if request.param == "postgresql" else _mariadb()


@pytest.fixture
def engine(database: Engine) -> Engine:
    with database.begin() as connection:
        for table in metadata.tables.values():
            connection.execute(table.delete())
    return database


def _patient(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=OFF", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")


def _postgres() -> Iterator[Engine]:
    url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={OWN_NAME}"})
    yield from _server("psycopg", POSTGRES, url.render_as_string(hide_password=False), _postgres_statements)


def _postgres_statements(verb: str) -> str:
    return f"create schema {OWN_NAME}" if verb == "create" else f"drop schema {OWN_NAME} cascade"


def _mariadb() -> Iterator[Engine]:
    url = make_url(MARIADB).set(database=OWN_NAME)
    yield from _server("pymysql", MARIADB, url.render_as_string(hide_password=False), _mariadb_statements)


def _mariadb_statements(verb: str) -> str:
    return f"{verb} database {OWN_NAME}"


def _server(driver: str, owner_url: str, own_url: str, statement: Callable[[str], str]) -> Iterator[Engine]:
    if importlib.util.find_spec(driver) is None:
        pytest.skip(f"{driver} is not installed: pip install 'newsextract[dev]'")
    owner = create_engine(owner_url)
    try:
        with owner.begin() as connection:
            connection.execute(text(statement("create")))
    except SQLAlchemyError as error:
        pytest.skip(f"no {owner.dialect.name} to test with: {str(error).splitlines()[0]}")
    opened = create_engine(own_url)
    metadata.create_all(opened)
    yield opened
    opened.dispose()
    with owner.begin() as connection:
        connection.execute(text(statement("drop")))
    owner.dispose()
