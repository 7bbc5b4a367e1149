"""Feeds, sitemaps, and the dates in them: what is read, repaired and refused."""

from __future__ import annotations

import gzip
import socket
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newsextract.reading.feed_entry import FeedEntry
from newsextract.sites.article_address import Candidate
from newsextract.sites.feeds import MAX_FEED_BYTES, feed_links, read_feed
from newsextract.sites.site_files import (
    ForbiddenEntity,
    Malformed,
    SiteFileError,
    TooLarge,
    parse_date,
    parse_since,
)
from newsextract.sites.sitemaps import SitemapLink, read_sitemap

FEED = "https://news.example/feed"
WORDS = " ".join(["The rain goes on in the hills above the town."] * 12)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><entry><link href="/rain"/>'
    "<title>Rain</title>{}</entry></feed>"
)
RSS = (
    '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item>'
    "<title>Rain</title><link>/rain</link>{}</item></channel></rss>"
)


def entry(feed: str) -> FeedEntry | None:
    (candidate,) = read_feed(feed.encode(), FEED, with_texts=True)
    return FeedEntry.unpack(candidate.entry) if candidate.entry else None


def test_prefers_the_content_and_keeps_the_summary_apart() -> None:
    found = entry(
        RSS.format(
            f"<content:encoded><![CDATA[<p>{WORDS} &amp; more</p>]]></content:encoded>"
            "<description>It &lt;b&gt;rains&lt;/b&gt;.</description><author>anna@news.example (Anna Lee)</author>"
            "<category>Weather</category>"
        )
    )
    assert found is not None
    assert (found.body, found.is_html, found.is_summary) == (f"<p>{WORDS} &amp; more</p>", True, False)
    assert (found.summary, found.authors, found.keywords) == ("It rains.", ("Anna Lee",), ("Weather",))
    assert (found.feed, found.title) == (FEED, "Rain")


@pytest.mark.parametrize(("content", "body", "is_html"), [
    (
        f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{WORDS} &lt;</p></div></content>',
        f"<p>{WORDS} &lt;</p>",
        True,
    ),
    (f'<content type="html">&lt;p&gt;{WORDS}&lt;/p&gt;</content>', f"<p>{WORDS}</p>", True),
    (f'<content type="text">{WORDS} &lt;b&gt;</content>', f"{WORDS} <b>", False),
])  # fmt: skip
def test_reads_the_content_of_atom_by_its_type(content: str, body: str, is_html: bool) -> None:
    found = entry(ATOM.format(content))
    assert found is not None
    assert (found.body, found.is_html, found.language) == (body, is_html, "de")


def test_takes_no_teaser_and_nothing_else_for_a_text() -> None:
    assert entry(RSS.format("<description>It rains.</description>")) is None
    assert entry(ATOM.format(f'<content type="image/png">{"iVBOR " * 200}</content>')) is None
    assert entry(ATOM.format('<content src="https://news.example/full"/>')) is None
    assert entry(RSS.format(f"<description>{WORDS}</description>")) is not None


