"""A crawl renders what it cannot read without a browser, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from newsextract.archives.warc import read_records
from newsextract.crawl.rendering.rendering import LEAST_TRIED
from tests.crawl.members_site import MembersSite
from tests.crawl.rendering.rig import NEEDS_BROWSER
from tests.crawl.rendering.web import SENTENCE, app_pages
from tests.crawl.test_subscriptions import SECRETS, places_of, whole, written
from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import Reply, environment, html, listing, story

if TYPE_CHECKING:
    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb


AUTO = ("-s", "NEWSEXTRACT_RENDER=auto", "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")
FROM_BROWSER = "the page was read as a browser shows it, with its scripts run"

pytestmark = NEEDS_BROWSER

PATHS = [f"/2026/05/20/a-bridge-opens-after-many-years-{number}.html" for number in range(3)]
STATIC = "/2026/05/20/a-story-that-needs-no-script-at-all.html"


def page_of(number: int) -> bytes:
    data = {
        "headline": f"Bridge {number}",
        "date": "2026-05-20",
        "paragraphs": [" ".join(SENTENCE.format(f"{number}{part}{each}") for each in range(3)) for part in range(5)],
    }
    script = f"fetch = async () => ({{json: async () => ({json.dumps(data)})}})"
    return (
        f'<!DOCTYPE html><title>Bridge {number}</title><div id="root"></div><script>{script}</script>'
        '<script src="/preact.js"></script>'
    ).encode()


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    scripts = {
        path: Reply(body[1].encode(), headers={"Content-Type": body[0]})
        for path, body in app_pages().items()
        if path.endswith(".js")
    }
    pages = {path: html(page_of(number)) for number, path in enumerate(PATHS)}
    return tiny_web({"/": html(listing(*PATHS, STATIC)), STATIC: html(story(7)), **pages, **scripts})


@pytest.fixture(scope="module")
def run(site: TinySite, crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return crawl(tmp_path_factory.mktemp("rendered"), site.home, *AUTO, "-s", "NEWSEXTRACT_WARC=warc")


def test_renders_the_pages_that_show_no_article_without(run: Run, site: TinySite) -> None:
    warnings = {line["headline"]: line["extraction"]["warnings"] for line in run.lines}
    assert {headline for headline, told in warnings.items() if told == [FROM_BROWSER]} == {
        f"Bridge {n}" for n in range(3)
    }
    assert len(run.lines) == 4
    assert run.stats["newsextract/rendered"] == run.stats["newsextract/render/articles"] == 3
    assert run.stats["newsextract/rendered_seconds"] > 0
    assert run.reasons["article/rendered"] == 3
    assert run.adds_up()
    assert site.log.count(STATIC) == 1


def test_a_rendered_page_is_a_resource_in_the_warc_beside_the_response(run: Run) -> None:
    (path,) = (run.folder / "warc").iterdir()
    records = [each for each in read_records(BytesIO(path.read_bytes())) if each.url and PATHS[0] in each.url]
    assert [each.type for each in records] == ["response", "request", "resource"]
    assert [b"<p>The mayor has opened" in (each.body or b"") for each in records] == [False, False, True]


def test_never_is_the_default(crawl: Scrapy, tmp_path: Path, site: TinySite) -> None:
    run = crawl(tmp_path, site.home)
    assert len(run.lines) == 1
    assert not any("render" in name for name in run.stats)


def test_always_renders_a_home_page_whose_links_are_a_scripts(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    links = listing(STATIC).decode().replace("\n", " ").replace("'", "")
    home = f"<!DOCTYPE html><title>News</title><body><script>document.body.innerHTML = '{links}'</script>".encode()
    own = tiny_web({"/": html(home), STATIC: html(story(7))})
    (tmp_path / "sites.yml").write_text(f"sites:\n  - start: {own.home}\n    render: always\n")
    run = crawl(tmp_path, "sites.yml", *AUTO[2:])
    assert [line["url"] for line in run.lines] == [f"{own.home.rstrip('/')}{STATIC}"]
    assert run.stats["newsextract/rendered"] == 2


def test_auto_renders_a_home_page_without_links_to_articles_each_time(
    crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    def serve(*paths: str) -> None:
        links = listing(*paths).decode().replace("\n", " ").replace("'", "")
        shell = b"<!DOCTYPE html><title>News</title><body><div id=root></div><script src=links.js></script>"
        script = Reply(f"document.body.innerHTML = '{links}'".encode())
        own.routes = {**own.routes, "/": html(shell, ETag='"same"'), "/links.js": script}

    own = tiny_web({STATIC: html(story(7)), PATHS[0]: html(story(8))})
    serve(STATIC)
    database = ("-s", f"NEWSEXTRACT_DATABASE=sqlite:///{tmp_path}/news.db")
    first = crawl(tmp_path, own.home, *AUTO, *database)
    assert [line["headline"] for line in first.lines] == ["Bridge 7"]
    assert first.stats["newsextract/rendered"] == 1
    assert first.adds_up()
    serve(STATIC, PATHS[0])
    again = crawl(tmp_path, own.home, *AUTO, *database, "-a", "only_new=1", "-a", "fresh=1")
    assert [line["headline"] for line in again.lines][-1] == "Bridge 8"
    assert again.stats["newsextract/rendered"] == 1


def test_a_site_without_articles_is_given_up(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    paths = [f"/2026/05/20/nothing-is-here-for-many-years-{number}.html" for number in range(20)]
    shell = b'<title>t</title><div id="root"></div><script>1</script>'
    pages = {path: html(shell + path.encode()) for path in paths}
    own = tiny_web({"/": html(listing(*paths[:10])), **pages})
    database = ("-s", f"NEWSEXTRACT_DATABASE=sqlite:///{tmp_path}/news.db")
    first = crawl(tmp_path, own.home, *AUTO, *database)
    # Those that are under way when the eighth has ended are read to their end.
    assert LEAST_TRIED <= first.reasons["other/little running text, rendered too"] <= 10
    own.routes = {**own.routes, "/": html(listing(*paths))}
    again = crawl(tmp_path, own.home, *AUTO, *database, "-a", "only_new=1", "-a", "fresh=1")
    assert "newsextract/rendered" not in again.stats
    assert again.stats["newsextract/render/not_worth_it"] >= 10


def test_a_browser_that_is_missing_is_an_error_at_start(crawl: Scrapy, tmp_path: Path, site: TinySite) -> None:
    run = crawl(tmp_path, site.home, *AUTO, "-s", "NEWSEXTRACT_RENDER_BROWSER=/nowhere/chromium")
    assert run.code != 0
    assert "NEWSEXTRACT_RENDER: /nowhere/chromium is no program of a browser: apt-get install chromium" in run.err


def test_the_cookies_of_a_subscription_reach_the_browser(crawl: Scrapy, tmp_path: Path) -> None:
    with MembersSite("127.0.0.1") as members:
        Thread(target=members.serve_forever, args=(0.02,), daemon=True).start()
        sites = written(tmp_path, members, "    render: always\n")
        run = crawl(tmp_path, sites, *AUTO[2:], "-a", "limit=3", **SECRETS)
        members.shutdown()
    assert run.stats["newsextract/rendered"] >= 3
    assert whole(run) == len(run.lines) >= 3
    assert not places_of([SECRETS["NEWS_WORD"]], run)


WAITING = b"<!DOCTYPE html><title>News</title><p>Soon.</p><script>fetch('/never')</script>"


def tree_of(root: int) -> set[int]:
    """Return a process and all that it has started, directly or not."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def is_running(pid: int) -> bool:
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


