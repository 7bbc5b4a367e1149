"""How many connections a crawl may have open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from twisted.internet.task import Clock
from twisted.web.client import HTTPConnectionPool

from newsextract.crawl.connections import BoundedPool, open_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

resource: Any = pytest.importorskip("resource")


@pytest.fixture
def few_files() -> Iterator[int]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_crawl_takes_what_the_system_gives(few_files: int) -> None:
    if few_files == 1024:
        pytest.skip("the system gives no more")
    assert open_limit() > 1024
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == open_limit()


class Connection:
    """An idle connection."""

    state = "QUIESCENT"

    def __init__(self) -> None:
        self.transport = self
        self.is_open = True

    def loseConnection(self) -> None:  # noqa: N802 - Twisted's
        self.is_open = False


def test_the_oldest_idle_connections_of_many_sites_are_closed() -> None:
    clock = Clock()
    pool = BoundedPool(HTTPConnectionPool(clock), most_idle=10)  # type: ignore[no-untyped-call] # Twisted has no types
    connections = [Connection() for _ in range(30)]
    for number, connection in enumerate(connections):
        pool._putConnection(("http", f"{number}.example", 80), connection)
        clock.advance(0)
    assert [each.is_open for each in connections] == [False] * 20 + [True] * 10
