"""The command `newsextract`: pages from anywhere, articles in any format, errors each, and an exit code."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from newsextract import read_article
from newsextract.cli import main
from newsextract.tools.pages import FORMS
from tests.scrapy_runs import STORY, Reply, html, listing, moved, story

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.scrapy_runs import TinySite, TinyWeb

PRIVATE = "NEWSEXTRACT_PRIVATE_ADDRESSES"
SENTENCE = "The mayor of town number {} opened the bridge"


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with some pages."""
    folder = tmp_path / "pages"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "1.html").write_bytes(story(1))
    (folder / "deep" / "2.HTM").write_bytes(story(2))
    (folder / "deep" / "er" / "1.html").write_bytes(story(3))
    (folder / "notes.txt").write_text("no page")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command in this process; return its exit code and what it printed."""

    def call(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as exit_:
            code = int(str(exit_.code))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


Run = Any


def test_prints_the_text_of_a_file(run: Run, pages: Path) -> None:
    code, out, err = run(pages / "1.html")
    assert (code, err) == (0, "")
    assert out.startswith(SENTENCE.format(1))
    assert out.count("Part") == 8


@pytest.mark.parametrize("form", sorted(FORMS))
def test_prints_one_page_in_every_format(form: str, run: Run, pages: Path) -> None:
    code, out, err = run(pages / "1.html", "--format", form, "--url", "https://a.example/1")
    assert (code, err) == (0, "")
    assert SENTENCE.format(1) in out
    assert out.endswith("\n")
    assert not out.endswith("\n\n")


def test_json_is_the_article(run: Run, pages: Path) -> None:
    url = "https://a.example/1"
    expected = read_article((pages / "1.html").read_bytes(), url).to_dict()
    for form in ("json", "jsonl"):
        found = json.loads(run(pages / "1.html", "--format", form, "--url", url)[1])
        assert {**found, "metadata": None} == {**expected, "metadata": None}


def test_csv_has_a_row_an_article_with_lists_as_json(run: Run, pages: Path) -> None:
    (pages / "1.html").write_bytes(story(1, head='<meta name="keywords" content="bridges, old rivers">'))
    rows = list(csv.DictReader(io.StringIO(run(pages, "--format", "csv", "--jobs", 1)[1])))
    assert [row["headline"] for row in rows] == ["Bridge 1", "Bridge 2", "Bridge 3"]
    assert json.loads(rows[0]["keywords"]) == ["bridges", "old rivers"]
    assert (rows[1]["keywords"], rows[1]["wordCount"].isdecimal()) == ("", True)
    assert rows[0]["articleBody"].count("\n") == 7


def test_a_folder_is_all_its_pages_in_order(run: Run, pages: Path) -> None:
    code, out, _ = run(pages, "--format", "jsonl", "--jobs", 2)
    assert code == 0
    assert [json.loads(line)["headline"] for line in out.splitlines()] == ["Bridge 1", "Bridge 2", "Bridge 3"]


def test_several_pages_in_one_stream_can_be_told_apart(run: Run, pages: Path) -> None:
    names = (pages / "1.html", pages / "deep" / "2.HTM")
    one, other = (f"==> {name} <==\n{SENTENCE.format(n)}" for n, name in enumerate(names, start=1))
    text = run(*names, "--jobs", 1)[1]
    assert text.startswith(one)
    assert f"\n\n{other}" in text
    assert [each["headline"] for each in json.loads(run(*names, "--format", "json")[1])] == ["Bridge 1", "Bridge 2"]
    assert "\n\n---\n\n# Bridge 2\n" in run(*names, "--format", "markdown")[1]
    assert f'</article>\n<article data-source="{names[1]}">\n<p>' in run(*names, "--format", "html")[1]


def test_errors_are_of_their_page_and_the_others_are_read(run: Run, pages: Path) -> None:
    (pages / "a.pdf").write_bytes(b"%PDF-1.7")
    (pages / "empty.html").write_bytes(b"")
    (pages / "script.html").write_text("<script>let a = 1</script>")
    names = [pages / name for name in ("missing.html", "1.html", "a.pdf", "empty.html", "script.html", "deep/2.HTM")]
    code, out, err = run(*names, "--format", "jsonl")
    assert code == 1
    assert [json.loads(line)["headline"] for line in out.splitlines()] == ["Bridge 1", None, None, "Bridge 2"]
    reasons = [line.partition(": ")[2] for line in err.splitlines()]
    assert reasons == ["no such file", "not HTML: a PDF document", *["auto found no main content"] * 2]


def test_what_has_no_body_is_not_printed_as_text(run: Run, pages: Path) -> None:
    (pages / "1.html").write_text("<script>let a = 1</script>")
    assert run(pages / "1.html") == (1, "", f"{pages / '1.html'}: auto found no main content\n")


def test_a_fault_that_one_page_brings_to_light_loses_no_other(run: Run, pages: Path) -> None:
    (pages / "2.html").write_text("<p>fail here</p>")
    faulty = "tests.tools.deadly_extractor.Deadly"
    code, out, err = run(pages, "-x", faulty, "--jobs", 2, "--format", "jsonl")
    assert code == 1
    assert [json.loads(line)["headline"] for line in out.splitlines()] == ["Bridge 1", "Bridge 2", "Bridge 3"]
    assert err == f"{pages / '2.html'}: it was not read, for a fault: KeyError: 'fault'\n"


def test_a_page_that_kills_or_blocks_its_process_takes_no_other_with_it(run: Run, pages: Path) -> None:
    (pages / "2.html").write_text("<p>die here</p>")
    (pages / "3.html").write_text("<p>hang here</p>")
    deadly = "tests.tools.deadly_extractor.Deadly"
    code, out, err = run(pages, "-x", deadly, "--jobs", 2, "--timeout", 15, "--format", "jsonl")
    assert code == 1
    assert [json.loads(line)["headline"] for line in out.splitlines()] == ["Bridge 1", "Bridge 2", "Bridge 3"]
    assert "2.html: its process died" in err
    assert "3.html: not read within 15 seconds" in err
    assert len(err.splitlines()) == 2


def test_writes_a_file_for_each_page(run: Run, pages: Path) -> None:
    code, out, _ = run(pages, pages / "1.html", "-o", "out", "--format", "markdown")
    assert (code, out) == (0, "")
    out_folder = pages.parent / "out"
    written = {path.relative_to(out_folder).as_posix(): path for path in out_folder.rglob("*.*")}
    assert sorted(written) == ["1-2.md", "1.md", "deep/2.md", "deep/er/1.md"]
    assert written["1.md"].read_text() == written["1-2.md"].read_text()
    assert written["deep/er/1.md"].read_text().startswith("# Bridge 3\n\n")


def test_files_are_not_replaced_unless_asked(run: Run, pages: Path) -> None:
    kept = pages.parent / "out" / "1.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    code, _, err = run(pages / "1.html", "-o", "out")
    assert (code, kept.read_text()) == (1, "mine")
    assert "1.txt is there already; --overwrite replaces it" in err
    assert run(pages / "1.html", "-o", "out", "--overwrite")[0] == 0
    assert SENTENCE.format(1) in kept.read_text()


def test_a_page_is_never_replaced_by_its_own_text(run: Run, pages: Path) -> None:
    before = (pages / "1.html").read_bytes()
    code, _, err = run(pages / "1.html", "-o", pages, "--format", "html", "--overwrite")
    assert (code, (pages / "1.html").read_bytes()) == (1, before)
    assert "is a page that is read; -o names another folder" in err


def test_the_options_of_extraction_reach_every_page(run: Run, pages: Path) -> None:
    table = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    page = story(1).replace(
        b"</h1>", f'</h1><p><a href="https://b.example/">Link</a></p>{table}<img src=/i.jpg>'.encode()
    )
    (pages / "1.html").write_bytes(page)
    arguments = (pages / "1.html", "-x", "everything", "--format", "html", "--url", "https://a.example/")
    whole = run(*arguments)[1]
    assert all(part in whole for part in ("<table>", "b.example", "i.jpg"))
    bare = run(*arguments, "--no-tables", "--no-links", "--no-images")[1]
    assert not [part for part in ("<table>", "b.example", "i.jpg") if part in bare]
    code, out, err = run(pages / "1.html", "--min-words", 5_000)
    assert (code, out) == (1, "")
    assert "and at least 5000 were asked for" in err
    assert run(pages / "1.html", "--prefer", "precision")[0] == 0
    assert run(pages / "1.html", "-x", "eatiht:min_chars=30:cleaning=wutsi")[0] == 0


@pytest.mark.parametrize(("arguments", "message"), [
    (["1.html", "--format", "pdf"], "'pdf' is not one of"),
    (["1.html", "-x", "msss"], "no extractor is called 'msss'; there are"),
    (["1.html", "-x", "mss", "--prefer", "recall"], "extractor 'mss' has no option 'prefer'"),
    (["1.html", "--min-words", "-1"], "min_words is a number of words"),
    (["1.html", "-x", "eatiht:version"], "'version' is no option with a value; write it like eatiht:min_chars=20"),
    (["1.html", "-x", "eatiht:version=9"], "extractor 'eatiht': `version` must be 1 or 2"),
    (["1.html", "-x", "wutsi:min_chars=-5"], "extractor 'wutsi': min_chars is a number from 0 on, not -5"),
    (["1.html", "-x", "template"], "'template' needs 5 pages of a site or more"),
    (["1.html", "--jobs", "0"], "Invalid value for '--jobs'"),
    (["1.html", "--timeout", "0"], "Invalid value for '--timeout'"),
    (["1.html", "--overwrite"], "--overwrite is of files; -o names their folder"),
    (["1.html", "-o", "1.html"], "-o: 1.html is a file, not a folder"),
    (["1.html", "1.html", "--url", "https://a.example/"], "--url is the URL of one page"),
    (["-", "-"], "-: standard input is one page"),
    (["empty"], "empty: no file in this folder ends in .html"),
    (["1.html", "-s", f"{PRIVATE}=10.0.0.0/99"], "'10.0.0.0/99' is neither a host nor a network"),
])  # fmt: skip
def test_a_mistake_in_the_arguments_is_one_line(arguments: list[str], message: str, run: Run, pages: Path) -> None:
    os.chdir(pages)
    (pages / "empty").mkdir()
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    robots = Reply(b"User-agent: *\nDisallow: /members/")
    return tiny_web({STORY: html(story()), "/moved": moved(STORY), "/robots.txt": robots, "/members/": html(story())})


def test_fetches_urls(run: Run, pages: Path, site: TinySite) -> None:
    urls = [f"{site.home}moved", f"{site.home}members/", f"{site.home}nowhere"]
    code, _, err = run(*urls, pages / "1.html", "-s", f"{PRIVATE}=127.0.0.1", "-o", "out", "--format", "json")
    assert code == 1
    assert [line.split(": ")[1] for line in err.splitlines()] == ["forbidden by robots.txt", "the site answered 404"]
    names = {path.name: json.loads(path.read_text())["url"] for path in (pages.parent / "out").iterdir()}
    assert names == {f"127.0.0.1-{site.server_port}-moved.json": site.home.rstrip("/") + STORY, "1.json": None}


def test_private_addresses_are_not_fetched(run: Run, site: TinySite) -> None:
    code, out, err = run(site.home)
    assert (code, out) == (1, "")
    assert err == f"{site.home}: private address: 127.0.0.1; if it is meant, allow it: -s {PRIVATE}=127.0.0.1\n"


def test_the_proxy_of_the_environment_is_used(run: Run, site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://news.example{STORY}"
    site.routes = {**site.routes, url: html(story(7))}
    monkeypatch.setenv("http_proxy", site.home)
    assert SENTENCE.format(7) in run(url)[1]
    assert run("http://10.1.2.3/")[2].startswith("http://10.1.2.3/: private address: 10.1.2.3")


def test_a_home_page_is_said_to_be_a_listing(run: Run, tiny_web: TinyWeb) -> None:
    headlines = [f"/2026/05/20/the-mayor-of-the-town-opens-bridge-number-{number}.html" for number in range(30)]
    home = tiny_web({"/": html(listing(*headlines))}).home
    assert "a listing of articles rather than one" in run(home, "-s", f"{PRIVATE}=127.0.0.1")[2]


def test_a_url_without_its_scheme_gets_a_hint(run: Run) -> None:
    assert run("example.com/story.html")[2] == (
        "example.com/story.html: no such file; if it is a URL: https://example.com/story.html\n"
    )


def test_of_several_pages_each_record_names_its_file_and_the_url_that_it_states(run: Run, pages: Path) -> None:
    (pages / "1.html").write_bytes(story(1, head='<link rel="canonical" href="https://a.example/1">'))
    first, second, _ = (json.loads(line) for line in run(pages, "--format", "jsonl", "--jobs", 1)[1].splitlines())
    assert (first["source"], first["url"]) == (str(pages / "1.html"), "https://a.example/1")
    assert (second["source"], second["url"]) == (str(pages / "deep" / "2.HTM"), None)


def test_errors_do_not_change_the_terminal(run: Run, pages: Path) -> None:
    (pages / "a\x1b[2J.html").write_bytes(b"%PDF-1.7")
    assert r"a\x1b[2J.html: not HTML" in run(pages)[2]
