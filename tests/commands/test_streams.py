"""What a command prints arrives whole, or its end says why not: on closed and full outputs, in every locale."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from newsextract.commands.command_frame import WRONG_USAGE
from tests.scrapy_process import SECONDS
from tests.scrapy_runs import environment, story

if TYPE_CHECKING:
    from pathlib import Path

SCRAPY = (sys.executable, "-m", "scrapy")
COMMANDS = (("extract", "story.html"), ("compare", "story.html", "-x", "auto,mss"), ("doctor",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "story.html").write_bytes(story(1, head="<meta charset=utf-8>").replace(b"mayor", "maïre 東".encode()))
    return tmp_path


def ended(folder: Path, redirection: str, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its standard output elsewhere, as a shell does it."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *command],
        cwd=folder, env=environment(**environ), capture_output=True, encoding="utf-8", timeout=SECONDS, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("redirection", "told"),
    [(">&-", "standard output is closed"), (">/dev/full", "[Errno 28] No space left on device")],
    ids=["closed", "full"],
)
def test_what_is_not_printed_is_said(folder: Path, redirection: str, told: str, command: tuple[str, ...]) -> None:
    done = ended(folder, redirection, *SCRAPY, *command)
    assert (done.returncode, done.stderr) == (1, f"scrapy {command[0]}: {told}\n")


def test_articles_for_a_closed_output_are_refused_before_anything_is_fetched(folder: Path) -> None:
    crawl = ("crawl", "news", "-a", "sites=https://example.com", "-o", "-:jsonlines")
    done = ended(folder, ">&-", *SCRAPY, *crawl)
    assert done.returncode == WRONG_USAGE
    assert done.stderr.endswith(": error: FEEDS: standard output is closed; -O names a file\n")
    assert len(done.stderr.splitlines()) == 1


HELPS = ((*SCRAPY, "crawl", "-h"), (sys.executable, "-m", "newsextract", "--version"))


@pytest.mark.parametrize("command", HELPS, ids=lambda command: command[-1])
@pytest.mark.parametrize(
    ("redirection", "told"),
    [(">&-", "standard output is closed"), (">/dev/full", "No space left on device")],
    ids=["closed", "full"],
)
def test_a_help_that_is_not_printed_is_said(
    folder: Path, redirection: str, told: str, command: tuple[str, ...]
) -> None:
    done = ended(folder, redirection, *command)
    assert done.returncode == 1
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", HELPS, ids=lambda command: command[-1])
def test_a_help_that_nobody_reads_is_no_error(folder: Path, command: tuple[str, ...]) -> None:
    done = unread(folder, command)
    assert (done.returncode, done.stderr) == (0, "")


def unread(folder: Path, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard output is a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        return subprocess.run(
            command, cwd=folder, env=environment(), stdout=pipe, stderr=subprocess.PIPE, encoding="utf-8",
            timeout=SECONDS, check=False,
        )  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [(*SCRAPY, *COMMANDS[0]), (*SCRAPY, "crawl", "--help"), (sys.executable, "-m", "newsextract.tools.demo", "--help")],
    ids=["extract", "crawl", "demo"],
)
def test_the_locale_changes_nothing(folder: Path, command: tuple[str, ...]) -> None:
    plain = ended(folder, "", *command, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout == ended(folder, "", *command, PYTHONUTF8="1").stdout
    assert not plain.stdout.isascii()


def test_closed_errors_do_not_stand_among_the_articles(folder: Path) -> None:
    done = ended(folder, "2>&-", sys.executable, "-m", "newsextract", "story.html", "none.html")
    assert (done.returncode, "maïre 東" in done.stdout, "none.html" in done.stdout) == (1, True, False)
