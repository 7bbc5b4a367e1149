"""Pages in, articles out; what is no article is dropped with its state and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsextract.extraction import BadExtractorOption, UnknownExtractor
from newsextract.kinds.judging import ARTICLE_LIKE
from newsextract.outcome import NoArticle, PageState
from newsextract.page import Page, PageError
from newsextract.pipelines.dropping import PageDropped
from newsextract.reading import ArticleReader

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


class ExtractionPipeline:
    """Turns every `Page` into an `Article`; items of other kinds pass untouched."""

    def __init__(self, reader: ArticleReader) -> None:
        self.reader = reader

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extractors that the settings name; raises what `create_extractor` and `check_kinds` raise."""
        return cls(reader_from_settings(crawler.settings))

    def process_item(self, item: Any) -> Any:
        """Return the article of a page."""
        if not isinstance(item, Page):
            return item
        try:
            return self.reader.read(item)
        except NoArticle as end:
            raise PageDropped(end.state, end.reason, item.url) from None
        except PageError as error:
            raise PageDropped(PageState.ERROR, error.reason, item.url) from error
        except (UnknownExtractor, BadExtractorOption) as error:
            # Named in the meta of one request; names in settings are errors at start.
            raise PageDropped(PageState.ERROR, "unknown extractor", f"{item.url}: {error}", log_level="ERROR") from None


def reader_from_settings(settings: BaseSettings) -> ArticleReader:
    """Return the reader that the `NEWSEXTRACT_*` settings describe."""
    return ArticleReader.create(
        settings["NEWSEXTRACT_EXTRACTOR"],
        settings.getdict("NEWSEXTRACT_EXTRACTOR_OPTIONS"),
        settings.getdict("NEWSEXTRACT_SITE_EXTRACTORS"),
        settings.getlist("NEWSEXTRACT_KINDS", list(ARTICLE_LIKE)),
        settings.getdict("NEWSEXTRACT_METADATA_SOURCES"),
    )
