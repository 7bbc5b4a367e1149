"""A provider for scrapy-poet: a callback or a page object asks for the `Article` or the `Extraction` of its response.

`SCRAPY_POET_PROVIDERS = {"newsextract.poet.ArticleProvider": 500}`; the settings and the meta of requests that name
extractors count here, too.
"""

# scrapy-poet looks at the annotations, so they are no strings here.
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

try:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy_poet.page_input_providers import PageObjectInputProvider
    from web_poet.exceptions import UseFallback
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("this needs pip install 'newsextract[crawl]' scrapy-poet", name=error.name) from error

from newsextract.article import Article
from newsextract.crawl.opt_in import HINTS
from newsextract.crawl.parts import CrawlParts
from newsextract.crawl.readers import plan_from_settings
from newsextract.crawl.requests import OPT_IN, PROVIDED, hints_from, page_of
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.crawl.spider_arguments import sites_of
from newsextract.page.page import Page, PageError
from newsextract.processes.pool import Unanswered
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.notices import NoArticle
from newsextract.reading.reader import ArticleReader
from newsextract.settings import PAGE_BYTES


class ArticleProvider(PageObjectInputProvider):
    """Has the crawl's workers read articles, or one thread in a project without the add-on.

    Extractions refer to the page's tree, which no process can send, and are always made in the thread.
    """

    provided_classes = {Article, Extraction}  # noqa: RUF012 - as scrapy-poet declares it

    async def __call__(
        self, to_provide: set[Callable[..., Any]], request: Request, response: Response
    ) -> Sequence[Article | Extraction]:
        """Return what is asked for.

        Raises:
            UseFallback: the response is no HTML, or shows no article; an extraction alone may be empty.
        """
        choice = request.meta.get(OPT_IN)
        extractor, hints = choice if isinstance(choice, str) else None, hints_from(request.meta.get(HINTS))
        try:
            page = page_of(response, self._max_bytes, extractor=extractor, hints=hints)
            return [await self._made(kind, page, request) for kind in to_provide]
        except (NoArticle, PageError, Unanswered) as error:
            raise UseFallback(f"{response.url}: {error}") from None

    async def _made(self, kind: Callable[..., Any], page: Page, request: Request) -> Article | Extraction:
        if kind is Extraction:
            return await answer_of(self._thread.submit(lambda: self._reader.extractor_of(page).extract(page)))
        request.meta[PROVIDED] = page.url
        parts: CrawlParts | None = self.injector.crawler.get_extension(CrawlParts)
        if parts is None:
            return await answer_of(self._thread.submit(self._reader.read, page))
        return await answer_of(parts.readers.read(page))

    @cached_property
    def _max_bytes(self) -> int:
        return PAGE_BYTES.of(self.injector.crawler.settings)

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "newsextract-poet")

    @cached_property
    def _reader(self) -> ArticleReader:
        crawler = self.injector.crawler
        return plan_from_settings(crawler.settings, sites_of(crawler.spider)).create()
