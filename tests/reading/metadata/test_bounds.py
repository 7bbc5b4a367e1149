"""Hostile pages: whatever they repeat, nest or refer to is read in bounded time.

Each of them took seconds or minutes once; the timeout of the suite would show it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lxml.etree import ParserError

from newsextract.reading.metadata.bylines import split_byline
from newsextract.reading.metadata.comparing import fold
from newsextract.reading.metadata.json_ld import load_values

if TYPE_CHECKING:
    from tests.reading.metadata.conftest import Reader, Writer


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
        [
            {"@id": "x", "q": 1, "isAccessibleForFree": ["?"] * 9_000},
            *articles(hasPart=[{"@id": "x"}] * 100),
        ],
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
