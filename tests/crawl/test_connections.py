"""How many connections a crawl may have open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from twisted.web.client import HTTPConnectionPool

from newsextract.crawl import connections
from newsextract.crawl.connections import bound_idle_connections, open_limit

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


@pytest.mark.parametrize(("limit", "seconds"), [(1024, 8), (10_240, 85), (100_000, 240), (50, 1)])
def test_connections_of_many_hosts_that_are_done_with_end_before_the_limit_is_reached(
    limit: int, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "open_limit", lambda: limit)
    monkeypatch.setattr(HTTPConnectionPool, "cachedConnectionTimeout", 240)
    bound_idle_connections()
    assert HTTPConnectionPool.cachedConnectionTimeout == seconds
