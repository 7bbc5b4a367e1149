""""""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

from itemadapter import ItemAdapter

from newsextract import Page, extract, read_article
from newsextract.article import Article, Author
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.reader import compose

URL = "https://news.example/2026/rain"
STORY = """<html lang=en><head><title>Rain in Spain</title>
<meta property=og:title content="Rain in Spain"><meta property=og:image content=/rain.jpg>
<meta property=article:published_time content="2026-05-04T10:00:00+02:00"><meta name=author content="Ann Lee"></head>
<body><h1>Rain in Spain</h1><p>It rained on the plain all day, and the people of the plain stayed at home to read.</p>
<p>The rain is to go on for some days, the forecasters of the town say; then the sun will be back at last.</p></body>"""


def test_every_filled_field_has_a_source() -> None:
    article = read_article(STORY, URL)
    assert article.extraction is not None
    filled = {name for name, value in vars(article).items() if value is not None}
    ours = {"url", "articleBodyHtml", "wordCount", "metadata", "extraction"}
    raw = {name for name in filled if name.endswith("Raw")}  # of the same source as the date read from it
    assert filled - ours - raw == set(article.extraction.sources)
    assert article.extraction.sources["articleBody"] == article.extraction.extractor == "auto"
    assert (article.headline, article.authors and article.authors[0].name) == ("Rain in Spain", "Ann Lee")


def test_absent_is_none() -> None:
    page = Page("<p>", URL)
    article = compose(page, Extraction("mss"), Metadata())
    empty = {name for name, value in vars(article).items() if value is None}
    assert empty == set(vars(article)) - {"url", "metadata", "extraction"}
    assert article.extraction is not None
    assert article.extraction.sources == {}


def test_the_extractions_sources_and_warnings_are_added() -> None:
    page = Page(STORY, URL)
    found = Extraction("vote", page.blocks, sources={"articleBody": "mss"}, warnings=("cut",))
    article = compose(page, found, replace(read_metadata(page), warnings=(Notice(NoticeCode.NO_DATE),)))
    assert article.extraction is not None
    assert article.extraction.sources["articleBody"] == "mss"
    assert article.extraction.warnings == ["not a date", "cut"]
    assert {type(warning) for warning in article.extraction.warnings} == {str}  # which every exporter can write
    assert "noticed" not in asdict(article)["extraction"]


def test_says_when_it_was_downloaded() -> None:
    article = read_article(STORY, URL)
    assert article.metadata is not None
    assert datetime.now(UTC) - datetime.fromisoformat(article.metadata.dateDownloaded or "") < timedelta(minutes=9)


def test_big_fields_stay_out_of_the_log() -> None:
    assert "forecasters" not in repr(read_article(STORY, URL))


def test_what_is_said_besides_the_text_reaches_the_item() -> None:
    article = read_article(
        STORY.replace("lang=en", "").replace(
            "</head>",
            """<meta name=robots content=noai><meta property=article:section content=Weather>
            <script type="application/ld+json">{"@type": "LiveBlogPosting", "headline": "Rain in Spain",
            "hasPart": {"isAccessibleForFree": false, "cssSelector": ".wall"},
            "liveBlogUpdate": [{"datePublished": "2026-05-04T10:00:00Z", "articleBody": "It rains."}]}</script>
            </head>""",
        ),
        URL,
    )
    item = json.loads(json.dumps(ItemAdapter(article).asdict()))
    assert (item["section"], item["usageRights"]["ai"], item["usageRights"]["robots"]) == ("Weather", False, ["noai"])
    assert (item["isAccessibleForFree"], item["paywalledParts"]) == (False, [".wall"])
    assert item["liveBlogUpdates"] == [
        {"datePublished": "2026-05-04T10:00:00+00:00", "headline": None, "articleBody": "It rains."}
    ]
    assert item["inLanguage"] == "en"
    assert item["extraction"]["languageConfidence"] > 0.9
    assert item["extraction"]["sources"]["usageRights"] == "robots_meta"


# An article as a dictionary, as JSON, as Markdown, on one line and in a notebook.

PLUIE_URL = "https://news.example/2026/rain.html"
PLUIE = """<html lang="fr"><head><meta property="article:published_time" content="2026-05-04"></head><body>
<h1>Pluie à <em>Plainville</em> *</h1>
<p>Il a plu toute la journée à Plainville, et <a href="/soleil">le soleil</a> n'est pas venu.</p>
<ul><li>Un parapluie</li><li>Deux parapluies</li></ul><p>Il va pleuvoir demain &lt;encore&gt;.</p></body></html>"""


def story() -> Article:
    return read_article(PLUIE, PLUIE_URL, extractor="everything")


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
    article, found = story(), extract(PLUIE, PLUIE_URL, extractor="everything")
    assert article.headline == "Pluie à Plainville *"
    assert article.markdown.startswith("# Pluie à Plainville \\*\n\n")
    assert article.markdown.endswith(found.markdown)
    assert "- Un parapluie\n- Deux parapluies" in article.markdown


def test_markdown_of_plain_text_has_its_paragraphs() -> None:
    assert Article(PLUIE_URL, headline="A", articleBody="One <b>.\nTwo.").markdown == "# A\n\nOne \\<b\\>.\n\nTwo."
    assert Article(PLUIE_URL).markdown == ""
    assert read_article(PLUIE, PLUIE_URL, extractor="everything", markdown=True).markdown == story().markdown


def test_a_notebook_shows_the_article() -> None:
    shown = story()._repr_html_()
    assert shown.startswith(
        "<h2>Pluie à Plainville *</h2><p><em>2026-05-04 · https://news.example/2026/rain.html</em></p>"
    )
    assert "<li>Un parapluie</li>" in shown
    assert extract(PLUIE, PLUIE_URL, extractor="everything")._repr_html_() == story().articleBodyHtml


def test_nothing_in_a_notebook_can_run() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>x</a>"
    article = Article(evil, headline=evil, authors=[Author(evil)], publisher=evil, articleBodyHtml=evil)
    shown = article._repr_html_() + replace(article, articleBodyHtml=None, articleBody=evil)._repr_html_()
    elements = list(Page(shown).tree.iter())
    assert not {element.tag for element in elements} & {"script", "style", "iframe", "form"}
    values = [(name, value) for element in elements for name, value in element.attrib.items()]
    assert not [name for name, value in values if name.startswith("on") or "script" in value]
