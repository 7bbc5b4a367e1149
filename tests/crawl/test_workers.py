"""Crawls whose pages are read by worker processes."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.scrapy_runs import html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

POOL = ("-s", "NEWSEXTRACT_WORKERS=2", "-s", "NEWSEXTRACT_PAGE_SECONDS=4", "-s", "NEWSEXTRACT_EXTRACTOR=sleepy.Sleepy")

SLEEPY = """
import time
from newsextract import create_extractor

class Sleepy:
    name = "sleepy"

    def extract(self, page):
        if "MONSTER" in str(page.html):
            time.sleep(600)
        return create_extractor("mss").extract(page)
"""
"""No page known to us takes a worker longer than it may; so the extractor does."""

MONSTER = b"<p>MONSTER</p>" + story(0)


def path_of(number: int) -> str:
    return f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html"


def test_a_page_that_takes_too_long_ends_alone_and_a_home_page_still_leads_to_its_stories(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    pages = {path_of(number): html(story(number)) for number in range(6)}
    site = tiny_web({"/": html(listing(*pages, path_of(99))), **pages, path_of(99): html(MONSTER)})
    home = html(listing(path_of(7)) + b"<p>MONSTER</p>")
    other = tiny_web({"/": home, path_of(7): html(story(7))})
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    run = crawl(tmp_path, f"{site.home},{other.home}", *POOL)
    assert run.code == 0, run.err
    assert run.reasons["error/too slow"] == 2
    assert run.states == {"article": 7, "listing": 1, "error": 2}
    assert run.adds_up()
    assert len(run.rows) == 7
    assert run.stats["newsextract/workers/killed"] == 2
    assert "Traceback" not in run.err


def test_rules_reach_the_worker_processes(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    pages = {path_of(number): html(story(number)) for number in range(3)}
    home = tiny_web({"/": html(listing(*pages)), **pages}).home
    (tmp_path / "sites.yml").write_text(f"sites:\n  - start: {home}\n    rules: {{strip: 'p:first-of-type'}}\n")
    run = crawl(tmp_path, "sites.yml", "-s", "NEWSEXTRACT_WORKERS=2")
    assert run.code == 0, run.err
    bodies = [row["article_body"] for row in run.rows]
    assert [("Part 0 of" in body, "Part 1 of" in body) for body in bodies] == [(False, True)] * 3


def test_a_crawl_with_workers_reads_no_page_in_its_own_process() -> None:
    script = """
import sys
from scrapy.settings import Settings
from newsextract.addon import NewsExtract
from newsextract.crawl.readers import Readers, plan_from_settings
settings = Settings({"NEWSEXTRACT_DATABASE": "sqlite://", "NEWSEXTRACT_WORKERS": 2})
NewsExtract().update_settings(settings)  # loads every component
import newsextract.crawl.spider
Readers(plan_from_settings(settings), 2)
print(*{"numpy", "feedparser", "newsextract.reading.reader", "newsextract.page.blocks"}.intersection(sys.modules))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
