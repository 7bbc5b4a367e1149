from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Breadcrumb

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]

HOST = "https://www.example.com"
TITLE = "<title>Rain in Spain stays on the plain</title><h1>Rain in Spain stays on the plain</h1>"


def article(**fields: Any) -> dict[str, Any]:
    return {"@type": "NewsArticle", "headline": "Rain in Spain stays on the plain", **fields}


def trail(*steps: tuple[str | None, str | None]) -> dict[str, Any]:
    items = [{"@type": "ListItem", "position": n, "name": name, "item": url} for n, (name, url) in enumerate(steps)]
    return {"@type": "BreadcrumbList", "itemListElement": items}


@pytest.mark.parametrize(
    ("stated", "section"),
    [
        ("Politics", "Politics"),
        (["World", "Europe"], "World"),
        ("News, Bay Area & State", "News"),
        ("Culture &amp; Arts", "Culture & Arts"),
        ("Politique", "Politique"),
        ("国际", "国际"),
        ("Category: Films", "Films"),
        ("Uncategorized", None),
        ("Articles", None),
        ("12.5", None),
        ("https://www.example.com/news", None),
        ("Rain in Spain stays on the plain", None),
        ("What the weather does to people and plains, and what they do to it", None),
        (None, None),
        ({"@type": "Thing"}, None),
    ],
)
def test_reads_the_section(read: Reader, script: Writer, stated: object, section: str | None) -> None:
    assert read(TITLE + script(article(articleSection=stated))).section == section


@pytest.mark.parametrize("name", ["article:section", "og:section", "parsely-section", "section", "prism.section"])
def test_reads_the_section_of_meta_tags(read: Reader, name: str) -> None:
    found = read(f'<meta name="{name}" content="Politik">')
    assert (found.section, found.sources["section"]) == ("Politik", "meta_tags")


def test_the_step_before_the_page_is_its_section(read: Reader, script: Writer) -> None:
    steps = trail(("Home", f"{HOST}/"), ("News", f"{HOST}/news"), ("Weather", f"{HOST}/w"), (TITLE[7:39], None))
    found = read(TITLE + script(steps))
    assert [step.name for step in found.breadcrumbs or ()] == ["Home", "News", "Weather"]
    assert (found.section, found.sources["section"]) == ("Weather", "json_ld")


@pytest.mark.parametrize(
    "last", [(TITLE[7:39], None), ("Now", f"{HOST}/news/rain-in-spain?a=1"), (None, f"{HOST}/news/rain-in-spain")]
)
def test_a_trail_ends_before_the_page(read: Reader, script: Writer, last: tuple[str | None, str | None]) -> None:
    found = read(TITLE + script(trail(("Weather", f"{HOST}/w"), last)))
    assert found.breadcrumbs == [Breadcrumb("Weather", f"{HOST}/w")]


def test_a_trail_of_nothing_but_home_is_none(read: Reader, script: Writer) -> None:
    found = read(TITLE + script(trail(("Home", f"{HOST}/"), (TITLE[7:39], None))))
    assert (found.breadcrumbs, found.section) == (None, None)


def test_a_better_trail_is_asked_for(read: Reader, script: Writer) -> None:
    visible = '<nav class="breadcrumb"><a href="/">Home</a><a href="/w">Weather</a></nav>'
    found = read(TITLE + script(trail(("Home", f"{HOST}/"))) + visible)
    assert found.breadcrumbs
    assert found.breadcrumbs[-1] == Breadcrumb("Weather", f"{HOST}/w")
    assert found.sources["breadcrumbs"] == "trail"


@pytest.mark.parametrize(
    ("stated", "keywords"),
    [
        ("rain, Spain,, Rain ,plain", ("rain", "Spain", "plain")),
        ("rain; Spain | plain", ("rain", "Spain", "plain")),
        ("#rain #Spain", ("rain", "Spain")),
        ("天气，西班牙、平原", ("天气", "西班牙", "平原")),
        (["Washington, D.C.", "rain"], ("Washington, D.C.", "rain")),
        (["rain, Spain, plain", "sun"], ("rain", "Spain", "plain", "sun")),
        (["Category: Rain", "tag: Spain"], ("Rain", "Spain")),
        ('["rain","Spain"]', ("rain", "Spain")),
        (["_hero", "type=story", "ns:Story", "a_b_c", "20231224", "rain"], ("rain",)),
        (["Rain in Spain stays on the plain", "rain"], ("rain",)),
        ("COVID-19, G7, 5G", ("COVID-19", "G7", "5G")),
        ("", ()),
        (["", None, 5], ()),
    ],
)
def test_cleans_keywords(read: Reader, script: Writer, stated: object, keywords: tuple[str, ...]) -> None:
    assert read(TITLE + script(article(keywords=stated))).keywords == (list(keywords) or None)


def test_a_description_that_repeats_the_title_is_none(read: Reader, script: Writer) -> None:
    title = "Rain in Spain stays on the plain"
    metas = f'<meta property="og:description" content="{title}"><meta name="description" content="It falls.">'
    found = read(TITLE + metas + script(article(description=title)))
    assert (found.description, found.sources["description"]) == ("It falls.", "meta_tags")
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("publisher", "name"),
    [
        ({"@type": "Organization", "name": "The Plain"}, "The Plain"),
        ([{"@id": "#org"}], "The Graph"),
        ("The Text", "The Text"),
        ("https://www.example.com/", None),
        ("@plain", None),
        ({"@id": "#nobody"}, None),
    ],
)
def test_names_the_publisher_or_nobody(read: Reader, script: Writer, publisher: object, name: str | None) -> None:
    graph = [article(publisher=publisher), {"@type": "Organization", "@id": "#org", "name": "The Graph", "url": "/"}]
    assert read(script({"@graph": graph})).publisher == name


@pytest.mark.parametrize(
    "text", ["a_" * 50_000 + "!", "a@." * 50_000, "a," * 200_000, "#a " * 100_000, "&amp;" * 50_000]
)
def test_survives_hostile_labels(read: Reader, text: str) -> None:
    names = ("keywords", "article:section", "og:site_name", "description")
    found = read("".join(f'<meta name="{name}" content="{text}">' for name in names))
    assert len(found.keywords or ()) <= 50
    assert (found.section, found.publisher) == (None, None)
