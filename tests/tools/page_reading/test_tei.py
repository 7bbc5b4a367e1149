"""Articles as TEI P5."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from lxml import etree

from newsextract import Article, extract, read_article
from newsextract.article import Author
from newsextract.tools.page_reading.tei import NAMESPACE, write_tei

URL = "https://news.example/2026/rain.html"
STORY = """<html lang="en"><head><meta property="article:published_time" content="2026-05-04">
<meta name="author" content="Ann Lee"><meta name="keywords" content="rain, plain"></head><body>
<h1>Rain &amp; sun</h1>
<p>It <em>rained</em> on the <strong>plain</strong>, says <a href="/a?b=1&amp;c=2">a page</a>.<br>
All day.</p>
<h2>The sun</h2><p>It <code>shone</code>.</p><ol><li>One</li><li>Two <ul><li>Inner</li></ul></li></ol>
<blockquote><p>Rain!</p></blockquote><pre>a = 1
b = 2</pre>
<table><tr><th>Town</th><th>Rain</th></tr><tr><td>Plainville</td><td>12 mm</td></tr></table>
<figure><img src="/i.jpg" alt="A cloud"><figcaption>Clouds</figcaption></figure><h3>Later</h3></body></html>"""


def tei_of(markup: str = STORY) -> etree._Element:
    article, found = (read(markup, URL, extractor="everything") for read in (read_article, extract))
    return etree.fromstring(write_tei(article, found.html))  # type: ignore[arg-type, union-attr]


def texts(root: etree._Element, path: str) -> list[str]:
    found = root.iterfind("/".join(f"{{{NAMESPACE}}}{tag}" if tag else "" for tag in path.split("/")))
    return ["".join(el.itertext()) for el in found]


def test_the_header_has_the_metadata() -> None:
    root = tei_of()
    description = "teiHeader/fileDesc"
    assert texts(root, f"{description}/titleStmt/title") == ["Rain & sun"]
    assert texts(root, f"{description}/titleStmt/author") == ["Ann Lee"]
    assert texts(root, f"{description}/publicationStmt/date") == ["2026-05-04"]
    assert texts(root, f"{description}/sourceDesc/bibl/ref") == [URL]
    assert texts(root, "teiHeader/profileDesc/textClass/keywords/term") == ["rain", "plain"]
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"


def test_the_body_has_a_division_for_each_heading() -> None:
    root = tei_of()
    assert texts(root, "text/body/div/head")[-2:] == ["The sun", "Later"]
    assert texts(root, "text/body/div/p")[-1] == ""  # a division without text has an empty paragraph


def test_the_body_keeps_its_structure() -> None:
    root = tei_of()
    body = "text/body/div"
    assert texts(root, f"{body}/p")[0] == "It rained on the plain, says a page.All day."
    assert texts(root, f"{body}/p/hi") == ["rained", "plain"]
    assert texts(root, f"{body}/p/ref") == ["a page"]
    assert texts(root, f"{body}/list/item/list/item") == ["Inner"]
    assert texts(root, f"{body}/quote")[0].strip() == "Rain!"
    assert texts(root, f"{body}/ab") == ["a = 1\nb = 2"]
    assert texts(root, f"{body}/table/row/cell") == ["Town", "Rain", "Plainville", "12 mm"]
    assert texts(root, f"{body}/figure/figDesc") == ["A cloud"]
    assert texts(root, f"{body}/figure/head") == ["Clouds"]
    links = [el.get("target") for el in root.iter(f"{{{NAMESPACE}}}ref")]
    assert links == [URL, "https://news.example/a?b=1&c=2"]
    pictures = [el.get("url") for el in root.iter(f"{{{NAMESPACE}}}graphic")]
    assert pictures == ["https://news.example/i.jpg"]


def test_nothing_of_a_page_breaks_the_xml() -> None:
    evil = "</p>\x00\x0b\ud800<script>&amp;"
    article = Article(evil, headline=evil, description=evil, authors=[Author(evil)], publisher=evil, inLanguage="en")
    root = etree.fromstring(write_tei(article, f"<p>{evil}</p>"))
    assert texts(root, "teiHeader/fileDesc/titleStmt/title") == ["</p><script>&amp;"]


def test_an_article_without_anything_is_a_document_too() -> None:
    root = etree.fromstring(write_tei(Article(None), ""))
    assert texts(root, "text/body/div/p") == [""]


TRAFILATURA = find_spec("trafilatura")
DTD = Path(str(TRAFILATURA.origin)).parent / "data" / "tei_corpus.dtd" if TRAFILATURA else Path("missing")


@pytest.mark.skipif(not DTD.exists(), reason="wants the DTD of TEI that trafilatura brings")
def test_is_valid_by_the_dtd() -> None:
    """It lacks TEI's modules for code, figures and tables, and `xml:lang`; so does the page."""
    start, _, _ = STORY.partition("<table>")
    root = tei_of(start.replace(' lang="en"', "").replace("code>", "i>"))
    root.attrib.clear()
    dtd = etree.DTD(str(DTD))
    assert dtd.validate(etree.fromstring(etree.tostring(root))), dtd.error_log.filter_from_errors()


def test_is_linear_in_breaks() -> None:
    body = f"<p>{'a<br>' * 30_000}</p>"
    started = time.process_time()
    assert write_tei(Article(URL), body).count("<lb/>") == 30_000
    assert time.process_time() - started < 2  # quadratic took eight seconds
