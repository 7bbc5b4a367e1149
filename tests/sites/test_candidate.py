from __future__ import annotations

from datetime import UTC, datetime

from newsextract.sites.candidate import Candidate, rank

HEADLINE = "https://example.com/floods-close-three-alpine-passes"


def test_puts_articles_first_then_the_newest_and_the_undated_last() -> None:
    old, new = datetime(2024, 5, 13, tzinfo=UTC), datetime(2024, 5, 14, tzinfo=UTC)
    section = Candidate("https://example.com/world", "sitemap", new)
    undated = Candidate(HEADLINE, "links")
    older = Candidate(HEADLINE, "sitemap", old)
    newest = Candidate("https://example.com/short", "feed", new)
    assert sorted([section, undated, older, newest], key=rank) == [newest, older, undated, section]


def test_only_feeds_and_news_sitemaps_tell_of_the_article() -> None:
    fed = Candidate(HEADLINE, "feed", title="Floods", published="2024-05-14")
    assert fed.hints == {"title": "Floods", "date": "2024-05-14"}
    assert Candidate(HEADLINE, "news_sitemap", title="Floods").hints == {"title": "Floods"}
    assert Candidate(HEADLINE, "links", title="Read on").hints == Candidate(HEADLINE, "sitemap").hints == {}


def test_trusts_sources_that_list_only_articles() -> None:
    assert Candidate("https://example.com/x", "news_sitemap").is_article_like
    assert not Candidate("https://example.com/x", "sitemap").is_article_like
    assert Candidate("https://example.com/brief-note-alps", "links", title="Floods close three passes").is_article_like
