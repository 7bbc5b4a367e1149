"""`scrapy extract`: one page, from anywhere, in four formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.scrapy_runs import STORY, Reply, html, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

SENTENCE = "The mayor of town number 1 opened the bridge that its people had asked for during many years."


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web(
        {
            STORY: html(story()),
            "/moved": moved(STORY),
            "/a.pdf": Reply(b"%PDF-1.7", headers={"Content-Type": "text/html"}),
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /members/"),
        }
    )


@pytest.fixture
def extract(scrapy: Scrapy, tmp_path: Path) -> Scrapy:
    """Run `scrapy extract` outside a project."""

    def run(*arguments: str, stdin: bytes = b"", **environ: str) -> Run:
        outside = {"SCRAPY_SETTINGS_MODULE": ""} | environ
        return scrapy(tmp_path, "extract", *arguments, stdin=stdin, **outside)

    return run


def test_prints_the_text_of_a_file(extract: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(story())
    run = extract("page.html")
    assert run.code == 0
    assert run.out.count(SENTENCE) == 8
    assert run.err == ""


@pytest.mark.parametrize("environ", ["", "settings.development"])
@pytest.mark.parametrize("path", [STORY, "/moved"])
def test_prints_the_text_behind_an_address(
    path: str, environ: str, extract: Scrapy, site: TinySite, tmp_path: Path
) -> None:
    run = extract(site.home.rstrip("/") + path, SCRAPY_SETTINGS_MODULE=environ)
    assert run.code == 0
    assert run.out.count(SENTENCE) == 8
    assert run.err == ""
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("text", f"{SENTENCE} Part 0"), ("html", f"<p>{SENTENCE}"), ("markdown", f"# Bridge 1\n\n{SENTENCE}")],
)
def test_prints_in_the_format_asked_for(name: str, expected: str, extract: Scrapy) -> None:
    assert expected in extract("-", "--format", name, stdin=story()).out


def test_prints_the_article_as_json(extract: Scrapy) -> None:
    run = extract("-", "--format", "json", "--url", "https://example.com/a", "-x", "eatiht", stdin=story())
    article = json.loads(run.out)
    assert article["url"] == "https://example.com/a"
    assert article["headline"] == "Bridge 1"
    assert article["extraction"]["extractor"] == "eatiht"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-x", "msss"], "no extractor is called 'msss'; there are"),
        (["-", "--format", "pdf"], "invalid choice: 'pdf'"),
        ([], "name one page, a URL, a file, or - for standard input"),
        (["a.html", "b.html"], "name one page"),
    ],
)
def test_refuses_what_makes_no_sense(arguments: list[str], message: str, extract: Scrapy) -> None:
    run = extract(*arguments, stdin=story())
    assert run.code == 2
    assert message in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (b"", "-: auto found no main content"),
        (b"<html><body><script>let a = 1</script></body></html>", "-: auto found no main content"),
        (b"%PDF-1.7", "-: not HTML: a PDF document"),
    ],
)
def test_says_when_there_is_no_article(page: bytes, message: str, extract: Scrapy) -> None:
    run = extract("-", stdin=page)
    assert run.code == 1
    assert message in run.err


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.html", "missing.html: no such file\n"),
        (".", ".: is a directory\n"),
        ("{site}nowhere", "the site answered 404"),
        ("{site}a.pdf", "not HTML: a PDF document"),
        ("http://127.0.0.1:9/", "connection refused"),
    ],
)
def test_says_why_it_cannot_read(source: str, message: str, extract: Scrapy, site: TinySite) -> None:
    run = extract(source.replace("{site}", site.home))
    assert run.code == 1
    assert message in run.err
    assert run.out == ""


def test_asks_robots_where_the_project_does(extract: Scrapy, site: TinySite) -> None:
    run = extract(f"{site.home}members/", SCRAPY_SETTINGS_MODULE="settings.development")
    assert run.code == 1
    assert "robots.txt forbids it (-s ROBOTSTXT_OBEY=0 ignores it)" in run.err


def test_a_page_is_read_by_the_rules_of_its_site(extract: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(story())
    (tmp_path / "sites.yml").write_text("sites:\n  - start: https://a.example/\n    rules: {headline: title}\n")
    run = extract("page.html", "--url", "https://a.example/1", "--sites", "sites.yml", "--format", "json")
    assert json.loads(run.out)["extraction"]["sources"]["headline"] == "rule"
    other = extract("page.html", "--url", "https://b.example/1", "--sites", "sites.yml", "--format", "json")
    assert json.loads(other.out)["extraction"]["sources"]["headline"] != "rule"
    missing = extract("page.html", "--sites", "gone.yml")
    assert missing.code == 2
    assert "--sites: gone.yml: no such file" in missing.err
