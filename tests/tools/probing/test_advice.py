"""Which sources are recommended, and how often to read them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.sites.site_list import read_sites
from newsextract.tools.probing.advice import advise, site_block
from newsextract.tools.probing.fetched_site import FoundSource
from newsextract.tools.probing.source_quality import judge_sources
from tests.tools.probing.test_sources import NOW, entry

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.tools.probing.advice import Advice
    from newsextract.tools.probing.fetched_site import SourceKind

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


@pytest.mark.parametrize(
    ("sources", "discover", "urls"),
    [
        ([source("feed", HOURLY), source("sitemap", HOURLY), LINKS], ("feeds",), ["feed"]),
        ([source("feed", range(0, 48, 4)), source("sitemap", HOURLY), LINKS], ("sitemaps",), []),
        ([source("feed", range(24)), source("feed", range(24, 48), "more")], ("feeds",), ["feed", "more"]),
        ([source("feed", range(0, 48, 2)), source("sitemap", range(1, 48, 2))], ("feeds", "sitemaps"), ["feed"]),
        ([source("feed", [24 * 40]), source("sitemap", HOURLY)], ("sitemaps",), []),
        ([source("sitemap", HOURLY, is_dated=False), LINKS], ("links",), []),
        ([source("feed", HOURLY, is_dated=False), LINKS], ("feeds", "links"), ["feed"]),
        ([LINKS], ("links",), []),
        ([source("sitemap", HOURLY, is_dated=False)], ("sitemaps",), []),
    ],
    ids=[
        "the feed knows all",
        "the sitemap knows more",
        "two feeds complete each other",
        "none is enough",
        "the feed is stale",
        "the sitemap dates nothing",
        "the feed dates nothing",
        "links only",
        "nothing else is there",
    ],
)
def test_the_fewest_sources_that_know_what_is_new_are_recommended(
    sources: list[FoundSource], discover: tuple[str, ...], urls: list[str]
) -> None:
    advice = advised(*sources)
    assert advice.discover == discover
    assert sorted(advice.feeds) == [f"https://a.example/{url}" for url in urls]


def test_a_site_that_rested_for_a_week_is_judged_by_what_it_had_before() -> None:
    quiet = [24 * 7 + hour for hour in range(48)]
    assert advised(source("feed", quiet), LINKS).discover == ("feeds",)


def test_links_are_left_out_where_they_lead_nowhere() -> None:
    undated = source("sitemap", HOURLY, is_dated=False)
    assert advised(undated, LINKS, follows_links=False).discover == ("sitemaps",)
    assert advise(judge_sources([LINKS], NOW), follows_links=False) is None


@pytest.mark.parametrize(
    ("every_hours", "schedule"), [(0.2, "15m"), (0.5, "30m"), (1, "1h"), (2, "3h"), (6, "6h"), (20, "12h"), (30, "1d")]
)
def test_the_schedule_follows_the_rate_of_articles(every_hours: float, schedule: str) -> None:
    entries = tuple(entry(number, number * every_hours, "feed") for number in range(200))
    assert advised(FoundSource("feed", "https://a.example/feed", entries)).schedule_text == schedule


def test_a_feed_that_forgets_soon_is_read_more_often() -> None:
    advice = advised(FoundSource("feed", "https://a.example/feed", tuple(entry(n, n / 4) for n in range(3))))
    assert advice.schedule == timedelta(minutes=15)
    assert "forgets" in advice.reasons[1]


def test_a_news_sitemap_is_named_where_there_are_others() -> None:
    news, archive = source("news_sitemap", HOURLY), source("sitemap", [*HOURLY, 99])
    assert advised(news, archive).sitemaps == ("https://a.example/news_sitemap",)
    assert advised(news).sitemaps == ()


@pytest.mark.parametrize("language", ["en", "no", "pt-BR", None, "not a language"])
@pytest.mark.parametrize(
    "sources", [[source("feed", HOURLY)], [source("news_sitemap", HOURLY), source("sitemap", [99])], [LINKS]]
)
def test_the_block_is_one_that_the_crawl_reads(
    sources: list[FoundSource], language: str | None, tmp_path: Path
) -> None:
    advice = advised(*sources)
    file = tmp_path / "sites.yml"
    file.write_text(site_block("https://a.example/?a=1&b=%C3%A9", advice, language), "utf-8")
    (site,) = read_sites(str(file))
    assert site.home == "https://a.example/?a=1&b=%C3%A9"
    assert site.discover == frozenset(advice.discover)
    assert site.feeds == advice.feeds
    assert site.sitemaps == advice.sitemaps
    assert site.schedule == advice.schedule
    assert site.languages == ((language,) if language not in (None, "not a language") else ())