@pytest.mark.parametrize("ends", ["Ctrl-C twice", "SIGTERM", "SIGKILL"])
def test_leaves_no_browser_behind(ends: str, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({"/": html(WAITING), "/never": html(b"")})
    site.dripping.add("/never")
    files = Path(mkdtemp(prefix="crawl"))  # short: Chromium puts a socket there, whose path has a limit
    settings = ("RENDER=always", "PRIVATE_ADDRESSES=127.0.0.1")
    options = [part for each in settings for part in ("-s", f"NEWSEXTRACT_{each}")]
    with Path(os.devnull).open("rb") as nothing, (tmp_path / "log").open("wb") as log:
        crawl = ForkedScrapy(
            tmp_path,
            ("crawl", "news", "-a", f"sites={site.home}", *options),
            environment(TMPDIR=str(files)),
            (nothing, log, log),
        )
    try:
        wait_until(lambda: "/never" in site.log)
        processes = tree_of(crawl.pid)
        assert len(processes) > 5
        if ends == "Ctrl-C twice":
            crawl.signal_all(signal.SIGINT)  # as a terminal does
            time.sleep(0.6)
            crawl.signal_all(signal.SIGINT)
        else:
            os.kill(crawl.pid, signal.Signals[ends])
        crawl.wait()
        wait_until(lambda: not any(map(is_running, processes)))
        wait_until(lambda: not list(files.iterdir()))
    finally:
        crawl.signal_all(signal.SIGKILL)
        shutil.rmtree(files, ignore_errors=True)
