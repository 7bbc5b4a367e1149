"""What the newsroom promises about its stories, before anything is served."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from newsextract.tools.demo import DemoNewsroom, build_newsroom
from newsextract.tools.demo.pages import respond, routes

TODAY = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)
BASES = ("http://one.test/", "http://two.test/", "http://three.test/")


def all_bytes(newsroom: DemoNewsroom) -> list[bytes]:
    tables = [(site, routes(site)) for site in newsroom.sites]
    return [respond(site, table, path, "http://a.test").body for site, table in tables for path in table]


def test_same_seed_and_day_give_the_same_bytes(newsroom: DemoNewsroom) -> None:
    assert all_bytes(newsroom) == all_bytes(build_newsroom(seed=1, today=TODAY))


def test_another_seed_gives_other_stories(newsroom: DemoNewsroom) -> None:
    assert build_newsroom(seed=2, today=TODAY).articles(BASES) != newsroom.articles(BASES)


def test_each_of_three_languages_has_forty_articles(newsroom: DemoNewsroom) -> None:
    languages = Counter(article.language for article in newsroom.articles(BASES))
    assert languages == {"en": 40, "fr": 40, "zh": 40}


def test_no_two_articles_share_an_address_a_headline_or_a_paragraph(newsroom: DemoNewsroom) -> None:
    articles = newsroom.articles(BASES)
    assert len({article.url for article in articles}) == 120
    assert len({article.headline for article in articles}) == 120
    owners = Counter(
        line
        for site in newsroom.sites
        for story in site.stories
        for piece in story.body
        for line in piece.lines
        if piece.kind == "paragraph"
    )
    assert max(owners.values()) == 1


def test_paragraphs_have_the_length_of_real_ones(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        for story in site.stories:
            paragraphs = [piece.lines[0] for piece in story.body if piece.kind == "paragraph"]
            assert 4 <= len(paragraphs) <= 12
            if site.vocabulary.language == "zh":
                assert all(80 <= len(paragraph) <= 250 for paragraph in paragraphs)
            else:
                assert all(40 <= len(paragraph.split()) <= 120 for paragraph in paragraphs)


def test_no_template_is_left_unfilled(newsroom: DemoNewsroom) -> None:
    for article in newsroom.articles(BASES):
        words = "\n".join((article.text, article.headline, article.description, *article.captions))
        assert not set("{}[]|") & set(words)


def test_noise_is_in_no_story(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        articles = site.articles("http://a.test")
        words = "\n".join(text for article in articles for text in (article.text, article.description))
        assert [phrase for phrase in site.noise if phrase in words] == []


def test_every_kind_of_piece_occurs_on_every_site(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        kinds = {piece.kind for story in site.stories for piece in story.body}
        assert kinds == {"paragraph", "heading", "quote", "list", "table", "image"}


def test_dates_span_the_last_thirty_days_in_the_zone_of_the_site(newsroom: DemoNewsroom) -> None:
    zones = [timedelta(hours=hours) for hours in (-4, 2, 8)]
    for site, zone in zip(newsroom.sites, zones, strict=True):
        dates = [datetime.fromisoformat(article.date_published) for article in site.articles("http://a.test")]
        assert dates == sorted(dates, reverse=True)
        assert {date.utcoffset() for date in dates} == {zone}
        assert TODAY - timedelta(days=30) <= dates[-1] < TODAY - timedelta(days=28)
        assert TODAY - timedelta(days=2) < dates[1] < dates[0] < TODAY


@pytest.mark.parametrize("today", [None, datetime(2026, 5, 20)])  # noqa: DTZ001 - a day without a zone
def test_the_day_may_be_left_out_or_lack_a_zone(today: datetime | None) -> None:
    assert len(build_newsroom(today=today).articles(BASES)) == 120
