"""Miniature pages for tests that show their HTML, and databases of their own."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from newsextract.page import Page
from newsextract.storage.articles import ArticleStore, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Make a page of some markup, at an address of its own."""

    def make_page(html: str, url: str = "https://news.example/a/b.html") -> Page:
        return Page(html, url)

    return make_page


POSTGRES = os.environ.get("NEWSEXTRACT_TEST_POSTGRES", "postgresql+psycopg://root@127.0.0.1/test")


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArticleStore]:
    if request.param == "sqlite":
        opened = ArticleStore.open(f"sqlite:///{tmp_path}/new/folder/articles.db")
        yield opened
        opened.close()
    else:
        yield from postgres(f"newsextract_{os.getpid()}")


def postgres(schema: str) -> Iterator[ArticleStore]:
    """Open a schema of its own, so that nobody's articles are touched."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'newsextract[postgres]'")
    try:
        owner = ArticleStore.open(own_schema(schema, "public"))
    except StorageError as error:
        pytest.skip(f"no PostgreSQL to test with: {error}")
    with owner.engine.begin() as connection:
        connection.execute(text(f"create schema {schema}"))
    opened = ArticleStore.open(own_schema(schema))
    yield opened
    opened.close()
    with owner.engine.begin() as connection:
        connection.execute(text(f"drop schema {schema} cascade"))
    owner.close()


def own_schema(*names: str) -> str:
    url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={','.join(names)}"})
    return url.render_as_string(hide_password=False)
