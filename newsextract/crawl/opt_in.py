"""For other people's spiders: turns HTML responses that opt in into articles, besides the spider's own items."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from scrapy.http import HtmlResponse, Request

from newsextract.crawl.outcome import unread
from newsextract.crawl.parts import parts_of
from newsextract.crawl.requests import OPT_IN, PROVIDED, hints_from, page_of
from newsextract.page.page import PageError, html_of
from newsextract.settings import ALL_RESPONSES, PAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

HINTS = "newsextract_hints"
"""Key of a request's meta: the `title` and `date` that the feed or page with the link states."""

BODY = "newsextract_body"
"""Key of a response's meta: what the spider has selected as the body, as `response.css("div.story")`."""


class ArticleMiddleware:
    """Yields a `Page`, which the reading pipeline turns into an article, for every response that opted in.

    A response opts in by `meta={"newsextract": True}` or `{"newsextract": "<extractor>"}`, perhaps with options as in
    `eatiht:version=2`; with `NEWSEXTRACT_ALL_RESPONSES = True` all HTML responses do, unless their meta says `False`.
    A request with any other choice is refused.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.takes_all = ALL_RESPONSES.of(crawler.settings)
        self.max_bytes = PAGE_BYTES.of(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings."""
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the requests that begin the crawl."""
        async for output in start:
            yield checked(output)

    def process_spider_input(self, response: Response, **_: Any) -> None:
        """Drop a body that was selected on another page, where the spider has passed that page's meta on."""
        response.meta.pop(BODY, None)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any], **_: Any
    ) -> AsyncIterator[Any]:
        """Yield the spider's own output, then the page."""
        async for output in result:
            yield checked(output)
        choice = response.meta.get(OPT_IN, self.takes_all and isinstance(response, HtmlResponse))
        if choice and response.meta.get(PROVIDED) != response.url:  # else the provider for scrapy-poet has read it
            extractor = choice if isinstance(choice, str) else None
            hints = hints_from(response.meta.get(HINTS))
            if BODY in response.meta:
                hints = replace(hints, body=html_of(response.meta[BODY]))
            try:
                yield page_of(response, self.max_bytes, extractor=extractor, hints=hints)
            except PageError as error:
                parts_of(self.crawler).visits.end(response.request, unread(error.reason))


def checked(output: Any) -> Any:
    """Return an item or request of a spider; raises `ValueError` for a request with a choice that cannot be."""
    choice = output.meta.get(OPT_IN) if isinstance(output, Request) else None
    if isinstance(choice, str):
        _create_once(choice)
    elif choice not in (None, True, False):
        raise ValueError(f"meta['{OPT_IN}'] is True, False or an extractor, as 'eatiht:version=2', not {choice!r}")
    return output


@cache
def _create_once(choice: str) -> Any:
    from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415 - it brings what only workers need

    return create_reader(choice)
