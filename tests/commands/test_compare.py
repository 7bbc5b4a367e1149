"""`scrapy compare`: extractors side by side on a page from anywhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.scrapy_runs import STORY, Reply, html, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

STRICT = ("-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=0")
CSS = {"Content-Type": "text/css"}
SHEETS = ("/look.css", "/lost.css", "http://127.0.0.2/inside.css")


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    links = "".join(f'<link rel="stylesheet" href="{href}">' for href in SHEETS)
    routes = {
        STORY: html(story(head=links)),
        "/look.css": Reply(b"h1 { color: teal } h2 { background: url(/far.png) }", headers=CSS),
    }
    return tiny_web(routes)


@pytest.fixture
def compare(scrapy: Scrapy, tmp_path: Path) -> Scrapy:
    """Run `scrapy compare` in a folder of its own, by the project's settings."""

    def run(*arguments: str, stdin: bytes = b"") -> Run:
        return scrapy(tmp_path, "compare", *arguments, stdin=stdin)

    return run


def pages_in(report: Path) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', report.read_text("utf-8"))
    assert found
    pages: list[dict[str, Any]] = json.loads(found[1])["pages"]
    return pages


def asked(site: TinySite) -> list[str]:
    return sorted(path for path in site.log if path != "/robots.txt")


def test_prints_the_figures_and_writes_the_report_of_a_file(compare: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(story())
    run = compare("page.html", "--html", "report.html", "--url", "https://example.com/a")
    assert run.code == 0, run.err
    assert {"auto", "mss", "everything"} <= {line.split()[0] for line in run.out.splitlines() if line.strip()}
    first, second = run.out.splitlines()[:2]
    assert re.match(r"\d+ of \d+ extractors have a vote: auto, ", first)
    assert "dom_criteria" not in first
    assert second.startswith("unanimous on ")
    assert "closest: " in run.out
    assert "no vote: control, chooses nothing" in " ".join(run.out.split())
    (page,) = pages_in(tmp_path / "report.html")
    assert page["url"] == "https://example.com/a"
    assert page["extractors"][0]["name"] == "auto"
    assert page["extractors"][0]["article"]["headline"] == "Bridge 1"


def test_fetches_a_page_alone_or_with_its_style_sheets(compare: Scrapy, site: TinySite, tmp_path: Path) -> None:
    address = site.home.rstrip("/") + STORY
    alone = compare(address, "-x", "auto, mss", "--html", "alone.html")
    assert alone.code == 0, alone.err
    assert asked(site) == [STORY]
    site.log.clear()
    assert "teal" not in pages_in(tmp_path / "alone.html")[0]["html"]
    styled = compare(address, "-", "-x", "mss", "--html", "styled.html", "--with-styles", *STRICT, stdin=story(2))
    assert styled.code == 0, styled.err
    assert "left out the style sheet" in styled.err  # the one that the site has lost
    assert "private address: 127.0.0.2 of" in styled.err  # a private host that nobody named
    assert asked(site) == sorted([STORY, "/look.css", "/lost.css"])
    first, second = pages_in(tmp_path / "styled.html")
    assert "<style>h1 { color: teal } h2 { background: none }</style>" in first["html"]
    assert [row["name"] for row in first["extractors"]] == ["mss"]
    assert second["title"] == "Bridge 2"


def test_compares_the_pages_that_can_be_read(compare: Scrapy, site: TinySite, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(story())
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.7")
    run = compare("page.pdf", "missing.html", f"{site.home}gone", "page.html", "-x", "mss", "--html", "report.html")
    assert run.code == 1
    assert "page.pdf: not HTML: a PDF document" in run.err
    assert "missing.html: no such file" in run.err
    assert f"{site.home}gone: the site answered 404" in run.err
    assert len(pages_in(tmp_path / "report.html")) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name pages, URLs, files, or - for standard input"),
        (["-", "-x", "auto,msss"], "-x: no extractor is called 'msss'; there are"),
        (["-", "a.html", "--url", "https://example.com/"], "--url: it is the address of one page"),
        (["-", "-x", "mss", "--html", "no/such/folder.html"], "--html: there is no folder no/such"),
    ],
)
def test_refuses_what_makes_no_sense(arguments: list[str], message: str, compare: Scrapy) -> None:
    run = compare(*arguments, stdin=story())
    assert run.code == 2
    assert message in run.err
    assert "Traceback" not in run.err
