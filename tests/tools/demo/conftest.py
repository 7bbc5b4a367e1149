"""One newsroom, built and served once for all the tests of the demo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from newsextract.tools.demo import DemoArticle, DemoNewsroom, build_newsroom, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

TODAY = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)


@pytest.fixture(scope="session")
def newsroom() -> DemoNewsroom:
    return build_newsroom(seed=1, today=TODAY)


@pytest.fixture(scope="session")
def sites(newsroom: DemoNewsroom) -> Iterator[tuple[str, ...]]:
    with serve(newsroom) as addresses:
        yield addresses


@pytest.fixture(scope="session")
def articles(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> tuple[DemoArticle, ...]:
    return newsroom.articles(sites)
