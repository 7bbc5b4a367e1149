"""`newsextract template`: a site's structures, from a folder or a corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.reading.extraction.site_pages import body_of, gallery, story
from tests.scrapy_runs import html, listing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

pytest.importorskip("sklearn", reason="sklearn is not installed: pip install 'newsextract[evaluate]'")


def test_groups_a_folder_and_writes_its_map(scrapy: Scrapy, tmp_path: Path) -> None:
    folder = tmp_path / "gazette"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.html").write_text(story(number) if number < 8 else gallery(number))
    run = scrapy(tmp_path, "template", "gazette", "--html", "map.html", "--json", "map.json")
    assert run.code == 0, run.err
    assert "gazette" in run.out
    (site,) = json.loads((tmp_path / "map.json").read_text())
    assert sorted(site["groups"]) == [4, 8]
    assert site["measures"] is None
    assert "<svg" in (tmp_path / "map.html").read_text()


def test_gives_the_measures_of_the_thesis_where_there_is_a_gold(scrapy: Scrapy, tmp_path: Path) -> None:
    records = [{"site": "gazette", "html": story(n), "text": body_of(n)} for n in range(12)]
    records += [{"site": "courier", "html": story(n), "text": body_of(n)} for n in range(11)]
    (tmp_path / "news.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    run = scrapy(tmp_path, "template", "news.jsonl", "--site", "gazette", "--json", "map.json")
    assert run.code == 0, run.err
    (site,) = json.loads((tmp_path / "map.json").read_text())
    assert (site["answered"], site["zones"]) == (1, {"div.body": 12})
    alone = site["outliers"] / 12
    assert alone < 0.2
    assert site["measures"] == {
        "exactitude": 1, "cosine": pytest.approx(1, abs=1e-3), "equal": pytest.approx(1 - alone),
        "inside": 0, "around": pytest.approx(alone), "element": 0,  # the body holds a line to share the story, too
    }  # fmt: skip


def test_prints_the_article_of_each_kept_page_of_a_site(
    scrapy: Scrapy, crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    paths = [f"/2026/05/20/the-harvest-of-island-number-{number}.html" for number in range(6)]
    served = {path: html(story(number).encode()) for number, path in enumerate(paths)}
    web = tiny_web({"/": html(listing(*paths)), **served})
    keep = ("-s", "NEWSEXTRACT_WARC=output/warc")
    assert crawl(tmp_path, web.home, *keep).code == 0
    site = web.home.removeprefix("http://").strip("/")
    run = scrapy(tmp_path, "template", site, *keep)
    assert run.code == 0, run.err
    assert all(body_of(number) in run.out for number in range(6))
    assert "div.body" in run.out
    few = scrapy(tmp_path, "template", site, "--pages", "4", *keep)
    assert (few.code, few.out, few.err) == (1, "", f"{site}: 4 kept pages, and five or more are needed\n")


def test_says_what_it_needs(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "a.html").write_text(story(1))
    run = scrapy(tmp_path, "template", "few")
    assert run.code == 1
    assert "five pages" in run.err
    assert (
        "a corpus is a file"
        in scrapy(tmp_path, "template", "nowhere").err + scrapy(tmp_path, "template", "nowhere").out
    )
