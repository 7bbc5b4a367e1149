"""A site of stories that is crawled run after run, and what the runs have left in a folder."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import Reply, environment, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scrapy_runs import TinySite


def path_of(number: int) -> str:
    return f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html"


def routes(stories: int) -> dict[str, Reply | Callable[[str], Reply]]:
    """Return a site whose home page leads to sections of ten stories each, with one among them twice."""
    pages = {path_of(number): html(story(number)) for number in range(stories)}
    paths = list(pages)
    sections = {f"/world{part}/": html(listing(*paths[part * 10 :][:10], paths[0])) for part in range(stories // 10)}
    return {"/": html(listing(*sections)), **sections, **pages}


def crawling(folder: Path, site: TinySite, *arguments: str) -> ForkedScrapy:
    command = ("crawl", "news", "-a", f"sites={site.home}", *arguments)
    with Path(os.devnull).open("r+b") as quiet:
        return ForkedScrapy(folder, command, environment(), (quiet, quiet, quiet))


def stored(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return [url for (url,) in database.execute("select url from articles")]


def exported(folder: Path) -> list[str]:
    lines = (folder / "output" / "articles.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["url"] for line in lines]
