"""The figures of a site, from its pages."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from newsextract.article import Article, Author, ExtractionReport
from newsextract.newsroom.health.figures import SiteCount, SiteFigures
from newsextract.reading.notices import Notice, NoticeCode, PageState

SEEN = datetime(2026, 5, 20, 12, tzinfo=UTC)


def counted(*articles: Article, is_new: bool = True) -> SiteFigures:
    count = SiteCount("a.example")
    for article in articles:
        count.note_page(PageState.ARTICLE, "", was_for_article=True)
        count.note_article(article, SEEN, is_new=is_new)
    return count.figures(is_whole=True)


def test_pages_are_counted_by_state_and_by_what_they_were_to_be() -> None:
    count = SiteCount("a.example")
    count.note_page(PageState.LISTING, "home page", was_for_article=False)
    count.note_page(PageState.EMPTY, "no main content", was_for_article=True)
    count.note_page(PageState.ERROR, "http 500", was_for_article=True)
    count.note_source("")
    count.note_source("http 404")
    figures = count.figures(is_whole=False)
    assert (figures.states, figures.barren) == ({"listing": 1, "empty": 1, "error": 1}, 1)
    assert figures.reasons == {"empty: no main content": 1, "error: http 500": 1}
    assert (figures.asked, figures.failed, figures.empty_rate, figures.is_whole) == (5, 2, 1.0, False)


def test_what_articles_lack_is_counted() -> None:
    full = Article(
        "https://a.example/1", headline="One", datePublished="2026-05-19", authors=[Author("Ann Lee", "Ann Lee")]
    )
    bare = Article("https://a.example/2", wordCount=90, extraction=ExtractionReport("auto", 0.2))
    figures = counted(full, bare, bare)
    assert (figures.articles, figures.new, figures.read) == (3, 3, 3)
    assert (figures.undated, figures.unsigned, figures.untitled) == (2, 2, 2)
    assert figures.median_words == 90
    assert counted(bare, is_new=False).new == 0


def test_warnings_of_the_sites_memory_are_counted_by_what_they_tell() -> None:
    warnings = [
        Notice(NoticeCode.MISPLACED, part="body", place="div"),
        Notice(NoticeCode.LAYOUT_CHANGED, shape="/x"),
        "site memory: the date is not at its usual place, div",  # in the words of an extractor from outside
    ]
    figures = counted(
        Article("https://a.example/1", extraction=ExtractionReport("auto", 0.9, facts=(*warnings, "odd")))
    )
    assert (figures.misplaced, figures.layout_changes) == ({"body": 1}, 1)


@pytest.mark.parametrize(
    ("published", "delay"),
    [
        ("2026-05-20T13:00:00+02:00", 3600),
        ("2026-05-20T11:30:00Z", 1800),
        ("2026-05-20", None),
        ("2026-05-20T11:00:00", None),
        ("2026-05-01T11:00:00Z", None),
        ("2026-05-20T13:00:00Z", None),
        (None, None),
    ],
)
def test_the_delay_is_known_where_a_time_of_day_with_offset_is_stated(published: str | None, delay: int | None) -> None:
    figures = counted(Article("https://a.example/1", datePublished=published))
    assert (figures.median_delay, figures.delays) == (delay, int(delay is not None))


def test_figures_survive_json_of_another_version() -> None:
    figures = counted(Article("https://a.example/1"))
    assert SiteFigures.from_json(asdict(figures)) == figures
    assert SiteFigures.from_json({"articles": 3, "of the future": 1}) == SiteFigures(articles=3)
