from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Author, Breadcrumb, Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]


def test_reads_open_graph(read: Reader) -> None:
    found = read("""
      <html lang="fr-FR"><head>
      <meta property="og:title" content="Pluie d&amp;#39;Espagne">
      <meta name="DESCRIPTION" content="Elle tombe.">
      <meta property="article:published_time" content="2023-05-04T10:00:00+0200">
      <meta property="og:site_name" content="La Plaine"><meta property="og:image" content="/a.jpg">
      <meta property="article:tag" content="pluie"><meta property="article:tag" content="Espagne">
      <meta name="author" content="Par Zoé Dupont"><meta property="og:type" content="article">
      <meta property="article:author" content="https://facebook.com/plaine">
      <link rel="canonical" href="/news/rain"></head>""")
    assert (found.headline, found.description) == ("Pluie d'Espagne", "Elle tombe.")
    assert found.datePublished == "2023-05-04T10:00:00+02:00"
    assert (found.publisher, found.inLanguage, found.ogType) == ("La Plaine", "fr", "article")
    assert found.images == [Image("https://www.example.com/a.jpg")]
    assert found.keywords == ["pluie", "Espagne"]
    assert found.authors == [Author("Zoé Dupont", "Par Zoé Dupont")]
    assert found.canonicalUrl == "https://www.example.com/news/rain"
    assert set(found.sources.values()) == {"meta_tags"}


@pytest.mark.parametrize(
    "tag",
    [
        '<meta name="parsely-pub-date" content="2023-05-04">',
        '<meta name="sailthru.date" content="2023-05-04">',
        '<meta name="DC.date.issued" content="2023-05-04">',
        '<meta name="citation_publication_date" content="2023/05/04">',
        '<meta itemprop="datePublished" content="2023-05-04">',
        '<meta name="pubdate" content="May 4, 2023">',
        '<p itemscope itemtype="http://schema.org/Article"><b itemprop="datePublished" content="2023-05-04">',
        '<time class="entry-date published" datetime="2023-05-04">',
        "<time>4 May 2023</time>",
        '<p class="post-date">Posted on May 4, 2023 by Ann</p>',
    ],
)
def test_finds_the_date_wherever_it_is(read: Reader, tag: str) -> None:
    assert read(f"<html><body>{tag}</body></html>").datePublished == "2023-05-04"


def test_reads_the_date_of_the_address_last(read: Reader) -> None:
    found = read("<p>Rain</p>", "https://example.com/2023/05/04/rain")
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "address_date")


@pytest.mark.parametrize(
    "margin",
    [
        "<aside>{}</aside>",
        "<nav>{}</nav>",
        "<footer>{}</footer>",
        '<div class="related-stories">{}</div>',
        '<ol id="comments">{}</ol>',
        '<a href="/other">Another story with a headline {}</a>',
    ],
)
def test_ignores_the_dates_of_the_margins(read: Reader, margin: str) -> None:
    time = '<time datetime="2020-01-01">1 January</time>'
    assert read(f"<body>{margin.format(time)}<p>Rain</p></body>").datePublished is None


def test_keeps_published_and_modified_apart(read: Reader) -> None:
    found = read("""<body><time class="updated" datetime="2023-05-05"></time>
      <time class="published" datetime="2023-05-04"></time></body>""")
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")


def test_prefers_the_heading_that_the_title_confirms(read: Reader) -> None:
    found = read("<title>Rain in Spain - Plain</title><h1><a href='/'>The Plain</a></h1><h1>Rain in Spain</h1>")
    assert (found.headline, found.sources["headline"]) == ("Rain in Spain", "heading")


def test_leaves_the_title_whole_as_a_last_resort(read: Reader) -> None:
    found = read("<title>Rain - in Spain | Plain</title><h1>Plain</h1>")
    assert (found.headline, found.sources["headline"]) == ("Rain - in Spain | Plain", "title")


@pytest.mark.parametrize(
    "line",
    [
        '<a rel="author" href="/ann">Ann Lee</a>',
        '<a href="https://www.example.com/author/ann-lee/">Ann Lee</a>',
        '<p class="byline">By Ann Lee</p>',
        '<p class="byline">Von <a href="/ann" class="author-name">Ann Lee</a>, Redakteurin</p>',
        '<span class="Article-author">Written by Ann Lee</span>',
        '<div itemscope itemtype="https://schema.org/Article"><span itemprop="author">Ann Lee</span></div>',
        """<div itemscope itemtype="https://schema.org/Article"><p itemprop="author" itemscope
           itemtype="https://schema.org/Person">by <b itemprop="name">Ann Lee</b></p></div>""",
    ],
)
def test_finds_the_byline(read: Reader, line: str) -> None:
    assert [one.name for one in read(f"<body><h1>Rain</h1>{line}</body>").authors or ()] == ["Ann Lee"]


@pytest.mark.parametrize(
    "line",
    [
        f'<div class="author">{"Ann has written about rain. " * 10}</div>',
        '<div class="author">View more posts</div>',
        '<div class="comment"><b class="author">Ann Lee</b></div>',
        '<p class="byline">Posted on</p>',
    ],
)
def test_prefers_no_author_to_a_wrong_one(read: Reader, line: str) -> None:
    assert read(f"<body>{line}</body>").authors is None


def test_reads_a_visible_trail(read: Reader) -> None:
    found = read("""<div class="breadcrumbs"><ol><li><a href="/">Home</a></li>
      <li><a href="/news">News</a></li><li>Rain</li></ol></div>""")
    assert found.breadcrumbs == [
        Breadcrumb("Home", "https://www.example.com/"),
        Breadcrumb("News", "https://www.example.com/news"),
    ]


def test_honours_the_base_address(read: Reader) -> None:
    found = read('<base href="https://cdn.example.com/x/"><meta property="og:image" content="a.jpg">')
    assert found.mainImage == Image("https://cdn.example.com/x/a.jpg")


@pytest.mark.parametrize("tag", ['<div class="author date">x</div>', "<time>x</time>", '<b itemprop="author">x</b>'])
def test_reads_a_flooded_page_in_reasonable_time(read: Reader, tag: str) -> None:
    started = time.process_time()
    read(tag * 20_000)
    assert time.process_time() - started < 5  # quadratic would take minutes
