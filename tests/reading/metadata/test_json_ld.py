"""JSON-LD: every field, broken syntax, and a megabyte of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Author, Breadcrumb, Image
from newsextract.reading.metadata.json_ld import load_values

if TYPE_CHECKING:
    from tests.reading.metadata.conftest import Reader, Writer


URL = "https://www.example.com/news/rain-in-spain"


def article(**fields: Any) -> dict[str, Any]:
    return {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Rain in Spain", **fields}


def test_reads_every_field(read: Reader, script: Writer) -> None:
    found = read(
        script(
            article(
                description="It falls &amp; falls.",
                datePublished="2023-05-04T08:00:00Z",
                dateModified="2023-05-05",
                author={"@type": "Person", "name": "Ann Lee", "url": "/ann"},
                publisher={"@type": "Organization", "name": "The Daily Plain"},
                inLanguage="en-GB",
                keywords="rain, Spain",
                image=["/a.jpg", {"url": "https://cdn.example.com/b.jpg"}],
                url=URL,
                isAccessibleForFree="False",
            )
        )
    )
    assert found.headline == "Rain in Spain"
    assert found.description == "It falls & falls."
    assert (found.datePublished, found.datePublishedRaw) == ("2023-05-04T08:00:00+00:00", "2023-05-04T08:00:00Z")
    assert (found.dateModified, found.dateModifiedRaw) == ("2023-05-05", "2023-05-05")
    assert found.authors == [Author("Ann Lee", "Ann Lee", "https://www.example.com/ann")]
    assert (found.publisher, found.inLanguage) == ("The Daily Plain", "en")
    assert found.keywords == ["rain", "Spain"]
    assert found.images == [Image("https://www.example.com/a.jpg"), Image("https://cdn.example.com/b.jpg")]
    assert found.mainImage == found.images[0]
    assert found.canonicalUrl == URL
    assert found.isAccessibleForFree is False
    assert "NewsArticle" in found.schemaTypes
    assert set(found.sources.values()) == {"json_ld"}
    assert found.warnings == ()


@pytest.mark.parametrize("text", [
    '<!-- {"a": "b"} -->', '//<![CDATA[\n{"a": "b"}\n//]]>', '/* <![CDATA[ */ {"a": "b"} /* ]]> */',
    '{"a": "b",}', '{"a": "b"};', '\ufeff{"a": "b"}', '{"a": "b"\n}\x0c', '// a comment\n{"a": "b"}',
])  # fmt: skip
def test_survives_broken_json(text: str) -> None:
    assert load_values(text) == [{"a": "b"}]


@pytest.mark.parametrize(("text", "values"), [
    ('{"a": "line\nline\ttab"}', [{"a": "line\nline\ttab"}]), ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
    ('{"a": 1},\n{"b": 2}', [{"a": 1}, {"b": 2}]), ('{"a": "said "no" twice"}', [{"a": 'said "no" twice'}]),
    ('{"a": 1\n"b": 2}', []), ("not json", []), ("", []),
])  # fmt: skip
def test_mends_what_can_be_mended(text: str, values: list[object]) -> None:
    assert load_values(text) == values


@pytest.mark.parametrize(("author", "names"), [
    ("Ann Lee", ["Ann Lee"]),
    ("By Ann Lee and Bo Chen", ["Ann Lee", "Bo Chen"]),
    (["Ann Lee", "Bo Chen"], ["Ann Lee", "Bo Chen"]),
    ({"name": "Ann Lee"}, ["Ann Lee"]),
    ([{"name": ["Ann Lee", "Bo Chen"]}], ["Ann Lee", "Bo Chen"]),
    ([{"@type": "Organization", "name": "Plain"}, {"@type": "Person", "name": "Ann Lee"}], ["Ann Lee"]),
    ({"@type": "Organization", "name": "The Daily Plain"}, ["The Daily Plain"]),
    ({"name": {"@value": "Ann Lee"}}, ["Ann Lee"]),
    ("https://example.com/ann", []),
    ("admin", []),
    ("word " * 40, []),
    (None, []),
    (5, []),
    ([[], {}, None, {"name": None}], []),
])  # fmt: skip
def test_reads_authors_of_any_shape(read: Reader, script: Writer, author: object, names: list[str]) -> None:
    assert [one.name for one in read(script(article(author=author))).authors or ()] == names


def test_resolves_references_within_the_graph(read: Reader, script: Writer) -> None:
    graph = [
        article(author={"@id": "#ann"}, publisher={"@id": "#plain"}, image={"@id": "#pic"}),
        {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
        {"@type": "Organization", "@id": "#plain", "name": "The Daily Plain"},
        {"@type": "ImageObject", "@id": "#pic", "url": "https://example.com/pic.jpg"},
    ]
    found = read(script({"@graph": graph}))
    assert [one.name for one in found.authors or ()] == ["Ann Lee"]
    assert found.publisher == "The Daily Plain"
    assert found.mainImage == Image("https://example.com/pic.jpg")


@pytest.mark.parametrize("kind", ["NewsArticle", ["Thing", "BlogPosting"], "http://schema.org/LiveBlogPosting"])
def test_finds_the_article_whatever_its_type_looks_like(read: Reader, script: Writer, kind: object) -> None:
    nested = {"@type": "WebPage", "mainEntity": article(**{"@type": kind})}
    assert read(script([nested])).headline == "Rain in Spain"


def test_prefers_the_article_of_this_page(read: Reader, script: Writer) -> None:
    other = article(headline="Sun in Rome today", url="https://www.example.com/news/sun", datePublished="2020-01-01")
    own = article(url=URL, datePublished="2023-05-04")
    found = read(script([other, own]))
    assert (found.headline, found.datePublished) == ("Rain in Spain", "2023-05-04")


def test_refuses_the_article_of_another_page(read: Reader, script: Writer) -> None:
    other = article(headline="Sun in Rome today", url="https://www.example.com/news/sun", author="Bo Chen")
    found = read("<title>Rain in Spain</title><h1>Rain in Spain</h1>" + script(other))
    assert found.headline == "Rain in Spain"
    assert found.authors is None
    assert any("another page" in warning for warning in found.warnings)


def test_reads_breadcrumbs_by_position(read: Reader, script: Writer) -> None:
    steps = [
        {"@type": "ListItem", "position": 2, "item": {"@id": "/news", "name": "News"}},
        {"@type": "ListItem", "position": "1", "name": "Home", "item": "https://www.example.com/"},
    ]
    found = read(script({"@type": "BreadcrumbList", "itemListElement": steps}))
    assert found.breadcrumbs == [
        Breadcrumb("Home", "https://www.example.com/"),
        Breadcrumb("News", "https://www.example.com/news"),
    ]


def test_reports_what_is_beyond_repair(read: Reader, script: Writer) -> None:
    assert any("beyond repair" in warning for warning in read(script("{{{ nope")).warnings)


def test_skips_what_is_too_long(read: Reader, script: Writer) -> None:
    found = read(script(article(articleBody="x" * 1_100_000)))
    assert found.headline is None
    assert any("too many" in warning for warning in found.warnings)


# JSON-LD of a megabyte, of broken syntax, of other pages: its work is bounded and the rest of the page is read.


OWN = '<title>Rain in Spain</title><meta name="og:title" content="Rain in Spain"><meta name="author" content="Ann Lee">'


def other(number: int) -> dict[str, Any]:
    return {
        "@type": "NewsArticle",
        "headline": f"Sun in Rome, part {number}",
        "url": f"https://www.example.com/sun/{number}",
        "author": {"@type": "Person", "name": "Bo Chen"},
    }


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = other(0)
    for _ in range(depth):
        node = {"@type": "Thing", "about": node}
    return node


@pytest.mark.parametrize(
    "value",
    [
        [other(n) for n in range(5_500)],
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": other(n)} for n in range(4_500)]},
        {"@type": "BreadcrumbList", "itemListElement": [{"name": str(n), "position": n} for n in range(25_000)]},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "keywords": ["rain"] * 100_000},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "hasPart": [{"isAccessibleForFree": True}] * 25_000},
        {"@type": "LiveBlogPosting", "headline": "Rain in Spain", "liveBlogUpdate": [{"headline": "x"}] * 45_000},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "articleBody": "It rains. " * 95_000},
        [[[[]] * 300] * 300],
        nested(200),
    ],
    ids=["articles", "list", "crumbs", "keywords", "parts", "updates", "body", "lists", "depth"],
)
def test_reads_the_page_beside_a_megabyte(read: Reader, script: Writer, value: object) -> None:
    found = read(OWN + script(value))
    assert found.headline == "Rain in Spain"
    assert [author.name for author in found.authors or ()] == ["Ann Lee"]
    assert len(found.keywords or ()) <= 50
    assert len(found.warnings) <= 20


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.99])
def test_reads_the_page_beside_a_torn_megabyte(read: Reader, script: Writer, cut: float) -> None:
    text = json.dumps([other(n) for n in range(5_500)])
    found = read(OWN + script(text[: int(len(text) * cut)]))
    assert (found.headline, [author.name for author in found.authors or ()]) == ("Rain in Spain", ["Ann Lee"])
    assert any("broken beyond repair" in warning for warning in found.warnings)
