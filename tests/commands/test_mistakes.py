"""Mistakes are told first and last: in one line, without a log before it or a traceback after it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from newsextract.storage.database import open_engine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy

EXAMPLE = "scrapy crawl news -a sites=https://example.com"
BROKEN = "sites:\n  - url: https://a.example/\n   name: x\n"
NEWS = ("crawl", "news", "-a", "sites=https://a.example/")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("crawl", "news", "-a", "sites=broken.yml"), "-a sites: broken.yml, line 3, column 4: "),
        (("crawl", "news", "-a", "sites=missing.yml"), "-a sites: missing.yml: no such file"),
        (("crawl", "news", "-a", "sites=example"), "-a sites: 'example' is not a URL or a file"),
        (("crawl", "news", "-a", "site=a.example"), "-a site: did you mean sites? the spider knows sites, since"),
        ((*NEWS, "-a", "sinc=2d"), "-a sinc: did you mean since? "),
        ((*NEWS, "-a", "colour=red"), "-a colour: the spider knows sites, since"),
        (("crawl",), f"name a spider: {EXAMPLE}"),
        (("crawl", "news"), f"which sites? {EXAMPLE}, or a file: sites.yml, .txt"),
        (
            ("crawl", "news", "https://a.example"),
            "arguments of a spider stand behind -a: scrapy crawl news -a sites=https://a.",
        ),
        (("crawl", "news", "sites=a.txt"), "arguments of a spider stand behind -a: scrapy crawl news -a sites=a.txt"),
        (("crawl", "new"), f"no spider is called 'new'; there is news: {EXAMPLE}"),
        (("search",), "name the words to look for: scrapy search bridge"),
        (("extract",), "name one page, a URL, a file, or -"),
        (("compare",), "name pages, URLs, files, or -"),
        (("compare", "watch.yml", "--html", "."), "--html: . is a folder, not a file"),
        (("evaluate", "."), ". has no known format; a corpus is a file .jsonl"),
        (("watch", "watch.yml", "--article", "none.json"), "--article: none.json: no such file"),
        ((*NEWS, "-a", "limit=x"), "-a limit: 'x' is not a number"),
        ((*NEWS, "-s", "NEWSEXTRACT_WORKERS=many"), "NEWSEXTRACT_WORKERS: 'many' is not a whole number"),
        ((*NEWS, "-s", "NEWSEXTRACT_WATCH=broken.yml"), "NEWSEXTRACT_WATCH: broken.yml, line 3, column 4: "),
        ((*NEWS, "-s", "NEWSEXTRACT_DATABASE=foo"), "NEWSEXTRACT_DATABASE: 'foo' is not a database URL"),
        (("schedule", "broken.yml"), "broken.yml, line 3, column 4: "),
        (("deliver", "-s", "NEWSEXTRACT_WORKERS=many"), "NEWSEXTRACT_WORKERS: 'many'"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], told: str, scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text(BROKEN)
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    run = scrapy(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE="settings.production")
    (line,) = run.err.splitlines()
    assert line.partition(": error: ")[2].startswith(told)
    assert (run.code, run.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("extract", "none.html"), "none.html: no such file"),
        (("compare", "none.html"), "none.html: no such file"),
    ],
)
def test_nothing_there_is_one_line(arguments: tuple[str, ...], told: str, scrapy: Scrapy, tmp_path: Path) -> None:
    run = scrapy(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE="settings.production")
    assert (run.code, run.out, run.err.strip()) == (1, "", told)


MISSING = "NEWSEXTRACT_DATABASE: output/newsextract.db is not there: "


@pytest.mark.parametrize("arguments", [("search", "bridge"), ("health",), ("watch", "watch.yml")])
def test_a_database_that_is_not_there_is_not_made(arguments: tuple[str, ...], scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    run = scrapy(tmp_path, *arguments, SCRAPY_SETTINGS_MODULE="settings.production")
    assert run.code == 2
    assert MISSING in run.err
    assert EXAMPLE in run.err
    assert [path.name for path in tmp_path.iterdir()] == ["watch.yml"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("search", "bridge"), 1, f"no article found: none is stored yet; crawl first, see {EXAMPLE}"),
        (("watch", "watch.yml"), 1, f"no article to look at: none is stored yet; crawl first, see {EXAMPLE}"),
        (("watch", "watch.yml", "--since", "2d"), 1, "no article to look at: none was first seen since 2d"),
        (("health",), 0, "no run has seen a site in the last "),
    ],
)
def test_an_empty_database_is_named_and_said_to_be_empty(
    arguments: tuple[str, ...], code: int, told: str, scrapy: Scrapy, tmp_path: Path
) -> None:
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    open_engine(f"sqlite:///{tmp_path}/news.db").dispose()
    run = scrapy(tmp_path, *arguments, "-s", "NEWSEXTRACT_DATABASE=sqlite:///news.db")
    named, line = run.err.splitlines()
    assert (run.code, run.out, named) == (code, "", "database: news.db")
    assert line.startswith(told)


def test_one_rule_is_counted_as_one_and_articles_without_a_match_are_counted(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "watch.yml").write_text("watches:\n  - {name: x, query: bridge}\n")
    (tmp_path / "articles.jsonl").write_text('{"headline": "Ferry closes"}\n')
    checked = scrapy(tmp_path, "watch", "watch.yml", "--check")
    assert checked.out.startswith("1 rule, found by ")
    given = scrapy(tmp_path, "watch", "watch.yml", "--article", "articles.jsonl")
    assert (given.code, given.err) == (1, "no match: 1 rule, 1 article\n")


@pytest.mark.parametrize("command", [("newsroom.desk", "news.db")], ids=lambda command: command[0])
@pytest.mark.parametrize("port", ["99999", "99999999999", "-1", "http"])
def test_what_is_no_port_is_one_line(command: tuple[str, ...], port: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = import_module(f"newsextract.{command[0]}.__main__").main
    with pytest.raises(SystemExit, match="2"):
        main([*command[1:], "--port", port])
    assert capsys.readouterr().err.endswith(f": error: argument --port: {port!r} is not a number from 0 to 65535\n")
