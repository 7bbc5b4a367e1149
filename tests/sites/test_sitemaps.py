""""""

from __future__ import annotations

import gzip
import tracemalloc
from datetime import UTC, datetime

import pytest

from newsextract.sites.article_address import Candidate
from newsextract.sites.site_files import ForbiddenEntity, Malformed, SiteFileError, TooLarge
from newsextract.sites.sitemaps import SitemapLink, read_sitemap

HOME = "https://example.com/sitemap.xml"
DAY = datetime(2024, 5, 14, tzinfo=UTC)
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
    "declaration",
    ['xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"', 'xmlns:n="wrong"', ""],
)
def test_news_values_need_no_namespace(declaration: str) -> None:
    body = urlset("<loc>/a</loc><n:news><n:title>Flood</n:title></n:news>", root=f"<urlset {declaration}>")
    assert read(body) == [Candidate("https://example.com/a", "news_sitemap", title="Flood")]


def test_a_prefixed_sitemap_is_one_too() -> None:
    assert url('<s:urlset xmlns:s="x"><s:url><s:loc>/a</s:loc><loc>/not</loc></s:url></s:urlset>').endswith("/a")


@pytest.mark.parametrize(
    "child",
    [
        "<image:image><image:loc>https://cdn.example.com/1.jpg</image:loc></image:image>",
        "<image:loc>https://cdn.example.com/1.jpg</image:loc>",
        "<video:video><video:content_loc>x</video:content_loc><loc>y</loc><video:title>z</video:title></video:video>",
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>',
    ],
)
def test_takes_no_picture_for_the_page(child: str) -> None:
    assert read(urlset(f"{child}<loc>/a</loc>{child}")) == [A]


@pytest.mark.parametrize(
    "written",
    ["/a?x=1&y=2", "/a?x=1&amp;y=2", "/a?x=1&amp;amp;y=2", "/a?x=1&#38;y=2", "<![CDATA[/a?x=1&y=2]]>"],
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
    "tail",
    [
        "<url><loc>https://example.com/trunc",
        "<url><loc>/b</lok></url></urlset>",
        "</urlset><script>x</script>",
    ],
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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "neither"),
        ("Not found", "neither"),
        ("<!DOCTYPE html><html><body>Not found</body></html>", "<html>"),
        ("<!-- nothing -->", "no root"),
        ("<urlset>" * 50, "nested"),
        ("<urlset><!--" + "x" * 3_000_000, "comment of more"),
        (b"\x1f\x8bnot gzip", "gzip"),
        (b"\x89PNG\r\n\x1a\n", "neither"),
    ],
)
def test_says_why_it_is_no_sitemap(body: str | bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        read(body)


HOME_PAGE = "https://example.com/sitemap.xml"
ENTRY = "<url><loc>/a</loc></url>"
LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    "doctype",
    [
        f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{LAUGHS}]>',
        '<!DOCTYPE urlset [<!ENTITY l9 SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/x.dtd">',
        f'<!--{"x" * 70_000}--><!DOCTYPE urlset [<!ENTITY l9 "ha">]>',
    ],
)
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
