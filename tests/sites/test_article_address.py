"""Which URL an article is known by, whatever its page states, and which candidates are visited first."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from newsextract.article import Article, ExtractionReport
from newsextract.reading.notices import NoticeCode, noticed
from newsextract.reading.reader import read_article
from newsextract.sites.article_address import Candidate, address_of, disown, rank
from newsextract.sites.site import Site, SiteIndex
from tests.scrapy_runs import story

JSON_LD = {"@type": "NewsArticle", "headline": "Bridge 1", "url": "https://agency.example.org/bridge"}
OWN = "https://www.example.com/news/2026/05/20/the-mayor-opens-a-new-bridge.html"


@pytest.mark.parametrize("canonical", [
    "http://example.com/news/2026/05/20/the-mayor-opens-a-new-bridge.html",
    "https://www.example.com/city/the-mayor-opens-a-new-bridge-1234567",
    "https://m.example.com/12345",
    "https://www.example.com/?p=12345",
])  # fmt: skip
def test_a_canonical_url_on_the_same_site_is_believed(canonical: str) -> None:
    assert address_of(Article(OWN, canonical)) == canonical


@pytest.mark.parametrize("canonical", [
    "https://agency.example.org/the-mayor-opens-a-new-bridge", "https://example.com.evil.test/a",
    "http://www.example.com:8080/a", "https://www.example.com/", "https://www.example.com/news",
    "https://www.example.com/news/2026/", "not a url", "", None,
])  # fmt: skip
def test_else_the_url_that_was_fetched_counts(canonical: str | None) -> None:
    assert address_of(Article(OWN, canonical)) == OWN


@pytest.mark.parametrize(("own", "canonical"), [
    ("https://www.example.com/rain/amp", "https://www.example.com/rain"),
    ("https://www.example.com/rain?outputType=amp", "https://www.example.com/rain"),
    ("https://amp.example.com/rain/", "https://www.example.com/rain"),
    (OWN + "/amp/", OWN),
])  # fmt: skip
def test_amp_and_mobile_pages_are_the_article_s(own: str, canonical: str) -> None:
    assert address_of(Article(own, canonical)) == canonical


def test_the_list_of_sites_puts_hosts_together() -> None:
    sites = SiteIndex([Site("https://example.com/", more_starts=("https://exemple.test/",)), Site("https://b.test/")])
    ours, theirs = Article(OWN, "https://m.exemple.test/pont"), Article(OWN, "https://b.test/pont")
    assert address_of(ours) == OWN
    assert address_of(ours, sites) == ours.canonicalUrl
    assert address_of(theirs, sites) == OWN


def test_a_disowned_canonical_url_counts_no_longer_and_the_article_says_so() -> None:
    article = Article(OWN, "https://www.example.com/a", extraction=ExtractionReport("mss", 1.0))
    for _ in range(2):
        disown(article)
    assert address_of(article) == OWN
    assert article.extraction is not None
    assert article.extraction.warnings == [
        "canonicalUrl: the article is stored under its own URL, not under https://www.example.com/a"
    ]


@pytest.mark.parametrize("head", [
    '<link rel="canonical" href="https://agency.example.org/bridge">',
    '<meta property="og:url" content="https://agency.example.org/bridge">',
    f'<script type="application/ld+json">{json.dumps(JSON_LD)}</script>',
])  # fmt: skip
def test_a_foreign_canonical_url_stays_as_it_is_stated_with_a_notice(head: str) -> None:
    article = read_article(story(head=head), OWN)
    assert article.canonicalUrl == "https://agency.example.org/bridge"
    assert address_of(article) == OWN
    assert article.extraction is not None
    (notice,) = noticed(NoticeCode.OTHER_DOMAIN, article.extraction.noticed)
    assert str(notice) in article.extraction.warnings
    assert notice.values == {"domain": "example.org"}


HEADLINE = "https://example.com/floods-close-three-alpine-passes"


def test_puts_articles_first_then_the_newest_and_the_undated_last() -> None:
    old, new = datetime(2024, 5, 13, tzinfo=UTC), datetime(2024, 5, 14, tzinfo=UTC)
    section = Candidate("https://example.com/world", "sitemap", new)
    undated = Candidate(HEADLINE, "links")
    older = Candidate(HEADLINE, "sitemap", old)
    newest = Candidate("https://example.com/short", "feed", new)
    assert sorted([section, undated, older, newest], key=rank) == [newest, older, undated, section]


def test_trusts_sources_that_list_only_articles() -> None:
    assert Candidate("https://example.com/x", "news_sitemap").is_article_like
    assert not Candidate("https://example.com/x", "sitemap").is_article_like
    assert Candidate("https://example.com/brief-note-alps", "links", title="Floods close three passes").is_article_like
