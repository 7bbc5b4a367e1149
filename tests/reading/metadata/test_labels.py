"""Sections, keywords, publishers, canonical URLs and headlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Breadcrumb
from newsextract.page.page import Hints, Page
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.metadata.titles import site_keys, without_affixes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.reading.metadata.conftest import Reader, Writer


HOST = "https://www.example.com"
TITLE = "<title>Rain in Spain stays on the plain</title><h1>Rain in Spain stays on the plain</h1>"


def article(**fields: Any) -> dict[str, Any]:
    return {"@type": "NewsArticle", "headline": "Rain in Spain stays on the plain", **fields}


def trail(*steps: tuple[str | None, str | None]) -> dict[str, Any]:
    items = [{"@type": "ListItem", "position": n, "name": name, "item": url} for n, (name, url) in enumerate(steps)]
    return {"@type": "BreadcrumbList", "itemListElement": items}


@pytest.mark.parametrize(("stated", "section"), [
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
])  # fmt: skip
def test_reads_the_section(read: Reader, script: Writer, stated: object, section: str | None) -> None:
    assert read(TITLE + script(article(articleSection=stated))).section == section


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


def test_a_better_trail_is_asked_for(read: Reader, script: Writer) -> None:
    visible = '<nav class="breadcrumb"><a href="/">Home</a><a href="/w">Weather</a></nav>'
    found = read(TITLE + script(trail(("Home", f"{HOST}/"))) + visible)
    assert found.breadcrumbs
    assert found.breadcrumbs[-1] == Breadcrumb("Weather", f"{HOST}/w")
    assert found.sources["breadcrumbs"] == "trail"


@pytest.mark.parametrize(("stated", "keywords"), [
    ("rain, Spain,, Rain ,plain", ("rain", "Spain", "plain")),
    ("rain; Spain | plain", ("rain", "Spain", "plain")),
    ("#rain #Spain", ("rain", "Spain")),
    ("天气，西班牙、平原", ("天气", "西班牙", "平原")),
    ("天气 西班牙 平原", ("天气", "西班牙", "平原")),
    (["Washington, D.C.", "rain"], ("Washington, D.C.", "rain")),
    (["rain, Spain, plain", "sun"], ("rain", "Spain", "plain", "sun")),
    (["Category: Rain", "tag: Spain"], ("Rain", "Spain")),
    ('["rain","Spain"]', ("rain", "Spain")),
    (["_hero", "type=story", "ns:Story", "a_b_c", "20231224", "rain"], ("rain",)),
    (["Rain in Spain stays on the plain", "rain"], ("rain",)),
    ("COVID-19, G7, 5G", ("COVID-19", "G7", "5G")),
    ("", ()),
    (["", None, 5], ()),
])  # fmt: skip
def test_cleans_keywords(read: Reader, script: Writer, stated: object, keywords: tuple[str, ...]) -> None:
    assert read(TITLE + script(article(keywords=stated))).keywords == (list(keywords) or None)


def test_a_description_that_repeats_the_title_is_none(read: Reader, script: Writer) -> None:
    title = "Rain in Spain stays on the plain"
    metas = f'<meta property="og:description" content="{title}"><meta name="description" content="It falls.">'
    found = read(TITLE + metas + script(article(description=title)))
    assert (found.description, found.sources["description"]) == ("It falls.", "meta_tags")
    assert found.warnings == ()


@pytest.mark.parametrize(("publisher", "name"), [
    ({"@type": "Organization", "name": "The Plain"}, "The Plain"),
    ([{"@id": "#org"}], "The Graph"),
    ("The Text", "The Text"),
    ("https://www.example.com/", None),
    ("@plain", None),
    ({"@id": "#nobody"}, None),
])  # fmt: skip
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


OWN = "https://www.example.com/news/rain"


@pytest.mark.parametrize(("href", "reason"), [
    ("https://www.example.com/", "a home page"),
    ("https://www.example.com/index.html", "a home page"),
    ("https://www.example.com/en/", "a home page"),
    ("https://www.example.com/?utm_source=x", "a home page"),
    ("https://other.example.org", "a home page"),
    ("https://other.example.org/de-ch/", "a home page"),
    ("https://www.example.com/{{ article.url }}", "a template"),
    ("https://www.example.com/news/undefined", "a template"),
    ("http://localhost:3000/news/rain", "not an address of the public web"),
    ("http://10.0.3.7/news/rain", "not an address of the public web"),
    ("http://backend/news/rain", "not an address of the public web"),
    ("http://[", "not an address of the web"),
    ("about:blank", "not an address of the web"),
])  # fmt: skip
def test_refuses_what_cannot_be_the_page(read: Reader, href: str, reason: str) -> None:
    found = read(f'<link rel="canonical" href="{href}">', OWN)
    assert found.canonicalUrl is None
    assert any(w.startswith("canonicalUrl: meta_tags says") and reason in w for w in found.warnings)


@pytest.mark.parametrize("href", [
    "https://www.example.com/news/rain", "https://m.example.com/rain", "https://agency.example.org/2023/rain",
    "https://www.example.com/?p=12", "https://www.example.com/en/rain",
])  # fmt: skip
def test_keeps_another_address_of_the_page(read: Reader, href: str) -> None:
    assert read(f'<link rel="canonical" href="{href}">', OWN).canonicalUrl == href


@pytest.mark.parametrize("own", ["https://example.com/en/", "http://www.example.com"])
def test_a_home_page_has_its_own(read: Reader, own: str) -> None:
    assert read(f'<link rel="canonical" href="{own}">', own).canonicalUrl == own


def test_asks_the_next_source_after_a_refusal(read: Reader) -> None:
    found = read(f'<link rel="canonical" href="/"><meta property="og:url" content="{OWN}">', OWN)
    assert found.canonicalUrl == OWN


@pytest.mark.parametrize(("title", "url"), [
    ("Rain - it falls in Spain | The Daily Plain", "https://www.dailyplain.com/a"),
    ("The Daily Plain: Rain - it falls in Spain", "https://www.thedailyplain.com/a"),
    ("Rain - it falls in Spain | News | Daily Plain", "https://dailyplain.co.uk/a"),
    ("Rain - it falls in Spain :: DAILY PLAIN", "https://daily-plain.com/a"),
    ("Rain - it falls in Spain - DAILYPLAIN.COM", "https://dailyplain.com/a"),
    ("Rain - it falls in Spain « DP", "https://dp.example/a"),
])  # fmt: skip
def test_cuts_the_name_that_the_domain_spells(title: str, url: str) -> None:
    bare = without_affixes(title, site_keys((), url))
    assert bare.removesuffix(" | News") == "Rain - it falls in Spain"


@pytest.mark.parametrize("title", [
    "Rain - it falls in Spain", "Ann Lee | a life in rain", "Report: rain falls in Spain",
    "Rain-soaked Spain counts the cost", "Plainly: rain is coming – and it stays", "西班牙下雨——农民高兴",
])  # fmt: skip
def test_leaves_the_dashes_of_a_headline(title: str) -> None:
    assert without_affixes(title, site_keys(["Bleacher Report"], "https://www.dailyplain.com/a")) == title


@pytest.mark.parametrize(("title", "site"), [
    ("«Wir waren fast 40 Tage in Quarantäne»", "example.ch"), ("Rain - Reuters - floods kill 3", "reuters.com"),
    ("Time - a short history", "time.com"), ("Covid-19 : le point", "lepoint.fr"),
    ("Into the wild: nature", "nature.com"), ("BBC: staff to strike over pay", "bbc.com"),
])  # fmt: skip
def test_what_title_and_heading_say_whole_stays_whole(read: Reader, title: str, site: str) -> None:
    assert read(f"<title>{title}</title><h1>{title}</h1>", f"https://www.{site}/a").headline == title


def test_og_title_loses_the_site_that_json_ld_names(read: Reader, script: Callable[[object], str]) -> None:
    publisher = script({"@type": "WebSite", "name": "Der Regenbote"})
    found = read(f'{publisher}<meta property="og:title" content="Es regnet - viel | Der Regenbote">')
    assert found.headline == "Es regnet - viel"


def test_a_heading_confirms_what_is_left_of_a_title(read: Reader) -> None:
    found = read("<title>Rain in Spain: what to do | Weather blog of Ann</title><h1>Rain in Spain: what to do</h1>")
    assert found.headline == "Rain in Spain: what to do"


@pytest.mark.parametrize("heading", [
    '<h1><span class="kicker">Klimaschutz:</span> Bohren, bis es heiß wird</h1>',
    "<h1><small>02.02.2022</small> Bohren, bis es heiß wird</h1>",
    '<h1><span>Bohren, bis es heiß wird</span><span class="article-subline">Ein Bericht</span></h1>',
    "<h1>Wirtschaft Bohren, bis es heiß wird</h1>",
])  # fmt: skip
def test_a_kicker_is_no_part_of_the_headline(read: Reader, heading: str) -> None:
    found = read(f'<meta property="og:title" content="Bohren, bis es heiß wird">{heading}')
    assert found.headline == "Bohren, bis es heiß wird"


def test_what_readers_of_furigana_hear_is_no_part_of_the_headline(read: Reader) -> None:
    heading = "<h1>子<ruby>本<rt>ほん</rt></ruby>どもの読む</h1>"
    assert read(f"<title>子本どもの読む</title>{heading}").headline == "子本どもの読む"


def test_a_heading_that_holds_the_page_is_read_in_time(read: Reader) -> None:
    read("<h1>" + "<div>" * 3_000 + "Rain" + "</div>" * 3_000)


def test_a_lower_heading_that_begins_the_title_is_the_headline(read: Reader) -> None:
    title = "<title>Rain in Spain - All about the weather on the plain and in the hills</title>"
    body = f"<h1>Gazette</h1><h2>Rain in Spain</h2><p>{'It rains and rains. ' * 20}</p>"
    assert read(title + body).headline == "Rain in Spain"


@pytest.mark.parametrize("title", ["باران می\u200cبارد", "हिन्दी में क्\u200dष", "Rain 👨\u200d👩\u200d👧"])
def test_a_headline_keeps_the_joiners_that_shape_its_letters(read: Reader, title: str) -> None:
    assert read(f"<title>{title}</title><h1>\u200c{title}\u200d</h1>").headline == title


def test_a_feed_knows_the_headline_of_a_page_without_one() -> None:
    page = Page("<title>Plain</title><p>It rains.</p>", "https://plain.example/1", hints=Hints(title="Rain in Spain"))
    found = read_metadata(page)
    assert (found.headline, found.sources["headline"]) == ("Rain in Spain", "feed")
