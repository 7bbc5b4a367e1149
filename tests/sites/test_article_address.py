"""Which URL an article is known by, whatever its page states."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.article import Article, ExtractionReport
from newsextract.page.links import Link
from newsextract.reading.notices import NoticeCode, noticed
from newsextract.reading.reader import read_article
from newsextract.sites import frontier
from newsextract.sites.article_address import Candidate, address_of, disown, rank
from newsextract.sites.frontier import (
    MAX_LISTING_DEPTH,
    MAX_LISTINGS,
    MAX_OF_SHAPE,
    MAX_SOURCES_WITHOUT_FIND,
    VISITS_WITHOUT_ARTICLE,
    Frontier,
    TrapGuard,
    trap_of,
)
from newsextract.sites.site import Site, SiteIndex
from newsextract.sites.site_files import parse_date, parse_since
from tests.scrapy_runs import story
from tests.sites.frontiers import offer, take

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


TODAY = date(2026, 5, 14)
SITE = "https://example.com"

TRAPS = {
    "repeating path": ["/a/b/a/b/a/b/", "/news/news/news/news/", "/en/a/1/en/a/2/en/a/3", "/x/a/b/c/a/b/c/a/b/c/y"],
    "deep path": ["/" + "/".join(f"f{number}" for number in range(17))],
    "faceted search": [
        "/shop?color=red&color=blue&color=green&color=black",
        "/list?f[0]=a&f[1]=b&f[2]=c&f[3]=d",
        "/list?filter_color=a&filter_size=b&filter_brand=c&filter_price=d",
    ],
    "calendar": [
        "/2099/05/14/", "/1066/10/14", "/9999-12-31", "/events/2031/07/", "/en/calendar/2019-02", "/termine/2040/1/2/",
        "/day?date=2093-01-01", "/list?year=3000", "/events/?tribe-bar-date=2031-05-01", "/archive?date=20990101",
    ],
}  # fmt: skip

ARTICLES = """
    /2026/05/14/floods-close-three-alpine-passes.html /2016/12/12/12/ /2609-2/ /article/9876/2 /1789/07/14/
    /blogs/in-the-know/in-the-know/325006-trump-cruz-joke /news/news/detail/76066-erfurt /ethik/ethik/398805-von
    /story/sports/college/2023/12/12/former-star-jeff-hunter-keeps-busy/71885625007/ /2012/08/08/ /events/2026/05/14/
    /termine-whisky-tastings-januar-mai-2020-halle-saale/5805 /events/2019/05/14/a-night-in-the-museum
    /agenda/2019/05/51234 /a.html;jsessionid=B01BDCE4530EF0FB9BD52A2652C1F167.2_cid390 /?p=12345 /index.php?id=30&a=1
    /viewtopic.php?f=4&t=167&sid=58428beaa14598c2e02d93ad5c773e4d /news?year=2024&month=5 /date/1900-01-01
    /calendar/2025/11/ /index.php?id=30&tx_ttnews[year]=2012&tx_ttnews[month]=10&tx_ttnews[day]=3&tx_ttnews[tt_news]=477
    /book?title=a&title=b&title=c
