"""Former paths: the present module under its former name, with a warning, and only when it is used."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import newsextract
from newsextract.former_paths import ABSORBED, MOVED, UNTIL

ROOT = Path(newsextract.__file__).parent

NAMED = {
    "newsextract.delivery.envelope.schema": "newsextract.newsroom.delivery.messages",
    "newsextract.extensions.database.Database": "newsextract.crawl.extensions.database_writer",
    "newsextract.extensions.line_feeds.WholeLines": "newsextract.crawl.extensions.line_feeds",
    "newsextract.extraction.Extraction": "newsextract.reading.extraction.contract",
    "newsextract.extractors.mss.MaximumSubsequence": "newsextract.reading.extraction.extractors.mss",
    "newsextract.middlewares.silent_hosts.SilentHosts": "newsextract.crawl.middlewares.silent_hosts",
    "newsextract.pipelines.duplicates.DuplicatesPipeline": "newsextract.crawl.pipelines.duplicates",
    "newsextract.spiders.news.NewsSpider": "newsextract.crawl.spiders.news",
    "newsextract.storage.stories.story_of": "newsextract.storage.copies.story_view",
}
"""Paths that documents named and that projects have in their settings, and where they lead."""


def run(*arguments: str, path: Path = ROOT.parent) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(command, env={"PYTHONPATH": str(path)}, capture_output=True, text=True, check=False)


def python(*lines: str, path: Path = ROOT.parent, warning: str = "ignore") -> list[str]:
    done = run("-W", warning, "-c", "\n".join(lines), path=path)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("former", [*MOVED, *ABSORBED])
def test_every_former_path_leads_somewhere_and_is_no_path_of_today(former: str) -> None:
    now = {**MOVED, **ABSORBED}[former]
    assert find_spec(f"newsextract.{now}")
    place = ROOT / former.replace(".", "/")
    assert former in ABSORBED or not (place.is_dir() or place.with_suffix(".py").exists())


def test_former_paths_last_until_the_version_that_the_warning_names() -> None:
    version = tomllib.loads((ROOT.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    here, end = ([int(part) for part in number.split(".")[:2]] for number in (version, UNTIL))
    assert here < end, "delete newsextract/former_paths.py, or extend its promise in docs/versions.md"


def test_a_former_path_gives_the_same_objects() -> None:
    said = python(
        "from importlib import import_module",
        f"for path, now in {NAMED}.items():",
        "    module, _, name = path.rpartition('.')",
        "    former, today = import_module(module), import_module(now)",
        "    assert former is today and getattr(former, name) is getattr(today, name), path",
        "    assert (today.__name__, today.__spec__.name) == (now, now), path",
        "    assert today.__spec__.loader is today.__loader__, path",
        "from newsextract.storage.revisions import revisions_of, text_at",
        "from newsextract.page import Page",
        "import newsextract",
        "from newsextract.storage.revisions import revision_store",
        "print(Page is newsextract.Page, revisions_of is revision_store.revisions_of)",
    )
    assert said == ["True", "True"]


def test_the_order_of_imports_does_not_matter_nor_how_the_path_is_written() -> None:
    said = python(
        "import newsextract.pipelines.duplicates as former",
        "from newsextract.pipelines import duplicates",
        "from newsextract.crawl.pipelines import duplicates as today",
        "import newsextract.crawl.pipelines, newsextract.pipelines, sys",
        "print(former is duplicates is today, newsextract.pipelines is newsextract.crawl.pipelines)",
        "print(len({id(m) for n, m in sys.modules.items() if n.endswith('.duplicates')}))",
    )
    assert said == ["True", "True", "1"]


def test_a_warning_names_the_path_of_today_where_the_former_is_written() -> None:
    for line, now in (
        ("import newsextract.blocks", "newsextract.blocks is now newsextract.page.blocks"),
        ("from newsextract.page import Page", "newsextract.page.Page is now newsextract.page.page.Page"),
    ):
        said = run("-W", "always", "-c", line)
        assert (said.returncode, f"<string>:1: DeprecationWarning: {now}" in said.stderr) == (0, True), said.stderr


def test_what_nobody_asks_for_is_not_imported() -> None:
    lines = ["import sys, newsextract", "print(any(name.startswith('newsextract.crawl') for name in sys.modules))"]
    assert python(*lines, warning="error") == ["False"]
    assert python(*lines[:1], "import newsextract.pipelines, newsextract.page", *lines[1:]) == ["True"]


def test_what_never_was_is_not_found() -> None:
    wrong = ["newsextract.nothing", "newsextract.pipelines.nothing", "newsextract.blocks.nothing"]
    said = " ".join(python(*each_refused([f"import {path}" for path in wrong])))
    assert [said.count(f"No module named '{path}'") for path in wrong] == [1, 1, 1]


def test_packages_that_absorbed_a_module_say_which_names_they_lack() -> None:
    packages = ("newsextract.page", "newsextract.storage.revisions")
    said = " ".join(python(*each_refused([f"from {package} import nothing" for package in packages])))
    assert said.count("cannot import name 'nothing'") == len(packages)


def each_refused(statements: list[str]) -> list[str]:
    """Return a program that runs statements and prints why each cannot import something."""
    return [
        f"for statement in {statements}:",
        "    try:",
        "        exec(statement)",
        "    except ImportError as error:",
        "        print(error)",
    ]


def test_a_project_may_name_its_components_and_spiders_as_before() -> None:
    said = python(
        "from scrapy.utils.misc import load_object, walk_modules",
        "from scrapy.utils.spider import iter_spider_classes",
        "print(load_object('newsextract.pipelines.database.DatabasePipeline').__module__)",
        "modules = walk_modules('newsextract.spiders')",
        "print(*(spider.name for module in modules for spider in iter_spider_classes(module)))",
        "import newsextract",
        "print(newsextract.create_extractor('newsextract.extractors.mss.MaximumSubsequence').name)",
    )
    assert said == ["newsextract.crawl.pipelines.article_storage", "news", "mss"]


@pytest.mark.parametrize("program", ["demo", "desk", "deployment", "training", "training.kinds"])
def test_programs_start_under_their_former_names(program: str) -> None:
    done = run("-m", f"newsextract.{program}", "--help")
    assert (done.returncode, done.stdout.startswith("usage:"), done.stderr) == (0, True, "")


def test_it_works_in_a_zip_file_such_as_an_egg(tmp_path: Path) -> None:
    egg = tmp_path / "newsextract.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for file in ROOT.rglob("*"):
            if "__pycache__" not in file.parts:
                packed.write(file, file.relative_to(ROOT.parent))
    said = python(
        "import newsextract.pipelines.duplicates as former, newsextract.crawl.pipelines.duplicates as today",
        "print(former is today, 'newsextract.egg' in today.__spec__.origin)",
        path=egg,
    )
    assert said == ["True", "True"]
    assert run("-m", "newsextract.demo", "--help", path=egg).stdout.startswith("usage:")
