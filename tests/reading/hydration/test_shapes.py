"""The data of frameworks and editors, read without a browser."""

from __future__ import annotations

import pytest

from newsextract import Page, read_article
from newsextract.reading.notices import NoticeCode, noticed
from newsextract.reading.reader import ArticleReader
from tests.reading.hydration.shapes import DATE, HEADLINE, LONGER, PARAGRAPHS, SHAPES, URL, shell


@pytest.mark.parametrize("name", SHAPES)
def test_it_reads_the_text_in_the_order_of_the_data_with_the_fields_that_the_page_lacks(name: str) -> None:
    article = read_article(shell(SHAPES[name]), URL)
    lines = (article.articleBody or "").split("\n")
    assert [line for line in lines if line not in ("Sand bags", "What happened", "More", LONGER[-1])] == PARAGRAPHS
    assert article.headline == HEADLINE
    assert name == "Remix, turbo-stream" or article.datePublished == DATE
    assert article.extraction
    assert article.extraction.sources["articleBody"] == "hydration"
    assert list(noticed(NoticeCode.FROM_HYDRATION, article.extraction.noticed))


@pytest.mark.parametrize("name", SHAPES)
def test_a_crawl_takes_it_for_an_article(name: str) -> None:
    page = Page(shell(SHAPES[name]), URL)
    assert ArticleReader.create("auto").read(page).articleBody
