from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from newsextract.article import Article
from newsextract.page.page import Page
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.dates import read_date
from newsextract.reading.metadata.precedence import PRECEDENCE, read_metadata
from newsextract.reading.metadata.sources import SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]

_KEYS = (
    *("@type", "@id", "@graph", "@value", "name", "url", "headline", "author", "image", "datePublished"),
    *("keywords", "item", "position", "itemListElement", "publisher", "mainEntityOfPage", "inLanguage"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(_KEYS),
            inner | st.sampled_from(["NewsArticle", "BreadcrumbList", "Person", "#a", "2023-05-04", "//["]),
        )
    ),
    max_leaves=20,
)


def test_table_names_known_fields_and_sources() -> None:
    read_elsewhere = {"url", "articleBody", "articleBodyHtml", "articleMarkdown", "wordCount", "metadata", "extraction"}
    read_elsewhere |= {"embeds", "comments"}
    raw = {f"{name}Raw" for name in ("datePublished", "dateModified")}
    assert PRECEDENCE.keys() == {field.name for field in fields(Article)} - read_elsewhere - raw
    assert {source for sources in PRECEDENCE.values() for source in sources} == set(SOURCES)


def test_says_nothing_about_an_empty_page(read: Reader) -> None:
    found = read("<html></html>", None)
    assert found == Metadata()


def test_leaves_the_page_untouched() -> None:
    markup = '<h1>Rain</h1><p class="byline">By <b>Ann</b> Lee</p><time>4 May 2023</time>'
    page = Page(markup)
    before = html.tostring(page.tree)
    read_metadata(page)
    assert html.tostring(page.tree) == before


def test_follows_another_precedence() -> None:
    page = Page("<title>Rain in Spain</title><meta property='og:title' content='Spain has rain'>")
    found = read_metadata(page, {"headline": ("title",)})
    assert (found.headline, found.sources) == ("Rain in Spain", {"headline": "title"})


@pytest.mark.parametrize("date", ["1970-01-01T00:00:00Z", "2999-01-01", "yesterday", "2023-13-45"])
def test_asks_the_next_source_when_a_date_is_refused(read: Reader, script: Writer, date: str) -> None:
    found = read(
        script({"@type": "NewsArticle", "headline": "Rain", "datePublished": date})
        + '<meta name="date" content="2023-05-04">'
    )
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "meta_tags")
    assert any("datePublished: json_ld says" in warning for warning in found.warnings)


@pytest.mark.parametrize("href", ["/", "https://other.example.org/", "https://www.example.com"])
def test_refuses_a_home_page_as_canonical(read: Reader, href: str) -> None:
    found = read(f'<link rel="canonical" href="{href}">')
    assert found.canonicalUrl is None
    assert any("home page" in warning for warning in found.warnings)


def test_lets_a_home_page_be_its_own_canonical(read: Reader) -> None:
    found = read('<link rel="canonical" href="/">', "https://www.example.com/?utm_source=x")
    assert found.canonicalUrl == "https://www.example.com/"


@pytest.mark.parametrize("href", ["javascript:void(0)", "data:image/png;base64,x", "http://[", "ftp://e.com/a"])
def test_takes_only_addresses_of_the_web(read: Reader, href: str) -> None:
    found = read(f'<link rel="canonical" href="{href}"><meta property="og:image" content="{href}">')
    assert (found.canonicalUrl, found.images) == (None, None)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-05-04T10:00:00+02:00", "2023-05-04T10:00:00+02:00"),
        ("2023-05-04T10:00:00.123Z", "2023-05-04T10:00:00+00:00"),
        ("2023-05-04T10:00", "2023-05-04T10:00:00"),
        ("20230504", "2023-05-04"),
        ("20230504T100000Z", "2023-05-04T10:00:00+00:00"),
        ("1683194400", "2023-05-04T10:00:00+00:00"),
        ("1683194400000", "2023-05-04T10:00:00+00:00"),
        ("Thu, 04 May 2023 10:00:00 GMT", "2023-05-04T10:00:00+00:00"),
        ("May 4, 2023 10:00 am EDT", "2023-05-04T10:00:00-04:00"),
        ("Donnerstag, 4. Mai 2023 um 10:00 Uhr", "2023-05-04T10:00:00"),
        ("4 août 2023 à 10:00", "2023-08-04T10:00:00"),
        ("4 de mayo de 2023", "2023-05-04"),
        ("04.05.2023", "2023-05-04"),
        ("2023-05-04T10:00:00+99:00", "2023-05-04T10:00:00"),
        ("2023", None),
        ("May 2023", None),
        ("9999999999", "2286-11-20T17:46:39+00:00"),
        ("x" * 500, None),
        ("", None),
    ],
)
def test_reads_dates(text: str, iso: str | None) -> None:
    assert read_date(text) == iso


@given(st.text(alphabet="0123456789-/.:TZ+ aApPmMyYjJ,\u0664", max_size=40))
def test_never_raises_on_a_date(text: str) -> None:
    read_date(text)


@settings(max_examples=150, deadline=None)
@given(value=_JSON)
def test_never_raises_on_structured_data(script: Writer, value: object) -> None:
    read_metadata(Page("<title>Rain</title>" + script(value)))


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60), json_text=st.text(max_size=60))
def test_never_raises_on_text(script: Writer, text: str, json_text: str) -> None:
    quoted = text.replace('"', "").replace("\0", "")
    names = ("og:title", "author", "date", "og:url", "keywords", "og:image")
    metas = "".join(f'<meta name="{name}" content="{quoted}">' for name in names)
    markup = f'{metas}{script(json_text)}<h1>{quoted}</h1><time>{quoted}</time><p class="byline">{quoted}</p>'
    read_metadata(Page(markup.replace("\0", "")))
