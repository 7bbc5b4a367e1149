"""Sources of metadata in their order, the limits of each, and the entries of live blogs."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from lxml.etree import ParserError

from newsextract.article import Article, Author, Image, LiveUpdate
from newsextract.page.page import Page
from newsextract.reading.metadata.bylines import split_byline
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.comparing import fold
from newsextract.reading.metadata.dates import read_date
from newsextract.reading.metadata.json_ld import load_values
from newsextract.reading.metadata.precedence import PRECEDENCE, SOURCES, BadPrecedence, read_metadata, with_overrides

if TYPE_CHECKING:
    from tests.reading.metadata.conftest import Reader, Writer


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


@pytest.mark.parametrize("date", ["1970-01-01T00:00:00Z", "2999-01-01", "yesterday", "2023-13-45"])
def test_asks_the_next_source_when_a_date_is_refused(read: Reader, script: Writer, date: str) -> None:
    found = read(
        script({"@type": "NewsArticle", "headline": "Rain", "datePublished": date})
        + '<meta name="date" content="2023-05-04">'
    )
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "meta_tags")
    assert any("datePublished: json_ld says" in warning for warning in found.warnings)


@pytest.mark.parametrize(("text", "iso"), [
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
])  # fmt: skip
def test_reads_dates(text: str, iso: str | None) -> None:
    assert read_date(text) == iso


@settings(max_examples=50, deadline=None)
@given(value=_JSON)
def test_never_raises_on_structured_data(script: Writer, value: object) -> None:
    read_metadata(Page("<title>Rain</title>" + script(value)))


def test_reads_open_graph(read: Reader) -> None:
    found = read("""
      <html lang="fr-FR"><head>
      <meta property="og:title" content="Pluie d&amp;#39;Espagne">
      <meta name="DESCRIPTION" content="Elle tombe.">
      <meta property="article:published_time" content="2023-05-04T10:00:00+0200">
      <meta property="og:site_name" content="La Plaine"><meta property="og:image" content="/a.jpg">
      <meta property="article:tag" content="pluie"><meta property="article:tag" content="Espagne">
      <meta name="author" content="Par Zoé Dupont"><meta property="og:type" content="article">
      <meta property="article:author" content="https://facebook.com/plaine">
      <link rel="canonical" href="/news/rain"></head>""")
    assert (found.headline, found.description) == ("Pluie d'Espagne", "Elle tombe.")
    assert found.datePublished == "2023-05-04T10:00:00+02:00"
    assert (found.publisher, found.inLanguage, found.ogType) == ("La Plaine", "fr", "article")
    assert found.images == [Image("https://www.example.com/a.jpg")]
    assert found.keywords == ["pluie", "Espagne"]
    assert found.authors == [Author("Zoé Dupont", "Par Zoé Dupont")]
    assert found.canonicalUrl == "https://www.example.com/news/rain"
    assert set(found.sources.values()) == {"meta_tags"}


@pytest.mark.parametrize("tag", [
    '<meta name="parsely-pub-date" content="2023-05-04">',
    '<meta name="sailthru.date" content="2023-05-04">',
    '<meta name="DC.date.issued" content="2023-05-04">',
    '<meta name="citation_publication_date" content="2023/05/04">',
    '<meta itemprop="datePublished" content="2023-05-04">',
    '<meta name="pubdate" content="May 4, 2023">',
    '<p itemscope itemtype="http://schema.org/Article"><b itemprop="datePublished" content="2023-05-04">',
    '<time class="entry-date published" datetime="2023-05-04">',
    "<time>4 May 2023</time>",
    '<p class="post-date">Posted on May 4, 2023 by Ann</p>',
])  # fmt: skip
def test_finds_the_date_wherever_it_is(read: Reader, tag: str) -> None:
    assert read(f"<html><body>{tag}</body></html>").datePublished == "2023-05-04"


@pytest.mark.parametrize("margin", [
    "<aside>{}</aside>", "<nav>{}</nav>", "<footer>{}</footer>", '<div class="related-stories">{}</div>',
    '<ol id="comments">{}</ol>',
])  # fmt: skip
def test_ignores_the_dates_of_the_margins(read: Reader, margin: str) -> None:
    time = '<time datetime="2020-01-01">1 January</time>'
    assert read(f"<body>{margin.format(time)}<p>Rain</p></body>").datePublished is None


def test_keeps_published_and_modified_apart(read: Reader) -> None:
    found = read("""<body><time class="updated" datetime="2023-05-05"></time>
      <time class="published" datetime="2023-05-04"></time></body>""")
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")


@pytest.mark.parametrize(
    "line",
    [
        '<a rel="author" href="/ann">Ann Lee</a>',
        '<a href="https://www.example.com/author/ann-lee/">Ann Lee</a>',
        '<p class="byline">By Ann Lee</p>',
        '<p class="byline">Von <a href="/ann" class="author-name">Ann Lee</a>, Redakteurin</p>',
        '<span class="Article-author">Written by Ann Lee</span>',
        '<div itemscope itemtype="https://schema.org/Article"><span itemprop="author">Ann Lee</span></div>',
        """<div itemscope itemtype="https://schema.org/Article"><p itemprop="author" itemscope
           itemtype="https://schema.org/Person">by <b itemprop="name">Ann Lee</b></p></div>""",
    ],
)
def test_finds_the_byline(read: Reader, line: str) -> None:
    assert [one.name for one in read(f"<body><h1>Rain</h1>{line}</body>").authors or ()] == ["Ann Lee"]


@pytest.mark.parametrize("line", [
    f'<div class="author">{"Ann has written about rain. " * 10}</div>',
    '<div class="author">View more posts</div>',
    '<div class="comment"><b class="author">Ann Lee</b></div>',
    '<p class="byline">Posted on</p>',
])  # fmt: skip
def test_prefers_no_author_to_a_wrong_one(read: Reader, line: str) -> None:
    assert read(f"<body>{line}</body>").authors is None


_PAGE = '<meta property="og:title" content="Rain in Spain, says the social web"><h1>Rain in Spain, says Ann Lee</h1>'


def test_an_override_changes_the_order_of_one_field() -> None:
    page = Page(_PAGE)
    assert read_metadata(page).sources["headline"] == "heading"
    other_order = with_overrides({"headline": ["meta_tags", "heading"]})
    assert read_metadata(page, other_order).sources["headline"] == "meta_tags"


def test_a_field_without_sources_is_not_read() -> None:
    assert read_metadata(Page(_PAGE), with_overrides({"headline": []})).headline is None


@pytest.mark.parametrize(("overrides", "message"), [
    ({"title": ["heading"]}, "there is no field 'title'; the fields are headline"),
    ({"headline": ["h1"]}, "headline: no source is called 'h1'; there are json_ld"),
    ({"headline": "heading"}, "headline: 'heading' is not a list of sources"),
])  # fmt: skip
def test_a_wrong_override_says_what_would_be_right(overrides: dict[str, list[str]], message: str) -> None:
    with pytest.raises(BadPrecedence, match=message):
        with_overrides(overrides)


HEAD = "<html lang=de><title>Rain falls in Spain</title><h1>Rain falls in Spain</h1>"
EMPTY = "<i></i>" * 20_000
MANY = 60


def articles(**fields: object) -> list[dict[str, Any]]:
    return [{"@type": "NewsArticle", "headline": "Rain falls in Spain", **fields} for _ in range(MANY)]


FLOODS = {
    "titles": "".join(f'<meta property="og:title" content="Rain in {n}">' for n in range(990))
    + "<h1>Rain in 7</h1>" * 9_000,
    "parts": '<meta property="og:title" content="{}">'.format("Sun - " * 60_000) * 9,
    "class": '<div class="author{}">Ann Lee</div>'.format("-" * 200_000),
    "href": '<a rel=author href="/author{}">Ann Lee</a>'.format("-" * 200_000),
    "links": "".join(f'<link rel=canonical href="/{n}">' for n in range(20_000)),
    "rel": '<link rel="{}" href="/">'.format("canonical " * 50_000),
    "headings": "<h1><b>" * 1_000 + 3 * EMPTY,
    "properties": "<div itemprop=name>" * 1_000 + 3 * EMPTY,
    "authors": "<div class='byline author-name'>" * 1_000 + 4 * EMPTY,
    "trails": "<ul class=breadcrumb><li><a href=/x>" * 300 + EMPTY,
    "around": '<div class="{}">'.format("mode" * 400_000) + "<div><p class=date>4. Mai 2020</p></div>" * 80,
    "times": '<div class="{}">'.format("publ " * 200_000) + "<time>4. Mai 2020</time>" * 60,
    "names": '<i itemscope itemprop="{}">'.format(" ".join(f"p{n}" for n in range(90_000))),
    "keywords": '<meta name=keywords content="{}">'.format("Rain falls in Spain, " * 480) * 990,
    "site": '<meta property="og:site_name" content="{}">'.format("x" * 900_000),
}


@pytest.mark.parametrize("markup", FLOODS.values(), ids=FLOODS)
def test_reads_the_headline_among_floods(read: Reader, markup: str) -> None:
    assert read(HEAD + markup).headline == "Rain falls in Spain"


@pytest.mark.parametrize(
    "values",
    [
        [
            {"@id": "x", "q": 1, "name": [f"n{n}" for n in range(5_000)]},
            *articles(
                keywords=[{"@id": "x"}] * 100, publisher=[{"@id": "x"}] * 100, articleSection=[{"@id": "x"}] * 99
            ),
        ],
        [{"@id": "x", "q": 1, "isAccessibleForFree": ["?"] * 9_000}, *articles(hasPart=[{"@id": "x"}] * 100)],
        [{"@id": "x", "q": 1, "name": "<b>x</b> " * 30_000}, *articles(publisher=[{"@id": "x"}] * 200)],
        [{"@id": "x", "q": 1, "url": ["/logo.svg"] * 200}, *articles(image=[{"@id": "x"}] * 200)],
        articles(url=[f"https://www.example.com/{'/' * 900}{n}" for n in range(15)]),
        articles(datePublished=["a 12 May, maybe"] * 200),
    ],
    ids=["names", "parts", "publishers", "logos", "addresses", "dates"],
)
def test_references_do_not_multiply(read: Reader, script: Writer, values: object) -> None:
    found = read(HEAD + script([{"@type": "NewsArticle", "headline": "Rain falls in Spain"}, values]))
    assert found.headline == "Rain falls in Spain"
    assert len(found.keywords or ()) <= 50


def test_an_entry_of_many_references_is_read_once(read: Reader, script: Writer) -> None:
    entry = {"@id": "x", "datePublished": "2024-01-02", "headline": "Rain", "articleBody": "<p>It rains</p> " * 4_000}
    blog = {"@type": "LiveBlogPosting", "liveBlogUpdate": [{"@id": "x"}] * 1_000}
    (update,) = read(HEAD + script([entry, *[blog] * 20])).liveBlogUpdates or []
    assert (update.headline, (update.articleBody or "")[:8]) == ("Rain", "It rains")


@pytest.mark.parametrize("unit", ["\n", " ", " \n", "\t\n", ", ", "//\n", "[", '{"a":', '"', "\\"])
def test_mends_json_with_any_amount_of_one_sign(unit: str) -> None:
    assert load_values(f'{{"a": "x"{unit * (190_000 // len(unit))}y') == []


def test_mends_a_bounded_number_of_scripts(read: Reader, script: Writer) -> None:
    assert read(HEAD + script('{"@type": "x"') * 20_000).headline == "Rain falls in Spain"


@pytest.mark.parametrize("unit", ["- ", " ", ". ", "| - "])
def test_a_byline_of_separators_is_searched_once(unit: str) -> None:
    assert split_byline(f"Ann Lee{unit * 30_000}Photos by Bo Chen") == ["Ann Lee"]


def test_keeps_a_reference_to_no_character() -> None:
    assert fold(f"Rain &#{'9' * 5_000};").startswith("Rain &#999")


@pytest.mark.parametrize("error", [ParserError("empty"), RecursionError(), KeyError("x"), ZeroDivisionError()])
def test_survives_what_htmldate_raises(read: Reader, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr("htmldate.find_date", fail)
    found = read("<title>Rain falls in Spain</title><h1>Rain falls in Spain</h1><p>It rains.</p>")
    assert found.datePublished is None


def blog(*updates: object, **fields: Any) -> dict[str, Any]:
    return {"@type": "LiveBlogPosting", "headline": "Rain in Spain: live", "liveBlogUpdate": list(updates), **fields}


def posting(date: str, body: str, headline: str | None = None) -> dict[str, Any]:
    return {"@type": "BlogPosting", "datePublished": date, "headline": headline, "articleBody": body}


def test_reads_the_listed_entries(read: Reader, script: Writer) -> None:
    found = read(
        script(
            blog(
                posting("2026-05-04T11:00:00+02:00", "<p>It rains&nbsp;on.</p><p>And on.</p>", "Still &amp; wet"),
                posting("2026-05-04T10:00:00+02:00", "It rains."),
            )
        )
    )
    assert found.liveBlogUpdates == [
        LiveUpdate("2026-05-04T11:00:00+02:00", "Still & wet", "It rains on.\nAnd on."),
        LiveUpdate("2026-05-04T10:00:00+02:00", None, "It rains."),
    ]
    assert found.sources["liveBlogUpdates"] == "json_ld"
    assert found.headline == "Rain in Spain: live"


def test_resolves_entries_by_reference(read: Reader, script: Writer) -> None:
    graph = [blog({"@id": "#one"}), {"@id": "#one", **posting("2026-05-04T10:00:00Z", "It rains.")}]
    (update,) = read(script({"@graph": graph})).liveBlogUpdates or []
    assert update.articleBody == "It rains."


@pytest.mark.parametrize(
    "updates", [[], [None], [5, "x"], [{}], [posting("soon", "It rains.")], [{"datePublished": "2026-05-04"}]]
)
def test_says_nothing_without_times_or_texts(read: Reader, script: Writer, updates: list[object]) -> None:
    assert read(script(blog(*updates))).liveBlogUpdates is None


def test_keeps_a_clock_without_a_day(read: Reader, script: Writer) -> None:
    found = read(script(blog(posting("2026-05-04T10:00:00Z", "It rains."), posting("11:00", "And on."))))
    assert [update.datePublished for update in found.liveBlogUpdates or ()] == ["2026-05-04T10:00:00+00:00", "11:00"]
