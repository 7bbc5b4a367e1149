"""The add-on in somebody else's project, made by `scrapy startproject`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, version_info
from scrapy.settings import Settings

from newsextract.addon import NewsExtract
from newsextract.crawl.opt_in import checked
from tests.scrapy_runs import STORY, Reply, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

SPIDER = """
import scrapy

class Mine(scrapy.Spider):
    name = "mine"

    async def start(self):
        for number, choice in enumerate(self.choices.split(",")):
            meta = {{"newsextract": {{"yes": True, "no": False}}.get(choice, choice)}} if choice != "-" else {{}}
            yield scrapy.Request(f"{home}{{number}}.html", meta=meta)
        yield scrapy.Request("{home}a.pdf", meta={{"newsextract": True}} if "yes" in self.choices else {{}})

    def parse(self, response):
        yield {{"mine": response.url}}
"""

PIPELINE = """
class Stamp:
    def process_item(self, item, spider=None):
        if isinstance(item, dict):
            item["stamped"] = True
        return item
"""


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    pages = {f"/{number}.html": html(story(number)) for number in range(4)}
    return tiny_web({**pages, "/a.pdf": Reply(b"%PDF-", headers={"Content-Type": "application/pdf"})})


@pytest.fixture
def project(site: TinySite, scrapy: Scrapy, tmp_path: Path) -> Path:
    made = scrapy(tmp_path, "startproject", "theirs", SCRAPY_SETTINGS_MODULE="")
    assert made.code == 0, made.err
    folder = tmp_path / "theirs"
    (folder / "theirs" / "spiders" / "mine.py").write_text(SPIDER.format(home=site.home))
    (folder / "theirs" / "pipelines.py").write_text(PIPELINE)
    with (folder / "theirs" / "settings.py").open("a") as settings:
        settings.write(
            "\nDOWNLOAD_DELAY = 0\nITEM_PIPELINES = {'theirs.pipelines.Stamp': 300}\n"
            "ADDONS = {'newsextract.addon.NewsExtract': 500}\nSTATS_CLASS = 'tests.file_stats.FileStats'\n"
        )
    return folder


def crawled(scrapy: Scrapy, project: Path, choices: str, *arguments: str) -> tuple[Run, list[dict[str, Any]]]:
    run = scrapy(
        project, "crawl", "mine", "-a", f"choices={choices}", "-O", "items.json", *arguments, SCRAPY_SETTINGS_MODULE=""
    )
    assert run.code == 0, run.err
    items: list[dict[str, Any]] = json.loads((project / "items.json").read_text())
    return run, items


def test_extracts_what_asks_for_it_and_leaves_the_rest(scrapy: Scrapy, project: Path, site: TinySite) -> None:
    run, items = crawled(scrapy, project, "yes,eatiht,no,-")
    theirs = [item for item in items if "mine" in item]
    articles = {item["url"]: item for item in items if "articleBody" in item}
    assert len(theirs) == 5
    assert all(item.keys() == {"mine", "stamped"} for item in theirs)
    assert {url: item["extraction"]["extractor"] for url, item in articles.items()} == {
        f"{site.home}0.html": "auto",
        f"{site.home}1.html": "eatiht",
    }
    assert "bridge" in articles[f"{site.home}0.html"]["articleBody"]
    assert run.states == {"article": 2, "error": 1}
    assert run.reasons == {"error/not HTML": 1}
    assert run.stats["newsextract/pages"] == 3
    assert not (project / "output").exists()


def test_extracts_all_html_when_set_to(scrapy: Scrapy, project: Path, site: TinySite) -> None:
    settings = ("-s", "NEWSEXTRACT_ALL_RESPONSES=1", "-s", "NEWSEXTRACT_EXTRACTOR=dom_criteria")
    run, items = crawled(scrapy, project, "-,no,-", *settings, "-s", "NEWSEXTRACT_DATABASE=sqlite:///mine.db")
    articles = [item for item in items if "articleBody" in item]
    assert {item["url"] for item in articles} == {f"{site.home}0.html", f"{site.home}2.html"}
    assert {item["extraction"]["extractor"] for item in articles} == {"dom_criteria"}
    assert run.states == {"article": 2}
    assert (project / "mine.db").exists()


def test_a_second_run_has_its_articles_though_they_are_stored(scrapy: Scrapy, project: Path) -> None:
    first, second = (
        crawled(scrapy, project, "yes,eatiht", "-s", "NEWSEXTRACT_DATABASE=sqlite:///mine.db") for _ in "12"
    )
    assert len(first[1]) == len(second[1]) == 5
    assert second[0].states == {"article": 2, "error": 1}


def test_does_nothing_unasked(scrapy: Scrapy, project: Path) -> None:
    run, items = crawled(scrapy, project, "-,no")
    assert all("mine" in item for item in items)
    assert run.states == {}


def test_hides_no_spider(scrapy: Scrapy, project: Path) -> None:
    assert scrapy(project, "list", SCRAPY_SETTINGS_MODULE="").out.split() == ["mine"]


def test_our_own_project_lists_its_spider(scrapy: Scrapy, tmp_path: Path) -> None:
    run = scrapy(tmp_path, "list")
    assert run.out.split() == ["news"]


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("NEWSEXTRACT_EXTRACTERS=mss", "NEWSEXTRACT_EXTRACTERS: there is no such setting; did you mean"),
        ("NEWSEXTRACT_KINDS=10%d", "NEWSEXTRACT_KINDS: no kind of page is called '10%d'; there are"),
    ],
)
def test_says_in_one_line_what_cannot_work(setting: str, told: str, scrapy: Scrapy, project: Path) -> None:
    run = scrapy(project, "crawl", "mine", "-a", "choices=yes", "-s", setting, SCRAPY_SETTINGS_MODULE="")
    assert run.code == 1
    assert f": {told}" in run.err
    assert version_info < (2, 14) or "Traceback" not in run.err  # Twisted told it besides
    assert not (project / "stats.json").exists()


def test_the_projects_own_settings_win() -> None:
    pipeline = "newsextract.crawl.pipelines.ReadingPipeline"
    settings = Settings({"ITEM_PIPELINES": {pipeline: None}})
    NewsExtract().update_settings(settings)
    assert dict(settings["ITEM_PIPELINES"]) == {pipeline: None}


@pytest.mark.parametrize("database", ["", "sqlite:///mine.db"])
def test_adds_a_pipeline_a_middleware_an_extension_and_where_a_database_is_set_storage(database: str) -> None:
    before, after = Settings({"NEWSEXTRACT_DATABASE": database}), Settings({"NEWSEXTRACT_DATABASE": database})
    for _ in range(2):  # it may be added twice
        NewsExtract().update_settings(after)
    names = {name for name in after if dict(after)[name] != dict(before)[name]}
    assert {name: [each.rpartition(".")[2] for each in after[name]] for name in names} == {
        "ITEM_PIPELINES": ["ReadingPipeline", "StoringPipeline"] if database else ["ReadingPipeline"],
        "SPIDER_MIDDLEWARES": ["ArticleMiddleware"],
        "EXTENSIONS": ["CrawlParts"],
    }


def test_the_news_spider_is_not_read_twice(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({"/": html(listing(STORY)), STORY: html(story())})
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_ALL_RESPONSES=1")
    assert run.states == {"article": 1, "listing": 1}
    assert run.adds_up()


@pytest.mark.parametrize("choice", [{"name": "mss"}, "mss:scores=best", "mms", "template", 1.5])
def test_a_request_with_a_choice_that_cannot_be_is_refused(choice: object) -> None:
    good = Request("https://a.example/", meta={"newsextract": "mss:scores=model"})
    assert checked(good) is good
    with pytest.raises(ValueError, match=r"extractor|`scores`|pages of a site"):
        checked(Request("https://a.example/", meta={"newsextract": choice}))
