"""Crawls that keep their pages, and `newsextract replay` over them; and `newsextract compare`."""

from __future__ import annotations

import gzip
import json
import sqlite3
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html as lxml_html
from scrapy.settings import Settings

from newsextract.archives.warc import read_records
from newsextract.cli import main
from newsextract.page.page import Page
from newsextract.reading.extraction.contract import Extraction, create_extractor
from newsextract.tools.crawl import check_settings
from newsextract.tools.evaluate import comparable_names, compare_page, kept_blocks, report_page
from tests.scrapy_runs import html, listing, moved
from tests.tools.extractors import EXTRACTORS, STORY, Dawdles, Keeps

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinyWeb


PATHS = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(4)]
KEEP = ("-s", "NEWSEXTRACT_WARC=output/warc")


def story(number: int) -> bytes:
    """Return a story with a menu that only a weak extractor keeps."""
    sentence = f"The mayor of town number {number} opened the bridge that its people had asked for during many years."
    text = "".join(f"<p>{sentence} Part {part} of the long story about it follows.</p>" for part in range(8))
    head = f'<meta property="og:type" content="article"><title>Bridge {number}</title>'
    menu = "<nav><ul><li><a href=/>Home</a><li><a href=/s>Sport</a></ul></nav>"
    return f"<html><head>{head}</head><body>{menu}<h1>Bridge {number}</h1>{text}</body></html>".encode()


@pytest.fixture(scope="module")
def kept(crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory, tiny_web: TinyWeb) -> Run:
    folder = tmp_path_factory.mktemp("kept")
    stories = {path: html(story(number)) for number, path in enumerate(PATHS)}
    return crawl(folder, tiny_web({"/": html(listing(*PATHS)), **stories}).home, *KEEP)


def test_every_stored_article_has_its_page(kept: Run) -> None:
    assert kept.code == 0, kept.err
    assert kept.stats["newsextract/kept_pages/kept"] == len(kept.rows) == len(PATHS)
    (file,) = (kept.folder / "output" / "warc").iterdir()
    assert file.name.endswith(".warc.gz")


def test_the_same_version_reads_the_same(kept: Run, scrapy: Scrapy) -> None:
    run = scrapy(kept.folder, "replay", *KEEP, "--since", "1d", "--jobs", "2")
    assert run.code == 0, run.out + run.err
    assert "4 pages read again: nothing would change" in run.out


def test_another_extractor_shows_what_would_change_and_writes_nothing(kept: Run, scrapy: Scrapy) -> None:
    before = kept.rows
    shown = scrapy(kept.folder, "replay", *KEEP, "-x", "everything", "--diff")
    assert shown.code == 1, shown.err
    assert "+Home" in shown.out
    told = json.loads(scrapy(kept.folder, "replay", *KEEP, "-x", "everything", "--limit", "3", "--json").out)
    assert told["total"]["changed"] == 3
    assert told["total"]["fields"]["body"] == {"changed": 3}
    assert kept.rows == before


def test_the_archive_command_reads_the_same_articles(kept: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="wants the extra `archive`")
    warcs = kept.folder / "output" / "warc"
    assert main(["archive", "--jobs", "1", str(warcs), "-o", str(tmp_path / "out")]) == 0
    (path,) = (tmp_path / "out" / "articles").rglob("[!_]*.parquet")
    names = ("headline", "article_body", "date_published", "in_language")
    read = {row["url"]: [row[name] for name in names] for row in parquet.read_table(path).to_pylist()}
    with sqlite3.connect(kept.folder / "output" / "newsextract.db") as database:
        stored = {url: rest for url, *rest in database.execute(f"select url, {', '.join(names)} from articles")}  # noqa: S608
    assert read == stored


