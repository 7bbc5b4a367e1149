"""Rating sources: their freshness, their rate, and what they share.

Pages that a reader without a browser finds empty, and pages that ask for consent.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.page.urls import url_key
from newsextract.reading.script_need import script_need
from newsextract.sites.article_address import Candidate
from newsextract.sites.site import Site
from newsextract.tools.probe import is_consent_page
from newsextract.tools.site_sources import FoundSource, advise, best_samples, judge_sources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.tools.site_sources import Advice, SourceKind

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def entry(number: int, hours: float | None, source: SourceKind = "feed") -> Candidate:
    date = None if hours is None else NOW - timedelta(hours=hours)
    return Candidate(f"https://a.example/2026/05/20/a-story-of-five-words-{number}.html", source, date)


def found(kind: SourceKind, *hours: float | None) -> FoundSource:
    entries = tuple(entry(number, age, kind) for number, age in enumerate(hours))
    return FoundSource(kind, f"https://a.example/{kind}", entries)


def test_it_tells_the_age_of_the_newest_entry() -> None:
    (verdict,) = judge_sources([found("feed", 5, 1, 3)], NOW)
    assert verdict.newest == timedelta(hours=1)


@pytest.mark.parametrize(("hours", "per_day"), [
    ((1, 6, 12), 6.0),  # three in half a day
    ((1, 24 * 7, 24 * 100), 2 / 14),  # two in the last two weeks, and one long ago
    ((24 * 100,), 0.0),
    ((0.01,), 24.0),  # of one new article no more is known than that it came within the hour
])  # fmt: skip
def test_it_counts_articles_a_day_in_the_time_that_the_source_reaches_back(
    hours: tuple[float, ...], per_day: float
) -> None:
    (verdict,) = judge_sources([found("feed", *hours)], NOW)
    assert verdict.per_day == pytest.approx(per_day)


def test_dates_that_are_those_of_the_file_tell_nothing() -> None:
    (verdict,) = judge_sources([found("sitemap", *[2.0] * 20)], NOW)
    assert verdict.dates == ()
    assert verdict.newest is None
    assert verdict.per_day is None


def test_of_links_those_count_that_look_like_articles_or_were_read_as_such() -> None:
    names = ("world", "ferry-closes.html", "mayor-resigns.html")
    links = (entry(1, None, "links"), *(Candidate(f"https://a.example/{name}", "links") for name in names))
    samples = {"a.example/ferry-closes.html": True, "a.example/world": False}
    samples = {url_key(f"https://{url}"): is_read for url, is_read in samples.items()}
    (verdict,) = judge_sources([FoundSource("links", "https://a.example/", links)], NOW, samples)
    assert (verdict.articles, verdict.fetched, len(verdict.keys)) == (1, 2, 2)


def test_the_newest_articles_of_the_site_come_first_and_once() -> None:
    elsewhere = Candidate("https://b.example/2026/05/20/a-story-of-other-people.html", "feed", NOW)
    sources = [found("links", None), FoundSource("feed", "https://a.example/f", (elsewhere, entry(3, 2), entry(0, 5)))]
    newest = best_samples(sources, Site("https://a.example/"))
    assert [candidate.url[-6:] for candidate in newest] == ["3.html", "0.html"]
    assert newest[1].date is not None


TEXT = "<p>" + "The mayor of the town opened the bridge that its people had asked for. " * 10 + "</p>"
BANNER = "<div>We use cookies. <button>Accept all</button> <a href=/privacy>Our partners and your consent</a></div>"


@pytest.mark.parametrize(("html", "signs"), [
    ('<div id="root"></div><script src="/app.js"></script>', {"an empty root for an app"}),
    ("<app-root></app-root>", {"an empty root for an app"}),
    ("<noscript>Please turn on JavaScript.</noscript>", {"asks to turn JavaScript on"}),
    (
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"a": 1}</script>',
        {"an empty root for an app", "its content is JSON for a script"},
    ),
    ("<script>window.__INITIAL_STATE__ = {}</script>", {"its content is JSON for a script"}),
])  # fmt: skip
def test_an_empty_shell_needs_a_browser(html: str, signs: set[str]) -> None:
    need = script_need(Page(f"<html><head><title>News</title></head><body>{html}</body></html>"))
    assert need is not None
    assert set(need.signs) == signs


@pytest.mark.parametrize(
    "html",
    [
        f'<div id="__next">{TEXT}</div><script id="__NEXT_DATA__">{{}}</script>',
        f"{TEXT}<noscript>Please turn on JavaScript.</noscript>",
        "<h1>Not found</h1>",
        "",
    ],
    ids=["rendered by the server", "text and a hint", "short, and no app", "empty"],
)
def test_other_pages_do_not(html: str) -> None:
    assert script_need(Page(f"<html><body>{html}</body></html>")) is None


@pytest.mark.parametrize(("html", "url"), [
    (BANNER + "<p>We value your privacy, and need your consent to go on to the news.</p>", "https://a.example/"),
    (TEXT, "https://consent.a.example/gate"),
    (TEXT, "https://a.example/consent?to=/"),
])  # fmt: skip
def test_a_consent_page_asks_for_consent_instead_of_showing_the_news(html: str, url: str) -> None:
    assert is_consent_page(Page(f"<html><body>{html}</body></html>", url))


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (BANNER + TEXT * 5, "https://a.example/"),
        (BANNER + "".join(f'<a href="/{n}">A headline of five words</a>' for n in range(30)), "https://a.example/"),
        (f"<article>{BANNER}<p>A short note on the cookies of the town's bakery.</p></article>", "https://a.example/1"),
        (TEXT, "https://a.example/politics/2026/the-consent-of-the-governed"),
    ],
    ids=["a banner above the news", "a banner above headlines", "an article on cookies", "an article on consent"],
)
def test_a_banner_is_no_consent_page(html: str, url: str) -> None:
    assert not is_consent_page(Page(f"<html><body>{html}</body></html>", url))


HOURLY = range(48)
"""Two days with an article an hour."""


def source(kind: SourceKind, hours: Iterable[int], name: str = "", *, is_dated: bool = True) -> FoundSource:
    entries = tuple(entry(hour, hour if is_dated else None, kind) for hour in hours)
    return FoundSource(kind, f"https://a.example/{name or kind}", entries)


def advised(*sources: FoundSource, follows_links: bool = True) -> Advice:
    advice = advise(judge_sources(sources, NOW), follows_links=follows_links)
    assert advice is not None
    return advice


LINKS = source("links", range(5), is_dated=False)


ADVICE: dict[str, tuple[list[FoundSource], tuple[str, ...], list[str]]] = {
    "the feed knows all": ([source("feed", HOURLY), source("sitemap", HOURLY), LINKS], ("feeds",), ["feed"]),
    "the sitemap knows more": ([source("feed", range(0, 48, 4)), source("sitemap", HOURLY), LINKS], ("sitemaps",), []),
    "two feeds complete each other": (
        [source("feed", range(24)), source("feed", range(24, 48), "more")],
        ("feeds",),
        ["feed", "more"],
    ),
    "none is enough": (
        [source("feed", range(0, 48, 2)), source("sitemap", range(1, 48, 2))],
        ("feeds", "sitemaps"),
        ["feed"],
    ),
    "the feed is stale": ([source("feed", [24 * 40]), source("sitemap", HOURLY)], ("sitemaps",), []),
    "the sitemap dates nothing": ([source("sitemap", HOURLY, is_dated=False), LINKS], ("links",), []),
    "the feed dates nothing": ([source("feed", HOURLY, is_dated=False), LINKS], ("feeds", "links"), ["feed"]),
    "links only": ([LINKS], ("links",), []),
    "nothing else is there": ([source("sitemap", HOURLY, is_dated=False)], ("sitemaps",), []),
}


@pytest.mark.parametrize(("sources", "discover", "urls"), ADVICE.values(), ids=ADVICE)
def test_the_fewest_sources_that_know_what_is_new_are_recommended(
    sources: list[FoundSource], discover: tuple[str, ...], urls: list[str]
) -> None:
    advice = advised(*sources)
    assert advice.discover == discover
    assert sorted(advice.feeds) == [f"https://a.example/{url}" for url in urls]


def test_links_are_left_out_where_they_lead_nowhere() -> None:
    undated = source("sitemap", HOURLY, is_dated=False)
    assert advised(undated, LINKS, follows_links=False).discover == ("sitemaps",)
    assert advise(judge_sources([LINKS], NOW), follows_links=False) is None


@pytest.mark.parametrize(
    ("every_hours", "schedule"), [(0.2, "15m"), (0.5, "30m"), (1, "1h"), (2, "3h"), (6, "6h"), (20, "12h"), (30, "1d")]
)
def test_the_schedule_follows_the_rate_of_articles(every_hours: float, schedule: str) -> None:
    entries = tuple(entry(number, number * every_hours, "feed") for number in range(200))
    assert advised(FoundSource("feed", "https://a.example/feed", entries)).schedule == schedule


def test_a_news_sitemap_is_named_where_there_are_others() -> None:
    news, archive = source("news_sitemap", HOURLY), source("sitemap", [*HOURLY, 99])
    assert advised(news, archive).sitemaps == ("https://a.example/news_sitemap",)
    assert advised(news).sitemaps == ()
