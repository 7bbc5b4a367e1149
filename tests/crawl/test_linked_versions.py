"""Pages that show no article are read from the AMP or print version that they link, as politely as any page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.crawl.second_readings import MOST_WITHOUT_ARTICLE
from tests.scrapy_runs import Reply, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinyWeb

CHOOSY = """
from newsextract import create_extractor
from newsextract.page.page import PageError

class Choosy:
    name = "choosy"

    def extract(self, page):
        if "BROKEN" in str(page.html):
            raise PageError("broken", "a page that cannot be read")
        return create_extractor("mss").extract(page)
"""

PATHS = [f"/2026/05/20/a-bridge-opens-after-many-years-{number}.html" for number in range(12)]


def bare(*links: str) -> Reply:
    """Return a page without text that links versions of itself."""
    return html(f"<html><head><title>Bridge</title>{''.join(links)}</head><body><p>Soon.</p></body></html>".encode())


def amp(path: str) -> str:
    return f'<link rel="amphtml" href="{path}">'


def printed(path: str) -> str:
    return f'<link rel="alternate" media="print" href="{path}">'


def canonical(path: str) -> str:
    return f'<link rel="canonical" href="{path}">'


def told(run: Run) -> dict[str, str]:
    """Return where the text of each article is from, by its path."""
    return {
        "/" + line["url"].split("/", 3)[3]: warning.rpartition("/")[2]
        for line in run.lines
        for warning in line["extraction"]["warnings"]
        if "the version that it links" in warning
    }


def test_reads_amp_else_print_and_keeps_the_address_of_the_page(
    crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    site = tiny_web(
        {
            "/": html(listing(*PATHS[:4])),
            PATHS[0]: bare(printed("/print0"), amp("/amp0")),
            "/amp0": html(story(0, head=canonical(PATHS[0]))),
            PATHS[1]: bare(printed("/print1"), amp("/amp1")),
            "/amp1": moved(PATHS[1]),  # as where AMP was given up
            "/print1": html(story(1)),
            PATHS[2]: bare(amp("/amp2")),
            "/amp2": html(story(2, head=canonical("/somewhere-else"))),
            PATHS[3]: html(story(3, head=amp("/amp3"))),
            "/amp3": html(story(4)),
        }
    )
    run = crawl(tmp_path, site.home, "-s", f"NEWSEXTRACT_DATABASE=sqlite:///{tmp_path}/news.db")
    assert told(run) == {PATHS[0]: "amp0", PATHS[1]: "print1"}
    assert len(run.lines) == 3
    assert run.reasons["article/from a linked version"] == 2
    assert (run.stats["newsextract/linked_versions/asked"], run.stats["newsextract/linked_versions/articles"]) == (4, 2)
    assert run.adds_up()
    assert site.log.count("/amp3") == 0
    assert site.log.count("/print0") == 0


def test_goes_on_after_a_version_that_cannot_be_read(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    site = tiny_web(
        {
            "/": html(listing(*PATHS[:2])),
            PATHS[0]: bare(amp("/amp0"), printed("/print0")),
            "/amp0": html(b"<p>BROKEN</p>" + story(0)),
            "/print0": html(story(0)),
            PATHS[1]: bare(amp("/amp1")),
            "/amp1": html(b"<p>BROKEN</p>" + story(0)),
        }
    )
    (tmp_path / "choosy.py").write_text(CHOOSY)
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_EXTRACTOR=choosy.Choosy")
    assert told(run) == {PATHS[0]: "print0"}
    assert "error" not in run.states
    assert run.adds_up()


def test_robots_txt_and_the_owner_count_for_versions_too(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    foreign = tiny_web({"/amp": html(story(9))})
    site = tiny_web(
        {
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /amp"),
            "/": html(listing(*PATHS[:3])),
            PATHS[0]: bare(amp("/amp0")),
            "/amp0": html(story(0)),
            PATHS[1]: bare(amp(f"{foreign.home}amp")),
            PATHS[2]: bare(printed("/print")),
            "/print": moved(f"{foreign.home}amp"),
        }
    )
    run = crawl(tmp_path, site.home, "-s", "ROBOTSTXT_OBEY=True")
    assert not run.lines
    assert "/amp0" not in site.log
    assert run.stats["newsextract/linked_versions/failed/IgnoreRequest"] == 1


def test_a_version_that_several_pages_link_is_asked_for_once(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    pages = dict.fromkeys(PATHS, bare(amp("/amp")))
    site = tiny_web({"/": html(listing(*PATHS)), **pages, "/amp": html(story(1))})
    run = crawl(tmp_path, site.home)
    assert (len(run.lines), site.log.count("/amp")) == (1, 1)


def test_a_site_whose_versions_are_no_articles_is_given_up(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    paths = [f"/2026/05/20/a-bridge-opens-after-many-years-{number}.html" for number in range(60)]
    site = tiny_web({"/": html(listing(*paths)), **{path: bare(amp(f"/amp{path}")) for path in paths}})
    run = crawl(tmp_path, site.home, "-s", "CONCURRENT_REQUESTS=2")
    # Those under way when the eighth has ended are asked for, too.
    assert MOST_WITHOUT_ARTICLE <= run.stats["newsextract/linked_versions/asked"] < len(paths) / 2
    assert not run.lines


def test_versions_that_are_under_way_are_not_in_vain(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    pages = {path: bare(amp(f"/amp{path}")) for path in PATHS}
    versions = {f"/amp{path}": html(story(number)) for number, path in enumerate(PATHS)}
    run = crawl(tmp_path, tiny_web({"/": html(listing(*PATHS)), **pages, **versions}).home)
    assert len(run.lines) == len(PATHS)