""".split()


@pytest.mark.parametrize(("reason", "path"), [(reason, path) for reason, paths in TRAPS.items() for path in paths])
def test_names_the_trap(reason: str, path: str) -> None:
    assert trap_of(SITE + path, TODAY) == reason


@pytest.mark.parametrize("path", ARTICLES)
def test_lets_pass(path: str) -> None:
    assert trap_of(SITE + path, TODAY) is None


def test_leaves_out_what_is_like_many_that_gave_no_article() -> None:
    guard = TrapGuard("example.com")
    urls = [f"{SITE}/item/{number}?view=day" for number in range(MAX_OF_SHAPE + 10)]
    for url in urls[:VISITS_WITHOUT_ARTICLE]:
        assert guard.admit(url)
        guard.note_visit(url, is_article=False)
    assert sum(map(guard.admit, urls[VISITS_WITHOUT_ARTICLE:])) == MAX_OF_SHAPE - VISITS_WITHOUT_ARTICLE
    assert guard.counts == {"too many alike": 10}
    assert guard.admit(f"{SITE}/other/1")


def test_one_article_lets_all_like_it_pass() -> None:
    guard = TrapGuard("example.com")
    for number in range(MAX_OF_SHAPE * 2):
        assert guard.admit(f"{SITE}/item/{number}")
        guard.note_visit(f"{SITE}/item/{number}", is_article=number == 7)


def test_reads_no_sitemaps_that_name_only_sitemaps_without_end() -> None:
    frontier = Frontier("example.com")
    opened = 0
    while opened < MAX_SOURCES_WITHOUT_FIND * 2 and frontier.sources.open(f"{SITE}/{opened}.xml"):
        frontier.sources.close()
        opened += 1
    assert opened == MAX_SOURCES_WITHOUT_FIND
    assert frontier.guard.counts == {"sitemaps without end": 1}


def test_a_frontier_says_what_its_bounds_cut() -> None:
    frontier = Frontier("example.com")
    sections = [Link(f"{SITE}/section-{'abcdefghij'[n % 10]}{'abcdefghijklmnopqrstuvwxyz'[n // 10]}/", "World")
                for n in range(MAX_LISTINGS + 9)]  # fmt: skip
    assert len(frontier.sort_links(sections, 1)[0]) == MAX_LISTINGS
    assert frontier.sort_links([Link(f"{SITE}/far/", "Far")], MAX_LISTING_DEPTH + 1) == ([], [])
    assert frontier.guard.counts == {"listing limit": 9, "depth limit": 1}


def test_a_frontier_takes_from_sitemaps_what_links_may_not_give() -> None:
    frontier = Frontier("example.com")
    url = f"{SITE}/news/news/news/news/floods-close-three-alpine-passes.html"
    assert frontier.sort_links([Link(url, "Floods close three Alpine passes")], 1) == ([], [])
    offer(frontier, [Candidate(url, "sitemap")])
    assert [candidate.url for candidate in take(frontier)] == [url]


def test_sitemaps_that_each_list_a_page_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "MAX_SOURCES", 3)
    guard = TrapGuard("a.example")
    assert [guard.admit_source(f"https://a.example/{number}.xml") for number in range(4)] == [True, True, True, False]


NOW = datetime(2024, 5, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(("raw", "expected"), [
    ("2024", "2024-01-01T00:00:00+00:00"),
    ("2024-05", "2024-05-01T00:00:00+00:00"),
    ("2024-05-14", "2024-05-14T00:00:00+00:00"),
    ("20240514", "2024-05-14T00:00:00+00:00"),
    ("2024-05-14T08:30Z", "2024-05-14T08:30:00+00:00"),
    ("2024-05-14T08:30+02:00", "2024-05-14T08:30:00+02:00"),
    ("2024-05-14T08:30:15+0200", "2024-05-14T08:30:15+02:00"),
    ("2024-05-14T08:30:15.45-05:00", "2024-05-14T08:30:15.450000-05:00"),
    ("2024-05-14 08:30:15 +0200", "2024-05-14T08:30:15+02:00"),
    ("2024-05-14 08:30:15 UTC", "2024-05-14T08:30:15+00:00"),
    ("2024-05-14 08:30:15", "2024-05-14T08:30:15+00:00"),
    (" 2024-05-14T08:30:15.123456789Z\n", "2024-05-14T08:30:15.123456+00:00"),
    ("Tue, 14 May 2024 08:30:15 GMT", "2024-05-14T08:30:15+00:00"),
    ("Tue, 14 May 2024 08:30:15 +0200", "2024-05-14T08:30:15+02:00"),
    ("Tue, 14 May 2024 08:30:15 +02:00", "2024-05-14T08:30:15+02:00"),
    ("14 May 24 08:30 EST", "2024-05-14T08:30:00-05:00"),
    ("Tue, 14 May 2024 08:30:15 CEST", "2024-05-14T08:30:15+02:00"),
    ("Tue, 14 May 2024 08:30:15 -0000", "2024-05-14T08:30:15+00:00"),
])  # fmt: skip
def test_reads_the_spellings_of_sites(raw: str, expected: str) -> None:
    date = parse_date(raw)
    assert date
    assert date.isoformat() == expected


@pytest.mark.parametrize(
    "raw", [None, "", "soon", "2024-13", "2024-02-30", "0001-01-01", "9999-12-31", "0000", "14/05/2024", "5", "9" * 99]
)
def test_answers_none_to_the_rest(raw: str | None) -> None:
    assert parse_date(raw) is None


@given(st.text(max_size=80) | st.from_regex(r"[\d:TZ+\- ]{4,40}") | st.from_regex(r"\w{3}, \d+ \w{3} \d+ [\d:]+ .*"))
def test_never_raises_and_is_always_aware(raw: str) -> None:
    date = parse_date(raw)
    assert date is None or date.astimezone(UTC).utcoffset() == timedelta(0)


@pytest.mark.parametrize(("text", "expected"), [
    ("2d", NOW - timedelta(days=2)),
    ("36h", NOW - timedelta(hours=36)),
    ("90M", NOW - timedelta(minutes=90)),
    (" 1 w ", NOW - timedelta(weeks=1)),
    ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
    ("2024-05-01T10:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
])  # fmt: skip
def test_since_is_an_age_or_a_date(text: str, expected: datetime) -> None:
    assert parse_since(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "2", "2y", "-2d", "yesterday", "999999w"])
def test_since_says_what_it_accepts(text: str) -> None:
    with pytest.raises(ValueError, match="36h"):
        parse_since(text, NOW)
