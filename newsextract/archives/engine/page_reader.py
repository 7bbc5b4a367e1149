"""Reads one page of an archive after another, in a process of their own; every page has an answer.

A page is read as `read_article` reads it, without what other pages of its site may teach: the answer is the same in
whatever order, and however often, the files of a run are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from w3lib.encoding import http_content_type_encoding

from newsextract.archives.copies.article_print import ArticlePrint
from newsextract.archives.engine.page_answer import PageAnswer
from newsextract.archives.tables.article_table import RecordFields, article_row
from newsextract.archives.tables.record_end import RecordEnd
from newsextract.page.page import KEPT_HEADERS, Hints, Page, PageError
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import NoArticle, PageState
from newsextract.reading.reader import ArticleReader, Extras

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.warc import WarcRecord
    from newsextract.article import Article

_ENDS = {PageState.EMPTY: RecordEnd.EMPTY}
"""What the states of pages without an article become, if not `not_article`."""


class PageReader:
    """Reads the pages of one file by one plan."""

    def __init__(self, plan: ReadingPlan, warc_file: str) -> None:
        self._plan = plan
        self._warc_file = warc_file
        self._reader = ArticleReader(
            create_extractor(plan.extractor, **plan.options),
            kinds=plan.kinds,
            uses_memory=False,
            extras=Extras(plan.comments, plan.markdown),
            rules=plan.rules,
        )

    def read(self, record: WarcRecord) -> PageAnswer:
        """Return what became of the page of a record; no error of the page is raised."""
        try:
            article = self._article(record)
            if reason := self._plan.pages.reason(article):
                return PageAnswer(RecordEnd.FILTERED, reason)
            return self._answer(article, record)
        except NoArticle as error:
            return PageAnswer(_ENDS.get(error.state, RecordEnd.NOT_ARTICLE), f"{error.state}: {error.reason}")
        except PageError as error:
            return PageAnswer(RecordEnd.ERROR, str(error))
        except MemoryError:
            return PageAnswer(RecordEnd.ERROR, "out of memory")
        except Exception as error:  # noqa: BLE001 - a fault that one page brings to light may not lose the others
            return PageAnswer(RecordEnd.ERROR, f"not read, for a fault: {type(error).__name__}: {error}")

    def _article(self, record: WarcRecord) -> Article:
        hints = Hints(headers=_kept(record.headers))
        charset = http_content_type_encoding(record.content_type)
        page = Page(record.body or b"", record.url, charset=charset, max_bytes=self._plan.page_bytes, hints=hints)
        article = self._reader.read(page, learn=False)
        if article.metadata is not None:
            article.metadata.dateDownloaded = record.date
        return article

    def _answer(self, article: Article, record: WarcRecord) -> PageAnswer:
        fields = RecordFields.of(record, self._warc_file)
        return PageAnswer(
            RecordEnd.ARTICLE, row=article_row(article, fields), print=ArticlePrint.of(article.articleBody)
        )


def _kept(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers that say something of the page, repeated ones joined as in HTTP.

    >>> _kept((("X-Robots-Tag", "noai"), ("Server", "x"), ("x-robots-tag", "noindex")))
    {'x-robots-tag': 'noai, noindex'}
    """
    found: dict[str, str] = {}
    for name, value in headers:
        lowered = name.lower()
        if lowered in KEPT_HEADERS:
            found[lowered] = f"{found[lowered]}, {value}" if lowered in found else value
    return found
