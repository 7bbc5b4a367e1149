"""The add-on in somebody else's project, made by `scrapy startproject`."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, version_info
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.exporters import JsonLinesItemExporter
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from newsextract.addon import NewsExtract
from newsextract.article import Article, Author, Image
from newsextract.crawl.feeds_export import WholeLines
from newsextract.crawl.opt_in import checked
from newsextract.crawl.outcome import FORBIDDEN, Outcome, RobotsUnknown, of_failure, unread
from newsextract.crawl.requests import VISIT, Visit
from newsextract.crawl.scrapy_versions import Cancelled, HostNotFound
from newsextract.crawl.visits import MAX_REASON_CHARS
from newsextract.page.page import Page
from newsextract.reading.notices import PageState
from newsextract.reading.reader import read_article
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.ledger import Finding, Role
from newsextract.tools.crawl import check_settings
from tests.crawl.parts import parts
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


@pytest.mark.parametrize(("setting", "told"), [
    ("NEWSEXTRACT_EXTRACTERS=mss", "NEWSEXTRACT_EXTRACTERS: there is no such setting; did you mean"),
    ("NEWSEXTRACT_KINDS=10%d", "NEWSEXTRACT_KINDS: no kind of page is called '10%d'; there are"),
])  # fmt: skip
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


HOME = "https://example.com/"


def failed(error: Exception, **meta: Any) -> tuple[Failure, Request]:
    return Failure(error), Request(HOME, meta=meta)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("error", "state", "reason", "retry"), [
    (HttpError(HtmlResponse(HOME, status=500)), "error", "http 500", RetryPolicy.TRANSIENT),
    (HttpError(HtmlResponse(HOME, status=404)), "error", "http 404", RetryPolicy.PERMANENT),
    (HttpError(HtmlResponse(HOME, status=451)), "blocked", "http 451", RetryPolicy.REFUSED),
    (HttpError(HtmlResponse(HOME, status=429)), "blocked", "http 429", RetryPolicy.TRANSIENT),
    (HostNotFound(), "error", "host not found", None),
    (Cancelled(), "error", "too large", RetryPolicy.PERMANENT),
    (RobotsUnknown("a.example", "robots.txt: http 503"), "error", "robots.txt: http 503", None),
    (IgnoreRequest("exceeded DOWNLOAD_MAXSIZE"), "error", "too large", RetryPolicy.PERMANENT),
    (IgnoreRequest("max redirections reached"), "error", "too many redirects", RetryPolicy.PERMANENT),
    (IgnoreRequest("because of a middleware"), "error", "ignored", None),
    (OSError("disk"), "error", "OSError", None),
])  # fmt: skip
def test_every_failure_has_a_state_a_short_reason_and_a_patience(
    error: Exception, state: str, reason: str, retry: RetryPolicy | None
) -> None:
    assert of_failure(*failed(error)) == Outcome(PageState(state), reason, retry=retry)


def test_every_page_ends_once_with_few_and_short_reasons() -> None:
    with parts() as own:
        visits = own.visits
        ended: list[tuple[str, PageState, str]] = []
        visits.notes.append(lambda site, _, outcome: ended.append((site, outcome.state, outcome.reason)))
        page = Page("", HOME)
        visit = Visit(Finding(HOME, "example.com", Role.ARTICLE))
        response = HtmlResponse(HOME, request=Request(HOME, meta={VISIT: visit}))
        for error in (*(DropItem(f"no picture: https://example.com/{n}") for n in range(3)), DropItem("x" * 500)):
            asyncio.run(visits.item_dropped(page, response, error))
        asyncio.run(visits.item_dropped({"their": "item"}, response, DropItem("theirs")))
        visits.item_scraped({"made of": "an article"}, response)
        visits.item_error(page, response, failed(KeyError("a"))[0])
        visits.end(Request(HOME), FORBIDDEN)
        visits.end(Request("https://www.other.example/a"), unread("too large"))
        assert ended == [
            *[("example.com", PageState.DROPPED, "no picture")] * 3,
            ("example.com", PageState.DROPPED, "x" * MAX_REASON_CHARS),
            ("example.com", PageState.ARTICLE, ""),
            ("example.com", PageState.ERROR, "pipeline: KeyError"),
            ("other.example", PageState.ERROR, "too large"),
        ]
        stats = own.stats.get_stats()
        states = [count for name, count in stats.items() if name.startswith("newsextract/state/")]
        assert stats["newsextract/pages"] == sum(states) == len(ended)
        assert (stats["newsextract/candidates"], stats["newsextract/candidates/failed"]) == (6, 1)


HAS_PSYCOPG = importlib.util.find_spec("psycopg") is not None


@pytest.mark.parametrize(("name", "value", "message"), [
    ("NEWSEXTRACT_EXTRACTOR", "msss", "there are"),
    ("NEWSEXTRACT_EXTRACTOR", "no.such.Extractor", "cannot import the extractor"),
    ("NEWSEXTRACT_EXTRACTOR", "pathlib.Path", "has no method `extract`"),
    ("NEWSEXTRACT_EXTRACTOR", "auto:tags=1", "has no option 'tags'"),
    ("NEWSEXTRACT_EXTRACTOR", "auto:min_probability=low", "extractor 'auto'"),
    ("NEWSEXTRACT_EXTRACTOR", "template", "needs 5 pages of a site or more, see `newsextract template`"),
    ("NEWSEXTRACT_EXTRACTOR_OPTIONS", "{}", "NEWSEXTRACT_EXTRACTOR"),
    ("NEWSEXTRACT_METADATA_SOURCES", "headline=h1", "is not a JSON object"),
    ("NEWSEXTRACT_KINDS", "article,story", "no kind of page is called 'story'; there are article, live"),
    ("NEWSEXTRACT_PAGE_BYTES", "20 MB", "is not a number of bytes"),
    ("NEWSEXTRACT_PRIVATE_ADDRESSES", "[10", "is not a JSON list"),
    ("NEWSEXTRACT_WORKERS", "many", "is not a whole number from 0 on"),
    ("NEWSEXTRACT_PAGE_SECONDS", "0", "is not a number of seconds"),
    ("NEWSEXTRACT_DATABASE", "articles.db", "is not a database URL"),
    ("NEWSEXTRACT_DATABASE", "sqlite:///{file}/articles.db", "cannot open the database"),
    ("NEWSEXTRACT_DATABASE", "sqlite:///{file}", "cannot open the database"),
    (
        "NEWSEXTRACT_DATABASE",
        "postgresql://reader:secret@127.0.0.1:9/news",
        "reader:***@127.0.0.1:9/news" if HAS_PSYCOPG else "pip install 'newsextract[postgres]'",
    ),
    ("NEWSEXTRACT_ALERTS", "alerts.yml", "it needs NEWSEXTRACT_DATABASE"),
    ("NEWSEXTRACT_PROMETHEUS", "{folder}/news.prom", "it needs NEWSEXTRACT_DATABASE"),
    ("FEEDS", '{"{file}/articles.jsonl": {"format": "jsonlines"}}', "cannot write"),
    ("LOG_FILE", "{file}/crawl.log", "cannot write"),
    ("LOG_LEVEL", "LOUD", "is not among CRITICAL, "),
    ("DOWNLOAD_DELAY", "slow", "'slow' is not a number; try 0"),
    ("FEEDS", '{"file://{folder}": {"format": "jsonlines"}}', "cannot write"),
])  # fmt: skip
def test_names_the_setting_and_the_reason(name: str, value: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    filled = value.replace("{file}", str(file)).replace("{folder}", str(tmp_path))
    with pytest.raises(ValueError, match=name) as caught:
        check_settings(Settings({name: filled}))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("name", "value", "message"), [
    ("NEWSEXTRACT_ALERTS", "{folder}/alerts.yml", "no such file"),
    ("NEWSEXTRACT_PROMETHEUS", "{folder}", "cannot write"),
    ("NEWSEXTRACT_PROMETHEUS", "{folder}/file/news.prom", "cannot write"),
])  # fmt: skip
def test_names_who_cannot_be_told_of_the_health(name: str, value: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    settings = {"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db", name: value.replace("{folder}", str(tmp_path))}
    with pytest.raises(ValueError, match=f"{name}: .*{message}"):
        check_settings(Settings(settings))


@pytest.mark.parametrize(
    "target", ["stdout:", "{folder}/%(name)s/%(time)s.jsonl", "s3://bucket/a.jsonl", "{folder}/a/b.jsonl"]
)
def test_leaves_alone_what_can_be_written(target: str, tmp_path: Path) -> None:
    target = target.replace("{folder}", str(tmp_path))
    check_settings(Settings({"FEEDS": {target: {"format": "jsonlines"}}, "NEWSEXTRACT_DATABASE": None}))
    assert not list(tmp_path.glob("*%*"))


def test_an_output_in_the_way_stops_the_command(crawl: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    run = crawl(tmp_path, "http://127.0.0.1:9/", "-O", "file/articles.jsonl")
    assert run.code == 2
    assert "FEEDS: cannot write file/articles.jsonl" in run.err
    assert "Traceback" not in run.err


def test_a_job_folder_and_a_ledger_do_not_go_together(tmp_path: Path) -> None:
    database = {"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db"}
    with pytest.raises(ValueError, match="leave JOBDIR out, or set NEWSEXTRACT_DATABASE to nothing"):
        check_settings(Settings({"JOBDIR": "job", **database}))
    check_settings(Settings({"JOBDIR": "job"}))
    check_settings(Settings(database))


PAGE = f"""<html lang="fr"><head><title>Un titre</title><meta name="author" content="Anne Petit">
<meta property="article:published_time" content="2026-05-20T10:00:00+02:00"></head><body><article><h1>Un titre</h1>
{"<p>La ville a ouvert son pont lundi, et beaucoup de gens sont venus le voir avant la pluie.</p>" * 20}
</article></body></html>"""


def written(kind: type[JsonLinesItemExporter], item: Any, **options: Any) -> bytes:
    file = BytesIO()
    kind(file, **options).export_item(item)
    return file.getvalue()


@pytest.mark.parametrize(
    "options",
    [{}, {"encoding": "utf-8"}, {"fields_to_export": ["headline", "authors"]}, {"fields_to_export": {"url": "link"}}],
    ids=["plain", "utf-8", "fields", "renamed"],
)
def test_a_line_is_the_one_that_scrapy_writes(options: dict[str, Any]) -> None:
    article = read_article(PAGE, "https://paper.example/un-titre.html")
    images = [Image("https://a.example/1.jpg", "A bridge"), Image("https://a.example/2.jpg")]
    for item in (
        article,
        Article("https://a.example/", authors=[Author("Ann Lee")], images=images),
        {"url": "of another spider"},
    ):
        line = written(WholeLines, item, **options)
        assert line == written(JsonLinesItemExporter, item, **options)
        assert line.endswith(b"}\n")
