"""How many connections a crawl may have open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.crawl.connections import open_limit

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
