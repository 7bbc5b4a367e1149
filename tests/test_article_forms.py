"""Articles as JSON-LD, ninjs and Zyte's item, checked by what others made of these forms."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import zyte_common_items
from itemadapter import ItemAdapter
from rdflib import RDF, SDO, Graph, Literal, URIRef

from newsextract import Page, extract, read_article
from newsextract.article import Article, ArticleMetadata, Author, Breadcrumb, Image, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Comment, Embed, Video
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.reader import compose
from tests.ninjs import errors_of

HOST = "https://news.example"
FULL = Article(
    f"{HOST}/rain?from=home",
    canonicalUrl=f"{HOST}/rain",
    headline="Rain in Spain",
    description="It rains.",
    articleBody="It rained.\nIt will rain.",
    articleBodyHtml="<p>It rained.</p><p>It will rain.</p>",
    articleMarkdown="It rained.\n\nIt will rain.",
    datePublished="2026-05-04T10:00:00+02:00",
    datePublishedRaw="4 May",
    dateModified="2026-05-04T12:00:00+02:00",
    authors=[Author("Ann Lee", url=f"{HOST}/ann"), Author("Reuters", type="Organization")],
    publisher="The News",
    inLanguage="en-GB",
    section="Weather",
    keywords=["rain", "Spain"],
    breadcrumbs=[Breadcrumb("News", HOST), Breadcrumb("Weather", f"{HOST}/weather")],
    mainImage=Image(f"{HOST}/1.jpg"),
    images=[Image(f"{HOST}/1.jpg"), Image(f"{HOST}/2.jpg", "The plain")],
    videos=[
        Video(
            f"{HOST}/v",
            embedUrl=f"{HOST}/player",
            name="Rain",
            thumbnailUrl=f"{HOST}/v.jpg",
            duration="PT1M30S",
            uploadDate="2026-05-04",
        )
    ],
    audios=[Audio(f"{HOST}/a.mp3", name="Drops", duration="PT2H")],
    embeds=[Embed("https://social.example/1", "social.example", "@ann", "2026-05-04", "Rain!", "Post")],
    isAccessibleForFree=False,
    paywalledParts=[".wall"],
    usageRights=UsageRights(True, f"{HOST}/tdm.json", False, ("noai",)),
    liveBlogUpdates=[LiveUpdate("2026-05-04T10:00:00+02:00", "Drops", "It rained."), LiveUpdate("12:05")],
    comments=[Comment("Wet.", "Bob", "2026-05-05"), Comment("Very.", "Eve", "14:05", parent=0, depth=1)],
    wordCount=5,
    metadata=ArticleMetadata("2026-05-06T00:00:00+00:00", 0.9, "live"),
)
ARTICLES = [
    FULL, Article(HOST), Article(None), Article(HOST, datePublished="2026-05-04", mainImage=Image(f"{HOST}/1")),
    Article(HOST, metadata=ArticleMetadata(pageKind="thread"), comments=[Comment("It leaks.", "Ida")]),
]  # fmt: skip


def json_ld_errors(node: dict[str, Any]) -> list[str]:
    """Return each property that schema.org does not know for its type, and each value of another type than it takes."""
    models = pytest.importorskip("msgspec_schemaorg.models")
    model = getattr(models, node["@type"])
    ranges = {name: kind for each in model.__mro__ for name, kind in getattr(each, "__annotations__", {}).items()}
    errors = []
    for name, value in node.items():
        for part in value if isinstance(value, list) else [value]:
            errors += json_ld_errors(part) if isinstance(part, dict) else []
            if not name.startswith("@") and not _kinds(models, part) & set(re.findall(r"\w+", ranges.get(name, ""))):
                errors.append(f"{node['@type']}.{name}: {part}")
    return errors


def _kinds(models: Any, value: Any) -> set[str]:
    if isinstance(value, dict):
        return {each.__name__ for each in getattr(models, value["@type"]).__mro__}
    forms = {"URL": "https?:", "date": r"\d{4}-\d\d-\d\d(T\d\d:\d\d|$)", "Duration": "P"}
    return {type(value).__name__, *(name for name, form in forms.items() if re.match(form, str(value)))}


@pytest.mark.parametrize("article", ARTICLES)
def test_json_ld_is_schema_orgs(article: Article) -> None:
    made = article.to_json_ld()
    assert not json_ld_errors(made)
    graph = Graph().parse(data=json.dumps({**made, "@context": {"@vocab": str(SDO)}}), format="json-ld")
    assert all(name in SDO for name in set(graph.predicates()) - {RDF.type})  # type: ignore[attr-defined]
    assert URIRef(SDO[made["@type"]]) in set(graph.objects(None, RDF.type))


def test_json_ld_says_what_the_article_does() -> None:
    made = FULL.to_json_ld()
    graph = Graph().parse(data=json.dumps({**made, "@context": {"@vocab": str(SDO)}}), format="json-ld")
    (blog,) = graph.subjects(RDF.type, SDO.LiveBlogPosting)
    assert graph.value(blog, SDO.headline) == Literal("Rain in Spain")
    assert {str(graph.value(each, SDO.name)) for each in graph.objects(blog, SDO.author)} == {"Ann Lee", "Reuters"}
    assert made["mainEntityOfPage"]["@id"] == FULL.canonicalUrl
    assert made["hasPart"] == [{"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": ".wall"}]
    (comment,) = made["comment"]
    assert comment["comment"] == [{"@type": "Comment", "text": "Very.", "author": {"@type": "Person", "name": "Eve"}}]
    assert [update.get("datePublished") for update in made["liveBlogUpdate"]] == [FULL.datePublished]
    assert Article(HOST, headline="Rain").to_json_ld() == {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "url": HOST,
        "headline": "Rain",
        "mainEntityOfPage": {"@type": "WebPage", "@id": HOST},
    }


def test_json_ld_in_a_page_is_read_as_the_same_article() -> None:
    script = json.dumps(FULL.to_json_ld())
    body = "".join(f"<p>{line}</p>" for line in FULL.articleBody.splitlines()) if FULL.articleBody else ""
    read = read_article(f'<script type="application/ld+json">{script}</script><h1>Rain in Spain</h1>{body}', HOST)
    for name in (
        "headline", "description", "datePublished", "dateModified", "publisher", "section", "keywords",
        "isAccessibleForFree", "paywalledParts", "breadcrumbs",
    ):  # fmt: skip
        assert getattr(read, name) == getattr(FULL, name), name
    assert [author.name for author in read.authors or ()] == ["Ann Lee"]  # organisations only if no person is named


@pytest.mark.parametrize("article", ARTICLES)
def test_ninjs_is_as_the_iptc_has_it(article: Article) -> None:
    assert not errors_of(article.to_ninjs())


def test_ninjs_says_what_the_article_does() -> None:
    made = FULL.to_ninjs()
    assert (made["uri"], made["altids"]) == (FULL.canonicalUrl, [{"role": "url", "value": FULL.url}])
    assert (made["contentcreated"], made["versioncreated"]) == (FULL.datePublished, FULL.dateModified)
    assert [body["contenttype"] for body in made["bodies"]] == ["text/plain", "text/html", "text/markdown"]
    assert (made["by"], made["genres"]) == ("Ann Lee, Reuters", [{"name": "live"}])
    assert [each["name"] for each in made["associations"]] == ["picture-1", "picture-2", "video-1", "audio-1"]
    assert [each["name"] for each in made["associations"][2]["renditions"]] == ["main", "player", "thumbnail"]
    assert made["rightsinfo"] == {"linkedrights": f"{HOST}/tdm.json"}
    assert made["usageterms"].endswith("Training of AI is forbidden. Robots: noai.")


def test_ninjs_invents_no_time_and_needs_no_url() -> None:
    assert "contentcreated" not in Article(HOST, datePublished="2026-05-04").to_ninjs()
    one, other = Article(None, headline="Rain").to_ninjs(), Article(None, headline="Sun").to_ninjs()
    assert one["uri"].startswith("urn:uuid:")
    assert one["uri"] != other["uri"]


class _ZytesAdapter(ItemAdapter):
    ADAPTER_CLASSES = (zyte_common_items.ZyteItemAdapter, *ItemAdapter.ADAPTER_CLASSES)


def assert_survives_zyte(article: Article) -> None:
    """Assert that Zyte's item has all that the article states, in its way: language and time of download differ."""
    theirs = article.to_zyte()
    back = Article(**_ZytesAdapter(theirs).asdict()).to_dict()
    item = article.to_dict()
    item["inLanguage"] = item["inLanguage"] and item["inLanguage"].partition("-")[0]
    if item["metadata"]:
        item["metadata"]["dateDownloaded"] = item["metadata"]["dateDownloaded"].replace("+00:00", "Z")
    assert _stated(back) == _stated(item)


