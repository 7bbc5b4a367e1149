"""An article as a dictionary, as JSON, as Markdown, on one line and in a notebook."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from itemadapter import ItemAdapter

from newsextract import Article, Page, extract, read_article
from newsextract.article import Author

URL = "https://news.example/2026/rain.html"
STORY = """<html lang="fr"><head><meta property="article:published_time" content="2026-05-04"></head><body>
<h1>Pluie à <em>Plainville</em> *</h1>
<p>Il a plu toute la journée à Plainville, et <a href="/soleil">le soleil</a> n'est pas venu.</p>
<ul><li>Un parapluie</li><li>Deux parapluies</li></ul><p>Il va pleuvoir demain &lt;encore&gt;.</p></body></html>"""


def story() -> Article:
    return read_article(STORY, URL, extractor="everything")


def test_a_dictionary_has_every_field_as_the_exporters_write_it() -> None:
    article = story()
    assert article.to_dict() == asdict(article) == ItemAdapter(article).asdict()
    assert Article(**article.to_dict()).headline == article.headline


def test_json_has_the_same_and_letters_as_they_are() -> None:
    article = story()
    assert json.loads(article.to_json()) == json.loads(json.dumps(article.to_dict()))
    assert "à Plainville" in article.to_json()
    assert "\n" not in article.to_json()
    assert article.to_json(indent=2).startswith('{\n  "url"')


def test_markdown_has_the_headline_and_the_body() -> None:
    article, found = story(), extract(STORY, URL, extractor="everything")
    assert article.headline == "Pluie à Plainville *"
    assert article.markdown.startswith("# Pluie à Plainville \\*\n\n")
    assert article.markdown.endswith(found.markdown)
    assert "- Un parapluie\n- Deux parapluies" in article.markdown


def test_markdown_of_plain_text_has_its_paragraphs() -> None:
    assert Article(URL, headline="A", articleBody="One <b>.\nTwo.").markdown == "# A\n\nOne \\<b\\>.\n\nTwo."
    assert Article(URL).markdown == ""
    assert read_article(STORY, URL, extractor="everything", markdown=True).markdown == story().markdown


def test_is_short_on_one_line() -> None:
    assert repr(story()) == f"<Article 'Pluie à Plainville *': 2026-05-04, {story().wordCount} words, {URL}>"
    assert repr(Article(None)) == "<Article 'without headline': 0 words>"
    assert len(repr(Article(URL, headline="x" * 10_000))) < 150


def test_extractions_and_blocks_are_short_too() -> None:
    found = extract(f"<p>{'Rain, ' * 90}</p>", URL, extractor="everything")
    assert repr(found) == f"<Extraction everything: 1 blocks, 90 words, confidence {found.confidence:.2f}>"
    assert repr(found.blocks) == f"(<Block p: '{('Rain, ' * 90)[:59]}…'>,)"


def test_a_notebook_shows_the_article() -> None:
    shown = story()._repr_html_()
    assert shown.startswith(
        "<h2>Pluie à Plainville *</h2><p><em>2026-05-04 · https://news.example/2026/rain.html</em></p>"
    )
    assert "<li>Un parapluie</li>" in shown
    assert extract(STORY, URL, extractor="everything")._repr_html_() == story().articleBodyHtml


def test_nothing_in_a_notebook_can_run() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>x</a>"
    article = Article(evil, headline=evil, authors=[Author(evil)], publisher=evil, articleBodyHtml=evil)
    shown = article._repr_html_() + replace(article, articleBodyHtml=None, articleBody=evil)._repr_html_()
    elements = list(Page(shown).tree.iter())
    assert not {element.tag for element in elements} & {"script", "style", "iframe", "form"}
    values = [(name, value) for element in elements for name, value in element.attrib.items()]
    assert not [name for name, value in values if name.startswith("on") or "script" in value]
