"""The engine of the database that each test has to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from tests.article_store import ArticleStore


@pytest.fixture
def engine(store: ArticleStore) -> Engine:
    return store.engine
