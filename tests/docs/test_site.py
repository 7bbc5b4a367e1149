"""The site of the documentation: it is built without a warning, and what is generated is there."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import newsextract
from docs.generators.extractors import extractors_reference
from docs.generators.sphinx_pages import GENERATED
from newsextract.cli import VERBS
from newsextract.crawl import spider_arguments
from newsextract.reading.extraction import contract
from newsextract.reading.notices import PageState
from newsextract.settings import SETTINGS
from newsextract.storage.schema import articles
from tests.docs.examples import DOCS, PAGES, PROJECT, UnclearExampleError, examples_of

if TYPE_CHECKING:
    from pathlib import Path


SPHINX = ("furo", "myst_parser", "sphinx")

LINK = re.compile(r"\]\((?!#)([^)\s]+)\)")

GENERATED_PAGES = {"contributing.md", "changes.md", "security.md"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; warnings, which dead links inside are too, are errors."""
    missing = [name for name in SPHINX if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; pip install 'newsextract[docs]'")
    built = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "--builder", "html"]
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(built)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return built


def text_of(site: Path, page: str) -> str:
    """Return the words of a built page, without its tags."""
    return re.sub(r"<[^>]+>", "", (site / page).read_text("utf-8"))


def test_every_page_of_the_folder_is_built(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert [page for page in sorted(pages) if not (site / page).exists()] == []


def test_the_reference_names_all_that_there_is(site: Path) -> None:
    wanted = {
        "reference/commands.html": [f"newsextract {name}" for name in VERBS],
        "reference/page-states.html": [state.value for state in PageState],
        "reference/tables.html": [column.name for column in articles.columns],
        "reference/python-api.html": [name for name in newsextract.__all__ if name != "__version__"],
        "reference/extractors.html": list(newsextract.extractor_names()),
        "reference/news-spider.html": [f"-a {name}=" for name in spider_arguments.NAMES],
        "settings.html": list(SETTINGS),
    }
    assert [(page, name) for page, names in wanted.items() for name in names if name not in text_of(site, page)] == []


def test_the_reference_has_the_extractors_too_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = GENERATED["commands"](), extractors_reference()
    monkeypatch.setattr(contract, "_missing", lambda kind: list(getattr(kind, "requires", ())))
    assert not {"template", "trafilatura"} & set(newsextract.extractor_names())
    assert (GENERATED["commands"](), extractors_reference()) == there
    assert "`pip install 'newsextract[evaluate]'` brings" in there[1].partition("### `template`")[2]


def test_nothing_is_left_that_a_page_asked_to_be_generated(site: Path) -> None:
    asked = [mark for page in PAGES for mark in re.findall(r"<!-- generated: ([a-z ]+) -->", page.read_text("utf-8"))]
    assert Counter(asked) == Counter(list(GENERATED))
    assert all("&lt;!-- generated" not in path.read_text("utf-8") for path in site.rglob("*.html"))


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(
        r"""<(?:script|img|iframe)[^>]*\ssrc="(https?:|//)[^"]*"|<link[^>]*rel="stylesheet"[^>]*href="https?:"""
    )
    assert [path.name for path in site.rglob("*.html") if loaded.search(path.read_text("utf-8"))] == []


def test_the_search_has_an_index_that_needs_no_server(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    assert index.startswith("Search.setIndex(")
    assert "newsextract_warc" in index.lower()


@pytest.mark.browser
def test_the_search_works_from_files(site: Path) -> None:
    if not (chromium := shutil.which("chromium")):
        pytest.skip("chromium is not on PATH")
    address = f"{(site / 'search.html').as_uri()}?q=postgresql"
    options = ["--headless", "--no-sandbox", "--virtual-time-budget=10000", "--dump-dom"]
    found = subprocess.run(
        [chromium, *options, address], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    assert re.search(r'<a href="how-to/databases\.html[^"]*"[^>]*>Use <span class="highlighted">PostgreSQL', found)
    assert re.search(r'"context">[^<]*<span class="highlighted">PostgreSQL', found)


def test_links_to_other_places_are_well_formed() -> None:
    links = [(page, link) for page in PAGES for link in LINK.findall(page.read_text("utf-8")) if ":" in link]
    assert links
    for page, link in links:
        parts = urlsplit(link)
        assert parts.scheme == "https", (page, link)
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), (page, link)


def test_links_to_files_lead_somewhere_on_github_too() -> None:
    pages = [*PAGES, PROJECT / "CHANGELOG.md", PROJECT / "SECURITY.md"]
    links = [(page, link) for page in pages for link in LINK.findall(_prose(page)) if ":" not in link]
    dead = [(page.name, link) for page, link in links if not (page.parent / link.partition("#")[0]).exists()]
    assert dead == []


def test_anchors_are_those_of_headings() -> None:
    for page in PAGES:
        for link in LINK.findall(_prose(page)):
            target, _, anchor = link.partition("#")
            if anchor and ":" not in link:
                assert anchor in _anchors(page.parent / target), (page, link)


def test_headings_go_down_one_level_at_a_time_and_begin_with_one_title() -> None:
    for page in PAGES:
        levels = [len(marks) for marks in re.findall(r"(?m)^(#+) ", _prose(page))]
        assert (page.parent == DOCS and page.name in GENERATED_PAGES) or levels.count(1) == 1 == levels[0], page
        assert all(after <= before + 1 for before, after in pairwise(levels)), page


def test_the_glossary_names_places_that_are_there() -> None:
    rows = re.findall(r"(?m)^\| (?!term|---)(.+?) \|.*\| (.+) \|$", (DOCS / "glossary.md").read_text("utf-8"))
    places = [
        place for _, where in rows for place in re.findall(r"`([\w./-]+)`", where) if "/" in place or "." in place
    ]
    folders = (PROJECT, PROJECT / "newsextract")
    assert len(places) > len(rows) / 2
    assert [place for place in places if not any((folder / place).exists() for folder in folders)] == []
    assert len({term for term, _ in rows}) == len(rows)


def _prose(page: Path) -> str:
    return re.sub(r"(?ms)^ *```.*?^ *```$|(?<!\[)`[^`\n]+`(?!\])", "", page.read_text("utf-8"))


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?ms)^ *```.*?^ *```$", "", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_what_the_pages_say_of_the_code_is_true() -> None:
    architecture = (DOCS / "explanation" / "architecture.md").read_text("utf-8")
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    rooms, reading = (
        [name for layer in contract["layers"] for name in layer.split(" | ")] for contract in contracts[:2]
    )
    (order,) = re.findall(r"(?m)^cli → .+$", architecture)
    said = re.findall(r"\w+", order)
    assert sorted(said, key=rooms.index) == [*said[:2], "archives", "evaluation", *said[4:]]
    assert re.findall(r"`(\w+)`", architecture.partition("the layers are ")[2].partition(".")[0]) == reading


def test_comments_of_columns_name_modules_that_are_there() -> None:
    comments = [str(column.comment) for table in articles.metadata.tables.values() for column in table.columns]
    named = [name for comment in comments for name in re.findall(r"newsextract(?:\.\w+)+", comment)]
    assert named
    assert [name for name in named if importlib.util.find_spec(name) is None] == []


BLOCK = "```console\n$ make\n```\n"


@pytest.mark.parametrize(("line", "text"), [
    (2, "~~~console\n$ make\n~~~\n"),
    (2, "````console\n$ make\n````\n"),
    (2, "``` console\n$ make\n```\n"),
    (2, "```console title=x\n$ make\n```\n"),
    (2, "```Console\n$ make\n```\n"),
    (2, "- ```console\n  $ make\n  ```\n"),
    (2, "> ```console\n> $ make\n> ```\n"),
    (2, "```console\n$ make\n"),
    (2, f"```console\n$ make\n\n{BLOCK}"),
    (2, "```console\n$ make\n  ```\n"),
    (3, f"<!-- not run: it takes an hour -->\n\n{BLOCK}"),
    (3, f"<!-- not run: it takes an hour -->\nA sentence.\n{BLOCK}"),
    (2, f"<!-- Not run: it takes an hour -->\n{BLOCK}"),
    (2, f"<!-- not run -->\n{BLOCK}"),
    (2, f"  <!-- not run: it takes an hour -->\n{BLOCK}"),
    (2, f"<!-- not tested: it takes an hour -->\n{BLOCK}"),
])  # fmt: skip
def test_what_is_written_in_another_way_is_an_error(line: int, text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n{text}")
    with pytest.raises(UnclearExampleError, match=rf"page\.md:{line}: "):
        examples_of(page)


def test_a_mark_without_a_block_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"{BLOCK}<!-- in: folder -->\n")
    with pytest.raises(UnclearExampleError, match=r"page\.md: "):
        examples_of(tmp_path / "page.md")


def test_a_block_has_its_marks_and_language(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"<!-- in: folder -->\n<!-- exit code: 2 -->\n{BLOCK}\n<!-- table: of x -->\n")
    (example,) = examples_of(tmp_path / "page.md")
    assert (example.line, example.language, example.commands) == (3, "console", ["make"])
    assert example.marks == {"in": "folder", "exit code": "2"}


def test_the_pages_are_written_so() -> None:
    assert sum(len(examples_of(page)) for page in PAGES) > len(PAGES)
