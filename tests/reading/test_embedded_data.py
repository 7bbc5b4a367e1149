"""The article in the data for a page's scripts: which object it is, in what shape, and what is left alone."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from newsextract import Page, create_extractor, extract, read_article
from newsextract.reading.extraction.auto import BEGINNING, LITTLE_TEXT, chars_of, with_hydrated_body
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.notices import NoArticle, NoticeCode, noticed
from newsextract.reading.reader import ArticleReader
from tests.reading.embedded_shapes import (
    ARTICLE,
    BODY_HTML,
    DATE,
    HEADLINE,
    LONGER,
    PARAGRAPHS,
    SHAPES,
    TEASERS,
    URL,
    shell,
)


@pytest.mark.parametrize("name", SHAPES)
def test_it_reads_the_text_in_the_order_of_the_data_with_the_fields_that_the_page_lacks(name: str) -> None:
    article = ArticleReader(create_extractor("auto")).read(
        Page(shell(SHAPES[name]), URL)
    )  # a crawl takes it for an article
    lines = (article.articleBody or "").split("\n")
    assert [line for line in lines if line not in ("Sand bags", "What happened", "More", LONGER[-1])] == PARAGRAPHS
    assert article.headline == HEADLINE
    assert article.datePublished == DATE
    assert article.extraction
    assert article.extraction.sources["articleBody"] == "hydration"
    assert list(noticed(NoticeCode.FROM_HYDRATION, article.extraction.noticed))


def _page(data: object, **options: str) -> str:
    return shell(f'<script type="application/json">{json.dumps(data)}</script>', **options)


def _source(html: str, url: str = URL) -> str | None:
    return extract(html, url).sources.get("articleBody")


def test_teasers_with_texts_are_not_the_article() -> None:
    assert _source(_page({"news": TEASERS, "page": {"title": HEADLINE}})) != "hydration"


@pytest.mark.parametrize(
    "own", [{"url": URL}, {"slug": URL.rpartition("/")[2]}, {"_id": 48213, "path": "/local/48213"}]
)
def test_the_address_tells_where_the_titles_only_name_the_site(own: dict[str, Any]) -> None:
    story = {"text": "\n".join([*PARAGRAPHS, *(f"{text} So they say." for text in PARAGRAPHS)]), "date": DATE, **own}
    url = URL if "_id" not in own else "https://news.example/local/48213"
    assert _source(_page({"story": story}, title="Melbury News"), url) == "hydration"


@pytest.mark.parametrize("key", ["topic_id", "posts_count", "sku", "price"])
def test_threads_and_products_are_left_to_what_the_page_shows(key: str) -> None:
    about = {"text": "\n".join([*PARAGRAPHS, *(f"{text} So they say." for text in PARAGRAPHS)]), "date": DATE}
    assert _source(_page({"site": about, "item": {**ARTICLE, key: 12}})) != "hydration"


def test_a_teaser_between_the_paragraphs_is_not_of_the_text() -> None:
    blocks: list[dict[str, str]] = [{"type": "p", "text": text} for text in LONGER]
    found = extract(_page({"title": HEADLINE, "date": DATE, "blocks": [*blocks[:2], TEASERS[0], *blocks[2:]]}), URL)
    assert found.text.splitlines() == LONGER


def test_the_headline_counts_for_more_than_a_longer_text_at_the_address_of_the_page() -> None:
    about = {"path": URL, "seo": {"og": {"title": HEADLINE}}, "date": DATE, "text": "\n".join([*LONGER, *LONGER])}
    assert extract(_page({"story": ARTICLE, "layout": about}), URL).text.splitlines() == PARAGRAPHS


@pytest.mark.parametrize("key", ["user", "nickname", "upvotes", "replyTo"])
def test_what_readers_write_is_not_the_text(key: str) -> None:
    replies = [{key: "bob", "text": f"{text} That is what I say to them all."} for text in PARAGRAPHS * 2]
    about = {"title": HEADLINE, "date": DATE, "url": URL, "lead": "The rest is for subscribers only."}
    assert _source(_page({"story": {**about, "replies": replies}})) != "hydration"


def test_a_home_page_stays_a_listing() -> None:
    page = Page(_page({"story": ARTICLE}, title="Melbury News"), "https://news.example/")
    with pytest.raises(NoArticle, match="listing"):
        ArticleReader(create_extractor("auto")).read(page)


def test_a_page_that_shows_its_article_keeps_it() -> None:
    shown = "".join(f"<p>{text} This is what the page itself shows.</p>" for text in PARAGRAPHS * 4)
    html = shell(
        f"<article><h1>{HEADLINE}</h1>{shown}</article>"
        f'<script type="application/json">{json.dumps({"a": {**ARTICLE, "paragraphs": PARAGRAPHS * 20}})}</script>'
    )
    assert _source(html) is None


def test_a_beginning_is_completed_only_by_the_same_text() -> None:
    lead = f"<article><h1>{HEADLINE}</h1><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p><p>{PARAGRAPHS[2]}</p></article>"
    longer = [*PARAGRAPHS, *(f"{text} So they say." for text in PARAGRAPHS)]
    data = json.dumps({"a": {**ARTICLE, "paragraphs": longer}})
    other = json.dumps({"a": {**ARTICLE, "paragraphs": longer[4:]}}).replace("the", "some")
    found = [extract(shell(f'{lead}<script type="application/json">{each}</script>'), URL) for each in (data, other)]
    assert [one.sources.get("articleBody") for one in found] == ["hydration", None]


@pytest.mark.parametrize(("confidence", "source"), [(0.55, "hydration"), (0.9, None)])
def test_another_text_is_taken_only_where_what_is_shown_hardly_looks_like_an_article(
    confidence: float, source: str | None
) -> None:
    around = "<p>We use cookies to show you what you like, and all rights in what stands here are ours.</p>" * 3
    data = json.dumps({"a": {**ARTICLE, "paragraphs": PARAGRAPHS * 3}})
    page = Page(shell(f'{around}<script type="application/json">{data}</script>'), URL)
    shown = Extraction("auto", tuple(block for block in page.blocks if "cookies" in block.text), confidence)
    assert LITTLE_TEXT <= chars_of(shown.blocks) < BEGINNING
    assert with_hydrated_body(page, shown).sources.get("articleBody") == source


def test_json_ld_comes_first() -> None:
    stated = {"@type": "NewsArticle", "headline": HEADLINE, "articleBody": "\n".join(PARAGRAPHS)}
    html = shell(
        f'<script type="application/ld+json">{json.dumps(stated)}</script>'
        f'<script type="application/json">{json.dumps({"a": ARTICLE})}</script>'
    )
    assert _source(html) == "json_ld"


def test_the_fields_come_from_the_object_where_the_page_has_none() -> None:
    article = read_article(_page({"a": {**ARTICLE, "excerpt": "Three hundred people had to leave their houses."}}), URL)
    assert article.extraction
    assert [author.name for author in article.authors or ()] == ["Anna Keller"]
    assert article.description == "Three hundred people had to leave their houses."
    assert {article.extraction.sources[name] for name in ("headline", "datePublished", "authors")} == {"hydration"}


@pytest.mark.parametrize("stamp", [1772435700, 1772435700000])
def test_dates_may_be_seconds_or_milliseconds(stamp: int) -> None:
    article = read_article(_page({"a": {**ARTICLE, "publishedAt": stamp}}), URL)
    assert (article.datePublished or "").startswith("2026-03-02T07:15")


def test_scripts_in_a_text_are_not_rendered() -> None:
    story = {**ARTICLE, "paragraphs": None, "body": f"{BODY_HTML}<script>alert(1)</script><img src=x onerror=alert(1)>"}
    found = extract(_page({"a": story}).replace("</script><img", "<\\/script><img"), URL)
    assert found.sources["articleBody"] == "hydration"
    assert "alert" not in found.html


_SECONDS = 10.0
"""Far more than is needed, and far less than a quadratic reader takes."""

_TEXT = "The water rose, and nobody knew why it did. "
_ROWS = {f"N:{n}": {"a": {"__ref": f"N:{n + 1}"}, "b": {"__ref": f"N:{n + 1}"}} for n in range(60)}
"""References to references, which are a tree without end."""
HOSTILE = {
    "references": f"window.__APOLLO_STATE__={json.dumps(_ROWS)};" * 40,
    "brackets": "var a = " + "[" * 100_000,
    "literal brackets": "var a = {a:" + "[" * 100_000 + "]" * 100_000 + "}",
    "starts": "a=[" * 300_000,
    "quotes": "='" * 300_000,
    "spaces": "a=" + " " * 3_000_000,
    "digits": '{"a": ' + "9" * 1_000_000 + "}",
    "long string": 'var a = {"title": "' + HEADLINE + '", "body": "' + _TEXT * 100_000 + '"}',
    "strings in strings": json.dumps({"a": json.dumps({"b": json.dumps([json.dumps(ARTICLE)] * 20)})}),
    "wide": json.dumps({f"k{number}": {"title": HEADLINE, "url": URL} for number in range(10_000)}),
    "tags": 'a = {"title": "' + HEADLINE + '", "body": "' + "<" * 500_000 + '"}',
    "functions that return nothing": "a=(function(){" * 6_000 + "x" * 9_000_000,
    "one text in many objects": "window.s="
    + json.dumps(
        {"Text:1": {"html": "<p>x y</p>" * 190_000}}
        | {f"N:{n}": {"headline": HEADLINE, "url": URL, "body": {"__ref": "Text:1"}} for n in range(500)}
    ),
    "brackets of Markdown": 'a = {"title": "' + HEADLINE + '", "body": "**a** ' + "[" * 150_000 + '"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_ends_soon(name: str) -> None:
    html = shell(f"<script>{HOSTILE[name]}</script>")
    began = process_time()
    extract(html, URL)
    assert process_time() - began < _SECONDS


def test_references_in_a_circle_end() -> None:
    cache = {"A:1": {**ARTICLE, "author": {"__ref": "P:1"}}, "P:1": {"name": "Anna Keller", "wrote": {"__ref": "A:1"}}}
    html = shell(f"<script>window.__APOLLO_STATE__={json.dumps(cache)}</script>")
    assert extract(html, URL).sources["articleBody"] == "hydration"


@pytest.mark.parametrize(
    ("script", "is_told"),
    [
        ("var a = {b: '" + "x " * 1_100_000 + "'}", True), ('var a = {"b": "' + "x " * 5_100_000 + '"}', True),
        (f"window.__APOLLO_STATE__={json.dumps(_ROWS)}", True), ("var a = {b: '" + "x " * 900_000 + "'}", False),
    ],
    ids=["literal", "JSON", "references", "none"],
)  # fmt: skip
def test_a_page_says_that_some_of_its_data_was_not_searched(script: str, is_told: bool) -> None:
    found = extract(shell(f"<script>{script}</script>"), URL)
    told = "the page's data for its scripts is larger than what is read of it: the rest was not searched"
    assert (told in found.warnings) is is_told
