"""Articles for callbacks and page objects, in a project with scrapy-poet, with and without the add-on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.scrapy_runs import html, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

pytest.importorskip("scrapy_poet")

SPIDER = """
import attrs
import scrapy
import web_poet
from newsextract import Article, Extraction
from scrapy_poet import DummyResponse

@attrs.define
class StoryPage(web_poet.WebPage):
    article: Article

    async def to_item(self):
        return {{"page": self.article.headline, "comments": len(self.css(".comment"))}}

class Mine(scrapy.Spider):
    name = "mine"

    async def start(self):
        yield scrapy.Request("{home}0.html")
        yield scrapy.Request("{home}1.html", meta={{"newsextract": "eatiht"}})
        yield scrapy.Request("{home}2.html", self.parse_page)
        yield scrapy.Request("{home}3.html", self.parse_extraction)
        yield scrapy.Request("{home}empty.html", errback=self.failed)
        yield scrapy.Request("{home}empty.html", self.parse_extraction, dont_filter=True)

    async def parse(self, response: DummyResponse, article: Article):
        yield article

    async def parse_page(self, response, page: StoryPage):
        yield await page.to_item()

    def parse_extraction(self, response, extraction: Extraction):
        yield {{"extraction": extraction.extractor, "is_empty": not extraction, "html": extraction.html}}

    def failed(self, failure):
        yield {{"failed": failure.type.__name__, "message": str(failure.value)}}
"""


@pytest.mark.parametrize("addon", ["", "'newsextract.addon.NewsExtract': 500"])
def test_callbacks_and_page_objects_ask_for_articles(
    addon: str, tiny_web: TinyWeb, scrapy: Scrapy, tmp_path: Path
) -> None:
    pages = {f"/{number}.html": html(story(number)) for number in range(4)}
    home = tiny_web({**pages, "/empty.html": html(b"<title>Nothing</title>")}).home
    assert scrapy(tmp_path, "startproject", "theirs", SCRAPY_SETTINGS_MODULE="").code == 0
    project = tmp_path / "theirs"
    (project / "theirs" / "spiders" / "mine.py").write_text(SPIDER.format(home=home))
    with (project / "theirs" / "settings.py").open("a") as settings:
        settings.write(
            f"\nDOWNLOAD_DELAY = 0\nADDONS = {{'scrapy_poet.Addon': 300, {addon}}}\n"
            "SCRAPY_POET_PROVIDERS = {'newsextract.poet.ArticleProvider': 500}\nNEWSEXTRACT_EXTRACTOR = 'mss'\n"
        )
    run = scrapy(project, "crawl", "mine", "-O", "items.json", SCRAPY_SETTINGS_MODULE="")
    assert run.code == 0, run.err
    items = json.loads((project / "items.json").read_text())
    articles = {item["url"]: item for item in items if "articleBody" in item}
    assert {url: item["extraction"]["extractor"] for url, item in articles.items()} == {
        f"{home}0.html": "mss",
        f"{home}1.html": "eatiht",
    }
    assert articles[f"{home}0.html"]["headline"] == "Bridge 0"
    (page,) = [item for item in items if "page" in item]
    assert page == {"page": "Bridge 2", "comments": 0}
    found = {item["is_empty"]: item["html"] for item in items if "is_empty" in item}
    assert found[True] == ""
    assert "bridge" in found[False]
    (failed,) = [item for item in items if "failed" in item]
    assert failed["failed"] == "UseFallback"
    assert failed["message"].startswith(f"{home}empty.html: ")
    assert len(items) == 6
