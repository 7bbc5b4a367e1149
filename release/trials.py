"""What a user does first with the wheel: as a library, a command, an add-on of a new Scrapy project, and a crawler."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any

from demo.server import serve
from release.commands import ReleaseError, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FILES = Path(__file__).with_name("trial")
PAGE = FILES / "story.html"
HEADLINE = "Harbour opens its new bridge"
SENTENCES = ("was opened to cyclists on Friday", "leaves every twenty minutes")

_LIBRARY = f"""
import sys
from newsextract import extract, read_article
html = open({str(PAGE)!r}, "rb").read()
assert not {{"scrapy", "twisted", "sqlalchemy"}} & set(sys.modules), "the library imports what it needs not"
article = read_article(html, "https://coast.example/bridge")
assert article.headline == {HEADLINE!r}, article.headline
assert article.datePublished.startswith("2026-11-20"), article.datePublished
print(extract(html).text)
"""

ARTICLES = 20
"""How many pages of the demo newsroom are crawled."""


def try_library(bin_folder: Path, folder: Path) -> None:
    """Extract a page from Python."""
    _has_the_story(
        run(bin_folder / "python", "-W", "error::DeprecationWarning:newsextract", "-c", _LIBRARY, folder=folder)
    )


def try_command(bin_folder: Path, folder: Path) -> None:
    """Extract the same page with the command."""
    command = bin_folder / "newsextract"
    run(command, "--version", folder=folder)
    _has_the_story(run(command, PAGE, folder=folder))
    found = json.loads(run(command, "--format", "json", PAGE, folder=folder))
    _expect(found["headline"] == HEADLINE, f"the headline is {found['headline']!r}")


def try_addon(bin_folder: Path, folder: Path) -> None:
    """Add the add-on to a new Scrapy project with a spider of its own: its items stay, and an article joins them."""
    scrapy = bin_folder / "scrapy"
    run(scrapy, "startproject", "coast", ".", folder=folder)
    copy(FILES / "spider.py.tmpl", folder / "coast" / "spiders" / "coast_spider.py")
    with (folder / "coast" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write((FILES / "settings.py.tmpl").read_text("utf-8"))
    with _served(FILES) as site:
        run(scrapy, "crawl", "coast", "-a", f"page={site}/story.html", "-O", "items.jsonl", folder=folder)
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    _expect([each["paragraphs"] for each in items if "paragraphs" in each] == [3], f"its own item is not in {items}")
    _expect([each["headline"] for each in items if "headline" in each] == [HEADLINE], f"no article is in {items}")
    _expect(_rows(folder) == 1, "the article is not in the database")
    _expect(
        HEADLINE in run(scrapy.with_name("newsextract"), "search", "bridge NOT ferryman", folder=folder),
        "search does not find it",
    )


def try_crawl(bin_folder: Path, folder: Path) -> None:
    """Crawl the demo newsroom from that project, with the spider that comes with the package."""
    limits = ("-a", f"limit={ARTICLES}", "-s", "NEWSEXTRACT_PROGRESS=0")
    with serve() as servers:
        sites = ",".join(server.home for server in servers)
        run(bin_folder / "scrapy", "crawl", "news", "-a", f"sites={sites}", *limits, folder=folder)
    _expect(_rows(folder) > ARTICLES // 2, f"only {_rows(folder)} articles are in the database")


TRIALS: Mapping[str, Mapping[str, Callable[[Path, Path], None]]] = {
    "": {"library": try_library, "command": try_command},
    "crawl": {"add-on": try_addon, "crawl": try_crawl},
}
"""By the extra that they need, in their order: the crawl uses the project that the add-on was tried in."""


def _has_the_story(text: str) -> None:
    _expect(all(each in text for each in SENTENCES), f"sentences of the story are missing from {text!r}")
    _expect("Imprint" not in text and "Weather" not in text, f"boilerplate is left in {text!r}")


def _expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ReleaseError(otherwise)


def _rows(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "articles.db")) as database:
        count: int = database.execute("SELECT count(*) FROM articles").fetchone()[0]
    return count


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
