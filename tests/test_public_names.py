from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import newsextract
from benchmarks.install_size import PURPOSES

MAX_LINES = 600
"""A longer file holds more than one subject."""

ROOT = Path(str(files(newsextract)))


def test_the_public_names_are_those_promised() -> None:
    assert set(newsextract.__all__) == {
        *("extract", "read_article", "Page", "Extraction", "Block", "Article"),
        *("register", "create_extractor", "extractor_names"),
        *("ExtractionOptions", "fetch_article", "FetchError", "PageError", "__version__"),
    }
    assert dir(newsextract) == list(newsextract.__all__)
    assert list(newsextract.__all__) == sorted(newsextract.__all__)


@pytest.mark.parametrize("name", newsextract.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(newsextract, name).__doc__


def test_no_file_is_long() -> None:
    lengths = {path.relative_to(ROOT): len(path.read_text("utf-8").splitlines()) for path in ROOT.rglob("*.py")}
    assert [str(path) for path, length in lengths.items() if length > MAX_LINES] == []


def test_the_short_way_in_gives_an_extraction_and_an_article() -> None:
    markup = "<p>It rained all day on the plain.</p>"
    assert newsextract.extract(markup, extractor="everything").text == "It rained all day on the plain."
    assert newsextract.read_article(markup.encode(), "https://news.example/").articleBody


def test_knows_its_version() -> None:
    assert newsextract.__version__ == version("newsextract")


def test_has_a_version_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", unknown)
    assert newsextract.__version__ == "0+unknown"


def test_has_no_names_but_its_own() -> None:
    with pytest.raises(AttributeError, match="module 'newsextract' has no attribute 'fetch'"):
        _ = newsextract.fetch
    assert newsextract.page.page.Page is newsextract.Page


def test_importing_the_package_loads_neither_the_crawler_nor_a_database() -> None:
    heavy = ["scrapy", "twisted", "sqlalchemy", "scipy", "sklearn", "datasketch", "htmldate", "py3langid"]
    heavy += ["numpy", "lxml", "babel", "nh3", "ssl"]
    script = f"import sys, newsextract; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60, text=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("module", ["addon", "poet"])
def test_a_module_whose_packages_are_missing_says_which_extra_brings_them(module: str) -> None:
    script = f"import sys; sys.modules.update(scrapy=None, twisted=None); import newsextract.{module}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60, text=True)
    assert "pip install 'newsextract[crawl]'" in done.stderr.splitlines()[-1]


PROJECT = Path(__file__).parents[1]


def _dependencies() -> set[str]:
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = declared["dependencies"] + declared["optional-dependencies"]["crawl"]
    return {canonicalize_name(Requirement(each).name) for each in needed}


def test_every_dependency_has_a_purpose_and_nothing_else_has() -> None:
    assert set(PURPOSES) == _dependencies()


def test_the_page_of_dependencies_has_a_row_for_each_with_its_purpose() -> None:
    lines = (PROJECT / "docs" / "dependencies.md").read_text("utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    assert {row[0].split()[0]: row[-1] for row in cells if len(row) == 6 and row[1][0].isdigit()} == PURPOSES