def test_a_page_that_is_the_same_in_another_run_is_a_revisit(
    crawl: Scrapy, scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    packed = html(gzip.compress(story(0), mtime=0), Content_Encoding="gzip")
    web = tiny_web({"/": html(listing(*PATHS[:2])), PATHS[0]: packed, PATHS[1]: html(story(1)), "/old": moved("/")})
    assert [crawl(tmp_path, f"{web.home}old", *KEEP, "-a", "fresh=1").code for _ in range(2)] == [0, 0]
    files = (tmp_path / "output" / "warc").iterdir()
    found = [(each.type, each.url, each.status) for path in files for each in read_records(BytesIO(path.read_bytes()))]
    assert ("response", f"{web.home}old", 302) in found
    assert ("revisit", web.home, 200) in found
    assert "2 pages read again: nothing would change; body F1 1" in scrapy(tmp_path, "replay", *KEEP).out


def test_pruning_forgets_rows_and_files(kept: Run, scrapy: Scrapy) -> None:
    with sqlite3.connect(kept.folder / "output" / "newsextract.db") as database:
        database.execute("update kept_pages set date_fetched = '2020-01-01T00:00:00+00:00'")
        database.execute("update warc_records set date_fetched = '2020-01-01T00:00:00+00:00'")
    run = scrapy(kept.folder, "replay", *KEEP, "--prune", "90d")
    assert run.out.startswith("4 pages forgotten")
    assert not list((kept.folder / "output" / "warc").iterdir())
    assert scrapy(kept.folder, "replay", *KEEP).code == 1


@pytest.mark.parametrize(("folder", "database", "told"), [
    (7, "sqlite://", "7 is not a path of a folder"),
    ("/dev/null/pages", "sqlite://", "cannot write to /dev/null/pages"),
])  # fmt: skip
def test_a_folder_that_cannot_work_is_an_error_at_start(folder: object, database: str | None, told: str) -> None:
    settings = Settings({"NEWSEXTRACT_WARC": folder, "NEWSEXTRACT_DATABASE": database, "NEWSEXTRACT_WORKERS": 0})
    with pytest.raises(ValueError, match=told):
        check_settings(settings)


NAMES = list(EXTRACTORS)


def compared(html: str = STORY) -> dict[str, Any]:
    return compare_page("story.html", Page(html), EXTRACTORS)


def row(name: str, html: str = STORY) -> dict[str, Any]:
    found: dict[str, Any] = compared(html)["extractors"][NAMES.index(name)]
    return found


def test_says_why_an_extractor_has_no_vote() -> None:
    assert row("everything")["remarks"] == "no vote: control, chooses nothing"
    assert row("nothing")["remarks"] == "no vote: kept nothing"
    assert row("exact")["remarks"] == ""


def test_lists_who_kept_each_block() -> None:
    by = {text: [NAMES[number] for number in numbers] for text, numbers in compared()["blocks"]}
    assert by["The mayor opens a bridge"] == ["titled", "greedy", "everything"]
    assert by["The ferry makes its last journey on Friday evening."] == [
        "exact", "titled", "greedy", "short", "everything",
    ]  # fmt: skip
    assert by["All rights reserved by the Gazette."] == ["greedy", "everything"]


def test_gives_the_agreement_with_the_majority_and_in_pairs() -> None:
    assert row("exact")["majority"] == 1.0  # three of four voters keep its blocks
    assert 0.9 < row("titled")["majority"] < 1.0
    pairs = [each["pairs"] for each in compared()["extractors"]]
    assert all(pairs[n][n] == 1.0 for n in range(len(pairs)))
    assert pairs[0][1] == pairs[1][0]
    assert pairs[NAMES.index("nothing")][0] == 0.0


def test_says_how_much_of_what_is_kept_all_keep() -> None:
    found = compared()
    assert 0.4 < found["unanimity"] < 0.6
    assert found["disputed"] == 4
    assert compared("<p>Nothing that anybody wants</p>")["unanimity"] is None


def test_counts_a_block_of_which_a_part_is_kept_by_its_larger_part() -> None:
    page = Page("<p>one <b>two three four five</b> six</p>")
    whole = page.blocks[0]
    assert kept_blocks(page, Extraction("most", (whole.cut(1, 2),))) == {0}
    assert kept_blocks(page, Extraction("least", (whole.cut(0, 1),))) == set()


def test_places_what_was_found_through_a_mask_and_nothing_that_is_not_on_the_page() -> None:
    page = Page(STORY)
    assert kept_blocks(page, create_extractor("everything", cleaning="wutsi").extract(page))
    elsewhere = Page("<p>a body from somewhere else</p>").blocks
    assert not kept_blocks(page, Extraction("e", elsewhere))


def test_shows_the_error_of_one_extractor_and_goes_on_with_the_others() -> None:
    assert row("fails")["remarks"].startswith("ZeroDivisionError: no letters in")
    assert row("exact")["ms"] > 0


def test_stops_an_extractor_that_takes_too_long() -> None:
    found = compare_page("a", Page(STORY), {"slow": Dawdles(), "quick": Keeps(("ferry",))}, seconds=2.0)
    slow, quick = found["extractors"]
    assert slow["remarks"] == "too slow"
    assert quick["words"] > 0


def test_compares_by_default_all_that_can_read_a_page_alone() -> None:
    names = comparable_names()
    assert names[0] == "auto"
    assert names[-1] == "everything"
    assert {"mss", "eatiht", "wutsi", "html_killer", "dom_criteria"} <= set(names)
    assert "template" not in names


def test_nothing_of_a_hostile_page_is_markup_in_the_file() -> None:
    breakout = "</script></title><img src=x onerror=alert(1)><script>alert(1)</script>"
    page = Page(f"<title>&lt;/title>{breakout}</title><p>{breakout.replace('<', '&lt;')} a bridge</p>")
    found = compare_page(breakout, page, {"everything": Keeps(("",)), f"x{breakout}": Keeps(("bridge",))})
    tree = lxml_html.document_fromstring(report_page([found, found]))
    assert len(tree.findall(".//script")) == 1
    assert not tree.findall(".//img")
    assert tree.findall(".//*[@data-by]")[-1].text_content().endswith("a bridge")