RSS_FEED = "https://example.com/feeds/all.xml"
DAY = datetime(2024, 5, 14, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_named: Any) -> None:
        raise AssertionError("a feed reader has no business on the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def rss(item: str, channel: str = "") -> bytes:
    return f'<rss version="2.0"><channel>{channel}<item>{item}</item></channel></rss>'.encode()


def only(body: bytes) -> Candidate:
    (candidate,) = read_feed(body, RSS_FEED)
    return candidate


def test_reads_rss() -> None:
    date = "<pubDate>Tue, 14 May 2024 00:00:00 GMT</pubDate>"
    item = f"<title>Crue &amp;amp; <b>péril</b></title><link>/a#x</link>{date}"
    body = rss(item, "<language>fr-FR</language>")
    assert only(body) == Candidate(
        "https://example.com/a", "feed", DAY, "Crue & péril", "fr-FR", "2024-05-14T00:00:00+00:00"
    )


def test_reads_atom_with_xml_base() -> None:
    body = b"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><entry
        xml:base="https://example.org/b/"><title>T</title><link rel="self" href="no"/><link href="a"/>
        <updated>2024-05-14T00:00:00Z</updated></entry></feed>"""
    assert only(body) == Candidate("https://example.org/b/a", "feed", DAY, "T", "de")


def test_a_change_is_no_publication() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/>
        <updated>2024-05-14T00:00:00Z</updated></entry></feed>"""
    assert (only(body).date, only(body).published) == (DAY, None)


def test_reads_rdf_and_netscape_rss() -> None:
    rdf = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="x"><title>T</title><link>/a</link>
        <dc:date>2024-05-14</dc:date></item></rdf:RDF>"""
    assert only(rdf) == Candidate("https://example.com/a", "feed", DAY, "T")
    old = b"""<?xml version="1.0"?>
        <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
        "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91">
        <channel><item><title>T</title><link>/a</link></item></channel></rss>"""
    assert only(old) == Candidate("https://example.com/a", "feed", None, "T")


@pytest.mark.parametrize("item", [
    "<guid>https://example.com/a</guid>",
    '<guid isPermaLink="true">https://example.com/a</guid>',
    "<link>https://proxy.example/1</link><feedburner:origLink>https://example.com/a</feedburner:origLink>",
    "<link><![CDATA[ https://example.com/a ]]></link>",
    '<guid isPermaLink="false">https://example.com/not</guid><link>/a?utm_source=rss</link>',
])  # fmt: skip
def test_finds_the_address(item: str) -> None:
    body = rss(item).replace(b"<rss", b'<rss xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"')
    assert only(body).url == "https://example.com/a"


def test_reads_a_broken_feed_as_far_as_it_goes() -> None:
    body = b"<rss version='2.0'><channel><item><link>/a?x=1&y=2</link></item><item>"
    urls = [candidate.url for candidate in read_feed(body, RSS_FEED)]
    assert urls[0] == "https://example.com/a?x=1&y=2"


@pytest.mark.parametrize("number", ["#x110000", "#1114112", "#xD800", "#99999999999", "#x" + "f" * 5_000])
def test_a_character_that_does_not_exist_costs_no_entry(number: str) -> None:
    # The unquoted attribute makes feedparser read it as HTML, where it raises an error.
    body = f"<rss version=2.0><channel><item><link>/a</link><title>Rain&{number}; falls</title></item></channel></rss>"
    (found,) = read_feed(body.encode(), RSS_FEED)
    assert (found.url, found.title) == ("https://example.com/a", "Rain\ufffd falls")


def test_reads_unusual_dates_as_utc() -> None:
    assert only(rss("<link>/a</link><pubDate>Tue May 14 00:00:00 2024</pubDate>")).date == DAY
    assert only(rss("<link>/a</link><pubDate>one day</pubDate>")).date is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_refuses_entities_in_any_encoding(encoding: str) -> None:
    bomb = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><rss><title>&b;</title></rss>'
    with pytest.raises(ForbiddenEntity):
        read_feed(bomb.encode(encoding), RSS_FEED)


@pytest.mark.parametrize(
    "body", [b"", b"<!DOCTYPE html><html><body>Not found</body></html>", b"https://example.com/feed"]
)
def test_refuses_what_is_no_feed(body: bytes) -> None:
    with pytest.raises(Malformed):
        read_feed(body, RSS_FEED)


@pytest.mark.parametrize("hostile", ["<b>", "<a", "<item>", "<b></x>"])
def test_refuses_what_would_take_feedparser_minutes(hostile: str) -> None:
    with pytest.raises(Malformed, match="never closed"):
        read_feed(f"<rss>{hostile * 90_000}".encode(), RSS_FEED)


def test_refuses_the_oversized() -> None:
    with pytest.raises(TooLarge, match="tags"):
        read_feed(f"<rss>{'<i></i>' * 200_000}".encode(), RSS_FEED)
    attributes = " ".join(f'a{number}="1>0"' for number in range(600))
    for hidden in ("", "<!-- <![CDATA[ -->", "<? <![CDATA[ ?>"):
        with pytest.raises(TooLarge, match="attributes"):
            read_feed(f"<rss>{hidden}<i {attributes}/></rss>".encode(), RSS_FEED)
    with pytest.raises(TooLarge):
        read_feed(gzip.compress(b" " * (MAX_FEED_BYTES + 1)), RSS_FEED)


def test_finds_the_feeds_of_a_page() -> None:
    tree = html.fromstring(
        """<html><head>
        <link rel="alternate" type="application/rss+xml" href="/feed/">
        <link rel="ALTERNATE home" type="application/atom+xml; charset=utf-8" href="https://feeds.example.com/a">
        <link rel="alternate" type="application/rss+xml" href="/feed/#again">
        <link rel="alternate" type="application/rss+xml" title="Comments" href="/c">
        <link rel="alternate" type="application/rss+xml" href="/comments/feed/">
        <link rel="alternate" type="application/json+oembed" href="/oembed">
        <link rel="stylesheet" type="text/css" href="/style.css">
        </head></html>"""
    )
    assert feed_links(tree, "https://example.com/") == ["https://example.com/feed/", "https://feeds.example.com/a"]


HOME = "https://example.com/sitemap.xml"
A = Candidate("https://example.com/a", "sitemap")
B = Candidate("https://example.com/b", "sitemap")


def read(body: str | bytes) -> list[SitemapLink | Candidate]:
    return list(read_sitemap(body.encode() if isinstance(body, str) else body, HOME))


def urlset(*entries: str, root: str = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">') -> str:
    inside = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>{root}{inside}</urlset>'


def url(body: str | bytes) -> str:
    (found,) = read(body)
    return found.url


def test_reads_addresses_and_their_dates() -> None:
    body = urlset("<loc>https://example.com/a</loc><lastmod>2024-05-14</lastmod>", "<loc> /b\n</loc>", "<loc/>", "")
    assert read(body) == [Candidate("https://example.com/a", "sitemap", DAY), B]


def test_reads_an_index() -> None:
    body = "<sitemapindex><sitemap><loc>/s1.xml.gz</loc><lastmod>2024-05-14</lastmod></sitemap></sitemapindex>"
    assert read(body) == [SitemapLink("https://example.com/s1.xml.gz", DAY)]


def test_news_values_win() -> None:
    news = (
        "<news:publication><news:name>Example</news:name>"
        "<news:language>fr</news:language></news:publication>"
        "<news:publication_date>2024-05-14</news:publication_date>"
        "<news:title>Crue &amp;amp; p&eacute;ril</news:title>"
    )
    entry = f"<loc>/a</loc><lastmod>2024-06-01</lastmod><news:news>{news}</news:news>"
    assert read(urlset(entry)) == [
        Candidate("https://example.com/a", "news_sitemap", DAY, "Crue & péril", "fr", "2024-05-14")
    ]


@pytest.mark.parametrize(
    "declaration", ['xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"', 'xmlns:n="wrong"', ""]
)
def test_news_values_need_no_namespace(declaration: str) -> None:
    body = urlset("<loc>/a</loc><n:news><n:title>Flood</n:title></n:news>", root=f"<urlset {declaration}>")
    assert read(body) == [Candidate("https://example.com/a", "news_sitemap", title="Flood")]


def test_a_prefixed_sitemap_is_one_too() -> None:
    assert url('<s:urlset xmlns:s="x"><s:url><s:loc>/a</s:loc><loc>/not</loc></s:url></s:urlset>').endswith("/a")


@pytest.mark.parametrize("child", [
    "<image:image><image:loc>https://cdn.example.com/1.jpg</image:loc></image:image>",
    "<image:loc>https://cdn.example.com/1.jpg</image:loc>",
    "<video:video><video:content_loc>x</video:content_loc><loc>y</loc><video:title>z</video:title></video:video>",
    '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>',
])  # fmt: skip
def test_takes_no_picture_for_the_page(child: str) -> None:
    assert read(urlset(f"{child}<loc>/a</loc>{child}")) == [A]


@pytest.mark.parametrize(
    "written", ["/a?x=1&y=2", "/a?x=1&amp;y=2", "/a?x=1&amp;amp;y=2", "/a?x=1&#38;y=2", "<![CDATA[/a?x=1&y=2]]>"]
)
def test_reads_ampersands_as_they_were_meant(written: str) -> None:
    assert url(urlset(f"<loc>{written}</loc>")) == "https://example.com/a?x=1&y=2"


@pytest.mark.parametrize("start", ["\ufeff", "\n\n  ", "\ufeff\r\n"])
def test_tolerates_what_stands_before_the_declaration(start: str) -> None:
    assert read(start + urlset("<loc>/a</loc>")) == [A]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "ascii"])
def test_reads_any_unicode_whatever_it_declares(encoding: str) -> None:
    assert read(urlset("<loc>/a</loc>").replace("UTF-8", "utf-16").encode(encoding)) == [A]


def test_reads_the_declared_charset() -> None:
    body = urlset("<loc>/a</loc><news:news><news:title>Été</news:title></news:news>").replace("UTF-8", "ISO-8859-1")
    (found,) = read(body.encode("latin-1"))
    assert isinstance(found, Candidate)
    assert found.title == "Été"


def test_reads_plain_text() -> None:
    lines = "https://example.com/a\r\n\r\nnot an address\nhttps://example.com/b"
    assert read(lines) == [A, B]


@pytest.mark.parametrize("padding", range(65_500, 65_545))
def test_reads_lines_and_references_across_pieces(padding: int) -> None:
    line = f"https://example.com/{'x' * 2000}\n"
    start = (line * 33)[: padding - padding % len(line)]
    assert read(f"{start}{' ' * (padding % len(line))}https://example.com/a")[-1] == A
    spaced = urlset(f"{' ' * (padding - 90)}<loc>/a?b=1&amp;c=2&d=3</loc>")
    assert url(spaced) == "https://example.com/a?b=1&c=2&d=3"


def test_reads_a_feed_offered_as_a_sitemap() -> None:
    rss = "<rss version='2.0'><channel><item><title>T</title><link>/a</link></item></channel></rss>"
    assert read(rss) == [Candidate("https://example.com/a", "feed", title="T")]


def test_unpacks_gzip_of_several_members() -> None:
    whole = urlset("<loc>/a</loc>", "<loc>/b</loc>").encode()
    assert read(gzip.compress(whole[:80]) + gzip.compress(whole[80:])) == [A, B]


@pytest.mark.parametrize(
    "tail", ["<url><loc>https://example.com/trunc", "<url><loc>/b</lok></url></urlset>", "</urlset><script>x</script>"]
)
def test_gives_what_stands_before_the_break_and_then_reports_it(tail: str) -> None:
    entries = read_sitemap(f"<urlset><url><loc>/a</loc></url>{tail}".encode(), HOME)
    assert next(entries) == A
    with pytest.raises(Malformed, match="line 1"):
        list(entries)


def test_reports_a_truncated_gzip() -> None:
    addresses = "".join(f"<url><loc>/{number**5}</loc></url>" for number in range(30_000))
    packed = gzip.compress(f"<urlset>{addresses}</urlset>".encode())
    entries = read_sitemap(packed[: len(packed) // 2], HOME)
    assert next(entries).url == "https://example.com/0"
    with pytest.raises(Malformed, match="gzip"):
        list(entries)


@pytest.mark.parametrize(("body", "message"), [
    ("", "neither"),
    ("Not found", "neither"),
    ("<!DOCTYPE html><html><body>Not found</body></html>", "<html>"),
    ("<!-- nothing -->", "no root"),
    ("<urlset>" * 50, "nested"),
    ("<urlset><!--" + "x" * 3_000_000, "comment of more"),
    (b"\x1f\x8bnot gzip", "gzip"),
    (b"\x89PNG\r\n\x1a\n", "neither"),
])  # fmt: skip
def test_says_why_it_is_no_sitemap(body: str | bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        read(body)


HOME_PAGE = "https://example.com/sitemap.xml"
ENTRY = "<url><loc>/a</loc></url>"
LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


@pytest.mark.parametrize("doctype", [
    f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{LAUGHS}]>',
    '<!DOCTYPE urlset [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>',
    '<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/x.dtd">',
    f'<!--{"x" * 70_000}--><!DOCTYPE urlset [<!ENTITY l9 "ha">]>',
])  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_refuses_document_types(doctype: str, encoding: str) -> None:
    news = "<news:news><news:title>&l9;</news:title></news:news>"
    body = f"{doctype}<urlset><url><loc>/a</loc>{news}</url></urlset>"
    with pytest.raises(SiteFileError) as refusal:
        list(read_sitemap(body.encode(encoding), HOME_PAGE))
    assert isinstance(refusal.value, ForbiddenEntity) or "no root" in str(refusal.value)


def test_refuses_the_oversized_before_reading_and_bombs_while_unpacking() -> None:
    big = f"<urlset>{ENTRY * 1000}</urlset>".encode()
    with pytest.raises(TooLarge, match="10,000 bytes"):
        next(read_sitemap(big, HOME_PAGE, max_bytes=10_000))
    bomb = gzip.compress(bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        list(read_sitemap(bomb, HOME_PAGE, max_bytes=10_000_000))
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


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
