"""The parts of a crawl without a spider that runs, for tests of what uses them."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy.utils.test import get_crawler

from newsextract.crawl.parts import CrawlParts
from newsextract.crawl.spider_arguments import SpiderArguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.sites.site import Site


def new_parts(*sites: Site, **settings: Any) -> CrawlParts:
    crawler: Any = get_crawler(
        settings_dict={"NEWSEXTRACT_WORKERS": 0, "NEWSEXTRACT_PROGRESS": False, "EXTENSIONS": {}, **settings}
    )
    crawler.spider = SimpleNamespace(arguments=SpiderArguments(sites))
    return CrawlParts(crawler)


@contextmanager
def parts(*sites: Site, reason: str = "finished", **settings: Any) -> Iterator[CrawlParts]:
    """Yield the parts, and close them as Scrapy does when a spider has closed for a reason."""
    own = new_parts(*sites, **settings)
    try:
        yield own
    finally:
        close(own, reason)


def close(own: CrawlParts, reason: str = "finished") -> None:
    async def end() -> None:
        own.reason = reason
        await own._close_readers()
        await own.engine_stopped()

    asyncio.run(end())
