"""Counts the code that one page of a crawl passes: from its response to its stored row, outside `page/` and `reading/`.

python -m benchmarks.page_way [--list]

A site of a home page and twelve articles is crawled in this process, without workers, with a watch rule and a target of
messages; what runs between the response of the last article and the commit of its row is counted in all threads.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings
from sqlalchemy import event
from sqlalchemy.engine import Engine

import newsextract
from tests.scrapy_runs import Reply, TinySite, html, listing, serving, story

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(newsextract.__file__).parent
LEFT_OUT = ("page/", "reading/")
PATHS = [f"/bridges/2026/bridge-number-{number}-of-the-mayor-is-open" for number in range(12)]


class Way:
    """What is counted between two moments."""

    passed: ClassVar[Counter[tuple[str, str]]] = Counter()
    is_open = False
    is_stored = False


def last(_path: str) -> Reply:
    """Answer with the last article, and begin."""
    Way.is_open = True
    return html(story(len(PATHS)))


def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
    """Notice the row."""
    if Way.is_open and statement.lower().startswith("insert into articles"):
        Way.is_stored = True


def committed(_connection: Any) -> None:
    """End with its commit."""
    if Way.is_stored:
        Way.is_open = False


def noted(frame: FrameType, happened: str, _argument: object) -> None:
    """Count a call of our code."""
    if happened == "call" and Way.is_open:
        path = frame.f_code.co_filename
        if path.startswith(str(ROOT)):
            name = Path(path).relative_to(ROOT).as_posix()
            if not name.startswith(LEFT_OUT):
                Way.passed[name, frame.f_code.co_qualname] += 1


def main() -> None:
    """Crawl, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="the functions, too")
    options = parser.parse_args()
    event.listen(Engine, "before_cursor_execute", executed)
    event.listen(Engine, "commit", committed)
    threading.setprofile(noted)
    sys.setprofile(noted)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NEWSEXTRACT_OUTPUT"] = folder
        os.environ["SCRAPY_SETTINGS_MODULE"] = "settings.development"
        settings = get_project_settings()
        settings.setdict({"LOG_LEVEL": "ERROR", "NEWSEXTRACT_PROGRESS": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 1})
        (Path(folder) / "watch.yml").write_text("watches: [{name: bridge, query: bridge}]\n")
        settings.set("NEWSEXTRACT_WATCH", f"{folder}/watch.yml")
        settings.set("NEWSEXTRACT_MESSAGES", f"{folder}/messages.jsonl")
        stories: dict[str, Any] = {path: html(story(number)) for number, path in enumerate(PATHS[:-1])}
        with serving(TinySite()) as site:
            site.routes = {"/": html(listing(*PATHS)), **stories, PATHS[-1]: last}
            process = CrawlerProcess(settings)
            process.crawl("news", sites=site.home)
            process.start()
    threading.setprofile(None)
    sys.setprofile(None)
    files = {name for name, _ in Way.passed}
    print(f"{len(files)} files, {len(Way.passed)} functions, {Way.passed.total()} calls")
    if options.list:
        for (name, function), count in sorted(Way.passed.items()):
            print(f"{count:5} {name} {function}")


if __name__ == "__main__":
    main()
