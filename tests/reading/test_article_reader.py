from __future__ import annotations

import gc
import weakref

from newsextract import Page, create_extractor, read_article
from newsextract.reading.reader import ArticleReader

STORY = "".join(
    f"<p>Sentence {n} of the story is told here at some length. And there is more of it.</p>" for n in range(9)
)
PAGE = f"<html><body><article><h1>A story</h1>{STORY}</article></body></html>"


def test_a_site_includes_its_subdomains() -> None:
    reader = ArticleReader(create_extractor("mss"), {"example.com": create_extractor("eatiht")})
    article = reader.read(Page(PAGE, "https://news.example.com/2026/11/20/a-story-of-nine-sentences.html"))
    assert article.extraction is not None
    assert article.extraction.extractor == "eatiht"


def test_other_sites_are_read_by_the_default() -> None:
    reader = ArticleReader(create_extractor("mss"), {"example.com": create_extractor("eatiht")})
    article = reader.read(Page(PAGE, "https://badexample.com/2026/11/20/a-story-of-nine-sentences.html"))
    assert article.extraction is not None
    assert article.extraction.extractor == "mss"


def test_the_page_may_name_its_own_extractor() -> None:
    page = Page(PAGE, "https://example.com/2026/11/20/a-story-of-nine-sentences.html", extractor="dom_criteria")
    article = ArticleReader(create_extractor("mss"), {"example.com": create_extractor("eatiht")}).read(page)
    assert article.extraction is not None
    assert article.extraction.extractor == "dom_criteria"


def test_a_page_that_was_read_is_freed_without_the_garbage_collector() -> None:
    parts = (
        "<figure><img src=/a.jpg><figcaption>A caption</figcaption></figure><table><tr><td>1<td>2<tr><td>3<td>4</table>"
    )
    lists = "<ul><li>An item with <b>bold</b> words<ol><li>Another</ol></ul><blockquote><p>A quote.</p></blockquote>"
    page = Page(PAGE.replace("</article>", f"{parts}{lists}</article>"), "https://example.com/2026/11/20/a-story.html")
    gc.collect()
    gc.disable()
    try:
        article = read_article(page)
        outline = weakref.ref(page.outline)
        del page
        assert outline() is None
    finally:
        gc.enable()
    assert article.articleBodyHtml
