"""Articles as JSON-LD, ninjs and Zyte's item, checked by what others made of these forms."""

from __future__ import annotations

import json
import re
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import zyte_common_items
from itemadapter import ItemAdapter
from rdflib import RDF, SDO, Graph, Literal, URIRef

from newsextract import read_article
from newsextract.article import (
    Article,
    ArticleMetadata,
    Author,
    Breadcrumb,
    Image,
    LiveUpdate,
    UsageRights,
)
from newsextract.article_parts import Audio, Comment, Embed, Video
from newsextract.evaluation.corpora import GoldPage, read_corpus
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
ARTICLES = [FULL, Article(HOST), Article(None), Article(HOST, datePublished="2026-05-04", mainImage=Image(f"{HOST}/1"))]


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
