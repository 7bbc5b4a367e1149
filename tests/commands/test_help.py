"""The help of every command: examples that work, options that exist, and lines that fit a narrow terminal."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import newsextract.__main__
from newsextract.commands import crawl
from newsextract.crawl.spider_arguments import NAMES
from tests.scrapy_process import PROJECT, SECONDS
from tests.scrapy_runs import Reply, environment, listing, run_scrapy, story

if TYPE_CHECKING:
    from tests.scrapy_runs import Scrapy, TinyWeb

SETUP = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
SCRAPY = tuple(f"scrapy {name}" for name in ("crawl", *SETUP["entry-points"]["scrapy.commands"]))
TRAININGS = tuple(f"python -m training{part}" for part in ("", ".kinds", ".tokens"))
SERVERS = ("python -m newsextract.newsroom.desk",)
OF_MAKE = ()
NAMED = tuple(f"newsextract {word}" for word in newsextract.__main__.COMMANDS)
COMMANDS = (*SCRAPY, *SETUP["scripts"], *NAMED, *SERVERS, *TRAININGS, *OF_MAKE)

NOT_RUN = (*TRAININGS, *OF_MAKE, *NAMED)
"""Trainings want annotated corpora and hours; what `make scrapyd` and `make crawl` start has tests of its own, and so
have archives and exports."""

OWN_SETTINGS = """
from settings.development import *
NEWSEXTRACT_KEEP_PAGES = "kept"
NEWSEXTRACT_MESSAGES = "messages.jsonl"
"""

NARROW = 60
"""Columns of half a terminal."""


def with_programs(**more: str) -> dict[str, str]:
    """Return an environment whose PATH has the programs beside this Python, and a browser that opens nothing."""
    return environment(PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}", BROWSER="true", **more)


HEADINGS = ["Usage", "Options", "Global Options", "Examples", "Exit Codes"]


def help_of(command: str) -> str:
    if command in SCRAPY:
        told = run_scrapy(PROJECT, *shlex.split(command)[1:], "-h", COLUMNS=str(NARROW))
        assert told.code == 0, told.err
        return told.out
    words = [*shlex.split(command), "-h"]
    env = with_programs(COLUMNS=str(NARROW))
    done = subprocess.run(words, env=env, cwd=PROJECT, text=True, capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def declared_examples(command: str) -> tuple[str, ...]:
    """Return the examples of a command that is run, from its code: collecting the tests starts no process."""
    words = command.split()
    if command in SETUP["scripts"]:
        module = "newsextract.tools.page_reading.command_line"
    else:
        module = f"newsextract.commands.{words[1]}" if command in SCRAPY else f"{words[2]}.__main__"
    code = import_module(module)
    found: tuple[str, ...] = (
        crawl.EXAMPLES if code is crawl else code.Command.examples if command in SCRAPY else code._EXAMPLES
    )
    return found


def options(line: str) -> list[str]:
    words = shlex.split(line.partition(" -- ")[0])
    return [word for word in words[3 if words[1] == "-m" else 1 :] if word.startswith("-")]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_help_fits_and_has_examples_of_the_command_with_options_that_exist(command: str) -> None:
    told = help_of(command)
    before, _, after = told.partition("xamples")
    section = re.match(r"(?::|\n=+)\n((?:  .*\n)+)\nexit codes", after, re.IGNORECASE)
    assert section, "it shows no examples, or no exit codes after them"
    lines = [line.strip() for line in section[1].splitlines()]
    assert 1 <= len(lines) <= 3
    assert command in NOT_RUN or tuple(lines) == declared_examples(command)
    for line in lines:
        assert line.startswith(command)
        for option in options(line):
            assert re.search(rf"^ +(?:-\w[ \w]*, )?{option}\b|, {option}\b", before, re.MULTILINE), option

    # A list of choices has no place to break.
    assert [line for line in told.splitlines() if len(line) > NARROW and " " in line.strip()] == []

    # Only headings are underlined, also where a line of an option's help ends with a colon.
    underlined = re.findall(r"^(.*)\n[=-]{3,}$", told, re.MULTILINE)
    assert [each for each in underlined if each != "Spider Arguments"] == (HEADINGS if command in SCRAPY else [])


def test_the_help_of_the_crawl_names_the_arguments_of_the_spider() -> None:
    assert {line.partition("=")[0] for line in crawl.ARGUMENTS} == {f"-a {name}" for name in NAMES}
    told = help_of("scrapy crawl")
    assert all(line in told for line in crawl.ARGUMENTS)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, tiny_web: TinyWeb, scrapy: Scrapy) -> tuple[Path, str]:
    """Return a project that has crawled a site, with the files that examples name, and the site's URL."""
    folder = tmp_path_factory.mktemp("project")
    paths = [
        f"/2026/05/{day:02}/the-mayor-opens-bridge-number-{day}.html" for day in range(10, 15)
    ]  # five make a template
    pages = {path: story(number) for number, path in enumerate(paths, 1)}
    routes = {path: Reply(page) for path, page in {"/": listing(*paths), "/story.html": story(9), **pages}.items()}
    site = tiny_web(routes).home.rstrip("/")

    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n")
    (folder / "own_settings.py").write_text(OWN_SETTINGS)
    (folder / "story.html").write_bytes(story(9))
    (folder / "pages").mkdir()
    for number, page in enumerate(pages.values()):
        (folder / "pages" / f"{number}.html").write_bytes(page)
    listed = f"  - url: {site}\n    schedule: 1h\n    rules: {{body: p}}\n    test_urls: {site}\n"
    (folder / "sites.yml").write_text(f"sites:\n{listed}")
    (folder / "watch.yml").write_text("watches:\n  - name: bridges\n    query: bridge\n")
    records = [
        {"id": path, "url": f"https://one.example{path}", "html": page.decode(), "text": "The mayor opened the bridge."}
        for path, page in pages.items()
    ]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    (folder / "one_page").mkdir()
    (folder / "one_page" / "corpus.jsonl").write_text(f"{json.dumps(records[0])}\n")
    done = scrapy(folder, "crawl", "news", "-a", f"sites={site}", SCRAPY_SETTINGS_MODULE="")
    assert done.code == 0, done.err
    shutil.copy(folder / "output" / "newsextract.db", folder / "news.db")
    return folder, site