def _stated(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: part for name, each in value.items() if (part := _stated(each)) not in (None, "", [], {})}
    return [_stated(each) for each in value] if isinstance(value, (list, tuple)) else value


def test_zytes_item_keeps_everything() -> None:
    assert_survives_zyte(FULL)
    assert_survives_zyte(Article(HOST))
    with pytest.raises(ValueError, match="needs a URL"):
        Article(None).to_zyte()


def test_zytes_item_is_as_zytes_are() -> None:
    theirs = FULL.to_zyte()
    assert isinstance(theirs, zyte_common_items.Article)
    assert (theirs.inLanguage, theirs.get_probability()) == ("en", 0.9)
    assert theirs.videos == [zyte_common_items.Video(url=f"{HOST}/v")]
    assert Article(HOST).to_zyte().videos is None


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zyte_common_items", None)
    with pytest.raises(ModuleNotFoundError, match="pip install zyte-common-items"):
        FULL.to_zyte()


CORPORA = Path(__file__).parents[2] / "shared" / "corpora"


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["newspaper4k", "wcxb", "daniel", "dragnet"])
def test_forms_of_real_pages(name: str) -> None:
    path = CORPORA / f"{name}.jsonl.xz"
    if not path.exists():
        pytest.skip("the corpora are not beside the repository")
    pages = (page for page in read_corpus(path) if isinstance(page, GoldPage))
    for page in islice(pages, 25):
        article = read_article(page.html, page.url or "https://news.example/", comments=True)
        assert not json_ld_errors(article.to_json_ld()), page.url
        assert not errors_of(article.to_ninjs()), page.url
        assert_survives_zyte(article)


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