RUN = [line for command in COMMANDS if command not in NOT_RUN for line in declared_examples(command)]


@pytest.mark.parametrize("line", [line for line in RUN if line.startswith("scrapy ")])
def test_each_example_of_scrapy_does_what_it_says(line: str, project: tuple[Path, str], scrapy: Scrapy) -> None:
    folder, site = project
    arguments = shlex.split(line.replace("https://example.com", site))[1:]
    # All extractors judge the corpus, and one page shows that they do.
    place = folder / "one_page" if arguments[0] == "evaluate" else folder
    done = scrapy(place, *arguments, SCRAPY_SETTINGS_MODULE="")
    # Another extractor may read other texts, and the machine of the tests may lack what a doctor wants.
    assert done.code in ({0, 1} if arguments[0] in ("replay", "doctor", "rules") else {0}), f"{done.out}\n{done.err}"
    assert done.out or (folder / "messages.jsonl").exists()


@pytest.mark.parametrize("line", [line for line in RUN if line.startswith("newsextract ")])
def test_each_example_without_scrapy_does_what_it_says(line: str, project: tuple[Path, str]) -> None:
    folder, site = project
    typed = line.replace("https://example.com", f"--private 127.0.0.1 {site}")
    shell = ["sh", "-c", typed]
    done = subprocess.run(
        shell, cwd=folder, env=with_programs(), text=True, capture_output=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "bridge" in (done.stdout or (folder / "articles.jsonl").read_text("utf-8"))


@pytest.mark.parametrize("line", [line for line in RUN if line.startswith(SERVERS)])
def test_each_example_that_serves_goes_on_until_it_is_stopped(line: str, project: tuple[Path, str]) -> None:
    words = [sys.executable, *shlex.split(line)[1:]]
    process = subprocess.Popen(
        words, cwd=project[0], env=with_programs(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        if " -- " not in line:  # else it ends with its command
            process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        process.communicate()
